"""The recipes of docs/house.md: what each adds is seen everywhere else."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from attnscope.analysis import heads
from attnscope.analysis.heads import METRICS, Metric
from attnscope.resources import static_dir
from attnscope.web.api_v1.heads import Head, metrics_reply
from attnscope.web.pages.data import metric_rows
from attnscope.web.texts import Catalogue

# No name that a reader of the recipe would choose.
ADDED = Metric("added_here", lambda rows: rows.back(2), "Weight on the token before the previous.")


def test_a_metric_is_a_row_that_the_api_and_the_page_read(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads, "METRICS", (*METRICS, ADDED))
    body = {"text": "a b c d", "model": {"source": "crafted", "name": "uniform"}}
    trace = client.post("/api/v1/traces", json=body).json()["trace"]
    (head,) = client.get(f"/api/v1/traces/{trace}/heads").json()["heads"]
    assert head["added_here"] == pytest.approx((1 / 3 + 1 / 4) / 2)
    ((probed,),) = client.get(f"/api/v1/traces/{trace}/probe?length=4").json()["heads"]
    assert probed["added_here"] > 0
    rivals = tuple(metric.name for metric in METRICS if metric.names_heads)
    assert metric_rows()[-1] == {"name": "added_here", "rivals": rivals}
    replied = metrics_reply("HeadReply", heads.METRICS, Head)
    described = TypeAdapter(replied).json_schema()["properties"]["added_here"]
    assert described["description"].startswith(ADDED.about)


def test_every_metric_is_in_the_reference_and_has_its_messages(client: TestClient) -> None:
    schemas = client.get("/api/openapi.json").json()["components"]["schemas"]
    names = [metric.name for metric in METRICS]
    assert list(schemas["HeadReply"]["properties"]) == ["layer", "head", *names]
    naming = [metric.name for metric in heads.naming()]
    assert list(schemas["ProbeHeadReply"]["properties"]) == naming
    for language, messages in Catalogue(static_dir() / "locales").languages.items():
        keys = {f"metric.{name}" for name in names} | {f"metric.about.{name}" for name in names}
        missing = sorted((keys | {f"heads.name.{name}" for name in naming}) - messages.keys())
        assert not missing, f"write {', '.join(missing)} in heads.json of {language}"
