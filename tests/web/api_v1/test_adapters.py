"""A LoRA adapter over REST and on the Models page: a model of its own beside its base."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from tests.families.made import gpt2
from tests.installed.adapters.made import adapter
from tests.web.client import TRACES, problem_of, serving_app

TEXT = "The animal didn't"
NAME = "tiny+tuned"


def model(name: str) -> dict[str, str]:
    return {"source": "installed", "name": name}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    disk = tmp_path_factory.mktemp("disk")
    base, tuned = gpt2(disk / "tiny"), adapter(disk / "tuned")
    adapter(gpt2(disk / "beside"), use_dora=True)
    settings = {"models": [base, disk / "beside"], "adapters": [tuned]}
    with serving_app(disk / "data", **settings) as client:
        yield client


def test_it_is_listed_behind_its_base_with_the_name_of_that(served: TestClient) -> None:
    listed = served.get("/api/v1/models").json()["models"]
    last = [(one["name"], one.get("base")) for one in listed][-4:]
    assert last == [("tiny", None), (NAME, "tiny"), ("beside", None), ("beside+adapter", None)]
    one = served.get(f"/api/v1/models/installed/{NAME}").json()
    assert one["recognised"]["code"] == "adapter"
    assert "changes are added to tiny" in one["recognised"]["message"]
    assert "use_dora is True" in listed[-1]["problem"]["message"]


def test_everything_that_is_asked_of_a_model_is_asked_of_it(served: TestClient) -> None:
    asked = {name: served.post(TRACES, json={"text": TEXT, "model": model(name)}).json()
             for name in ("tiny", NAME)}  # fmt: skip
    ids = {name: one["trace"] for name, one in asked.items()}
    assert ids["tiny"] != ids[NAME]
    for path in ("predictions", "heads", "ablations", "contributions", "stages/weights?layer=0"):
        base, tuned = (served.get(f"{TRACES}/{ids[name]}/{path}") for name in ("tiny", NAME))
        assert base.status_code == tuned.status_code == 200, path
        assert base.json() != tuned.json(), path
    spectrum = served.get(f"/api/v1/models/installed/{NAME}/spectrum?layer=0")
    assert spectrum.status_code == 200
    body = problem_of(served.post(TRACES, json={"text": TEXT, "model": model("beside+adapter")}),
                422, "bad_weights_file")  # fmt: skip
    assert "merge_and_unload()" in body["detail"]


def test_the_page_compares_it_with_its_base(served: TestClient) -> None:
    for path in ("/models?lang=en", f"/models/{NAME}?lang=en"):
        page = served.get(path).text
        (link,) = re.findall(r'href="(/compare[^"]+)">Compare with tiny<', page)
        query = {k: v[0] for k, v in parse_qs(urlsplit(unescape(link)).query).items()}
        assert (query["a.source"], query["a.name"]) == ("installed", "tiny")
        assert (query["b.source"], query["b.name"]) == ("installed", NAME)
        assert query.get("a.text") == query.get("b.text")
        assert query["lang"] == "en"
