"""A Marian of OPUS-MT out of a hub cache, over HTTP and on the Models page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.spm_files import TARGET, ids_of, marian, spm
from tests.web.client import TRACES, serving_app

NAME = "Helsinki-NLP/opus-mt-en-de"
BODY = {"context": "the cat sat", "text": "die", "model": {"source": "installed", "name": NAME}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cached = tmp_path_factory.mktemp("hub") / "models--Helsinki-NLP--opus-mt-en-de"
    return marian(cached / "snapshots/0123abcd")


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    hub = folder.parents[2]
    with serving_app(tmp_path_factory.mktemp("data"), models=[hub]) as client:
        yield client


def test_each_text_is_cut_by_its_own_model(served: TestClient) -> None:
    listed = served.get("/api/v1/models").json()["models"]
    assert any(one["name"] == NAME and one["family"] == "marian" for one in listed)
    reply = served.post(TRACES, json=BODY).json()
    assert reply["context_tokens"] == [[" the", " cat", " s", "at", "</s>"]]
    assert reply["tokens"] == [["<pad>", " die"]]
    at = f"{TRACES}/{reply['trace']}"
    assert served.get(f"{at}/predictions").status_code == 200
    more = served.post(f"{at}/continuations", json={"tokens": 3}).json()
    again = served.get(f"{TRACES}/{more['trace']}").json()
    assert again["tokens"][0] == ["<pad>", " die", *more["pieces"]]
    assert again["context_tokens"] == reply["context_tokens"]


def test_its_page_asks_what_its_source_can_read_and_leaves_the_text_to_it(tmp_path: Path) -> None:
    letters = [(sign, -2.0, 1) for sign in sorted(set("▁Theredbookisonthetable."))]
    folder = marian(tmp_path / "en-xx", spm(letters), spm(TARGET), ids_of(letters, TARGET))
    with serving_app(tmp_path / "data", models=[folder]) as client:
        page = client.get("/models/en-xx").text
    assert 'context=The+red+book+is+on+the+table.&amp;text="' in page


def test_as_an_upload_it_is_refused_with_the_way_to_open_it(
    served: TestClient, folder: Path
) -> None:
    files = {
        "weights": ("model.safetensors", (folder / "model.safetensors").read_bytes()),
        "config": ("config.json", (folder / "config.json").read_bytes()),
    }
    reply = served.post("/api/v1/models", files=files)
    assert reply.status_code == 422
    assert "--model" in reply.json()["detail"]
