"""attnscope models: every model with its sizes, the broken ones with their sentence."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from attnscope import cli
from attnscope.installed.catalogue import OFFERS
from attnscope.resources import models_dir
from tests.commands.runner import Runner
from tests.families.made import gpt2
from tests.installed.adapters.made import adapter

RUN = Runner()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with a model that opens and one that does not."""
    gpt2(tmp_path / "data/installed/tiny")
    gpt2(tmp_path / "data/installed/odd", rope_scaling=2)
    return tmp_path / "data"


def listed(*options: object) -> Any:
    result = RUN.invoke(cli.main, ["models", "--json", *map(str, options)])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_each_model_is_listed_with_its_sizes_and_where_it_is_from(
    data: Path, tmp_path: Path
) -> None:
    named = gpt2(tmp_path / "more/mine", n_head=4)
    result = listed("--data-dir", data, "--model", tmp_path / "more")["models"]
    origins = {row["name"]: row["origin"] for row in result}
    shipped = sorted(path.parent.name for path in models_dir().glob("*/config.json"))
    assert origins == {**dict.fromkeys(shipped, "shipped"), "tiny": "installed", "mine": "named"}
    mine = result[-1]
    assert mine == {
        "name": "mine", "family": "gpt2", "layers": 2, "heads": 4, "context": 32,
        "bytes": (named / "model.safetensors").stat().st_size, "origin": "named",
        "path": str(named.resolve()),
    }  # fmt: skip


def test_one_that_cannot_be_opened_hides_no_other(data: Path, tmp_path: Path) -> None:
    gpt2(tmp_path / "more/good")
    (gpt2(tmp_path / "more/torn") / "model.safetensors").write_bytes(b"torn")
    result = listed("--data-dir", data, "--model", tmp_path / "more", "--model", tmp_path / "gone")
    assert [row["name"] for row in result["models"]][-2:] == ["tiny", "good"]
    reasons = {Path(one["path"]).name: one["reason"] for one in result["broken"]}
    assert reasons.keys() == {"odd", "torn", "gone"}
    assert "rope_scaling" in reasons["odd"]
    assert "holds no model" in reasons["gone"]


def test_an_accepted_key_stops_no_model(data: Path, tmp_path: Path) -> None:
    gpt2(tmp_path / "more/odd_key", attn_temperature=2.0)
    options = ("--data-dir", data, "--model", tmp_path / "more")
    (broken,) = [one for one in listed(*options)["broken"] if "odd_key" in one["path"]]
    assert "--accept" in broken["reason"]
    accepted = listed(*options, "--accept", "attn_temperature")
    assert accepted["models"][-1]["name"] == "odd_key"
    needless = [*map(str, options), "--accept", "nothing"]
    result = RUN.invoke(cli.main, ["models", *needless])
    assert (result.exit_code, "nothing" in result.output) == (2, True)


def test_adapters_are_listed_and_hide_no_model(tmp_path: Path) -> None:
    base, tuned = gpt2(tmp_path / "tiny"), adapter(tmp_path / "tuned")
    odd = adapter(tmp_path / "odd", use_dora=True)
    paths = [word for one in (tuned, odd, tmp_path / "gone") for word in ("--adapter", one)]
    result = listed("--data-dir", tmp_path / "data", "--model", base, *paths)
    rows = [(row["name"], row["path"]) for row in result["models"][-2:]]
    assert rows == [("tiny", str(base)), ("tiny+tuned", str(tuned))]
    reasons = {Path(one["path"]).name: one["reason"] for one in result["broken"]}
    assert reasons.keys() == {"odd", "gone"}
    assert "use_dora" in reasons["odd"]
    assert "holds no adapter" in reasons["gone"]


def test_the_environment_names_models_too(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [gpt2(tmp_path / "one"), gpt2(tmp_path / "two")]
    monkeypatch.setenv("ATTNSCOPE_DATA_DIR", str(data))
    monkeypatch.setenv("ATTNSCOPE_MODELS", os.pathsep.join(map(str, paths)))
    assert [row["name"] for row in listed()["models"]][-3:] == ["tiny", "one", "two"]


def test_columns_stand_under_each_other_and_offers_below(data: Path) -> None:
    result = RUN.invoke(cli.main, ["models", "--data-dir", str(data)])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    tiny = next(line for line in lines if line.startswith("tiny"))
    for head, cell in (("family", "gpt2"), ("layers", "2 × 3"), ("context", "32")):
        assert tiny[lines[0].index(head) :].startswith(cell)
    assert "Cannot be opened:" in lines
    assert "attnscope install" in result.output
    assert all(f"  {name}" in result.output for name in OFFERS)


def test_what_is_installed_is_offered_no_more(tmp_path: Path) -> None:
    name = next(iter(OFFERS))
    assert name in [one["name"] for one in listed("--data-dir", tmp_path)["to_install"]]
    (tmp_path / "installed" / name).mkdir(parents=True)  # broken, but there
    assert name not in [one["name"] for one in listed("--data-dir", tmp_path)["to_install"]]


def test_where_there_is_nothing_of_ones_own_the_shipped_are_listed(tmp_path: Path) -> None:
    result = listed("--data-dir", tmp_path / "not made")
    assert {row["origin"] for row in result["models"]} == {"shipped"}
    assert result["broken"] == []
    assert not (tmp_path / "not made").exists()
