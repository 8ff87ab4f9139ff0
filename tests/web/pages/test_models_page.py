"""The page of models: what is on the server, read without a script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from attnscope.installed.catalogue import OFFERS
from attnscope.web.pages.models import format_bytes
from attnscope.weights.upload import MOST_FILES
from tests.families.cases import made
from tests.families.made import gpt2
from tests.web.client import ATTENTION, serving_app


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    disk = tmp_path_factory.mktemp("disk")
    gpt2(disk / "tiny & 小", n_head=2)
    made("bert", disk)
    with serving_app(disk / "data", models=[disk]) as client:
        yield client


def items(page: str) -> dict[str, str]:
    """The text of every model of the page, by its name."""
    parts = re.findall(r'<li data-model="([^"]+)">(.*?)</li>', page, re.DOTALL)
    plain = {unescape(name): unescape(re.sub(r"<[^>]+>", " ", html)) for name, html in parts}
    return {name: " ".join(text.split()) for name, text in plain.items()}


def explored(page: str) -> dict[str, dict[str, str]]:
    """The query under which each model opens, by its name."""
    queries = (parse_qs(urlsplit(unescape(found)).query)
               for found in re.findall(r'href="(/\?source=installed[^"]+)"', page))  # fmt: skip
    return {query["name"][0]: {k: v[0] for k, v in query.items()} for query in queries}


def test_it_lists_what_the_api_lists_and_why(served: TestClient) -> None:
    listed = served.get("/api/v1/models").json()["models"]
    actual = items(served.get("/models").text)
    assert list(actual) == [one["name"] for one in listed]
    for one in listed:
        assert one["recognised"]["message"] in actual[one["name"]]
        assert f"vocabulary {one['vocabulary']:,}" in actual[one["name"]]
    assert {one["name"]: one["origin"] for one in listed if one["origin"] == "disk"}.keys() == {
        "bert", "tiny & 小",
    }  # fmt: skip
    tiny = actual["tiny & 小"]
    assert "model_type gpt2; the files hold 28 tensors" in tiny
    assert "layers × heads 2 × 2 d_model 24 d_k 12 context 32" in tiny
    assert "stored as float32" in tiny
    assert "predicts no tokens" in actual["bert"]
    assert "revisions step-3200 (last of 5)" in actual["echo"]


def test_each_model_that_came_with_the_server_says_what_it_does(served: TestClient) -> None:
    for language in ("en", "zh"):
        listed = served.get("/api/v1/models", params={"lang": language}).json()["models"]
        said = [one["recognised"]["message"] for one in listed if one["origin"] == "shipped"]
        assert len({sentence.split(". ")[0] for sentence in said}) == len(said) == 5
    assert "Repeats what it has read" in items(served.get("/models").text)["echo"]


def test_the_reasons_are_in_the_readers_language(served: TestClient) -> None:
    chinese = served.get("/api/v1/models", headers={"Accept-Language": "zh"}).json()["models"]
    assert all("个张量" in one["recognised"]["message"] for one in chinese)
    assert chinese[-1]["recognised"]["values"] == {"tensors": 28, "kind": "gpt2"}
    listed = items(served.get("/models?lang=zh").text)
    assert all("词表" in text for text in listed.values())


def test_each_leads_to_explore_on_a_text_that_it_takes(served: TestClient) -> None:
    ways = explored(served.get("/models?lang=zh").text)
    assert len(ways) == 7
    for name, query in ways.items():
        assert query["lang"] == "zh"
        model = {"source": query["source"], "name": name}
        body = {"text": query.get("text", "The animal"), "model": model}
        assert served.post(ATTENTION, json=body).status_code == 200, name


def test_a_model_that_is_gone_hides_no_other(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny")
    with serving_app(tmp_path / "data", models=[folder]) as client:
        assert "tiny" in items(client.get("/models").text)
        (folder / "model.safetensors").unlink()
        assert client.get("/").status_code == 200
        assert "tiny" not in items(client.get("/models").text)
        assert "echo" in items(client.get("/models").text)
        assert "tiny" not in [m["name"] for m in client.get("/api/v1/models").json()["models"]]
        assert client.get("/models/tiny").status_code == 409


def test_bytes_are_written_as_people_read_them() -> None:
    wanted = {0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 5 << 40: "5.0 TiB"}
    assert {count: format_bytes(count) for count in wanted} == wanted


def test_the_page_knows_what_the_server_takes(served: TestClient) -> None:
    found = re.search(r'id="page-data">(.*?)</script>', served.get("/models").text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    limits = served.app.state.upload_limits  # type: ignore[attr-defined]
    assert data["limits"]["max_upload_bytes"] == limits.max_bytes
    assert data["limits"]["max_header_bytes"] == limits.max_header_bytes
    assert {"gpt2", "bert"} <= set(data["families"])
    assert data["messages"]["models.wrong.none"]
    assert not any(key.startswith("models.") for key in page_messages(served))


def page_messages(client: TestClient) -> dict[str, str]:
    """The sentences of Explore, which are none of this page's."""
    found = re.search(r'id="page-data">(.*?)</script>', client.get("/").text, re.DOTALL)
    assert found
    messages: dict[str, str] = json.loads(found[1])["messages"]
    return messages


@pytest.mark.parametrize("count", [64, 65])
def test_as_many_files_are_taken_as_the_page_says(served: TestClient, count: int) -> None:
    files = [("weights", (f"{i}.json", b"{}")) for i in range(count)]
    status = served.post("/api/v1/models", files=files).status_code
    assert MOST_FILES == 64
    assert status == (413 if count > MOST_FILES else 422)


def test_what_is_installed_and_cannot_be_opened_is_named_without_its_place(tmp_path: Path) -> None:
    sound = gpt2(tmp_path / "data/installed/sound")
    strange = gpt2(tmp_path / "data/installed/strange", model_type="strange")
    unreadable = gpt2(tmp_path / "data/installed/torn")
    (unreadable / "config.json").write_text("{", encoding="utf-8")
    with serving_app(tmp_path / "data") as client:
        page = client.get("/models").text
    assert sound.name in items(page)
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert f"{strange.name} Models of the type “strange” are not computed here." in text
    assert f"{unreadable.name} config.json cannot be read" in text
    assert str(tmp_path) not in page


def test_models_of_the_catalogue_are_offered_where_visitors_may_get_them(tmp_path: Path) -> None:
    def offered(**settings: str) -> list[str]:
        with serving_app(tmp_path, **settings) as client:
            return re.findall(r'data-offer="(\w+)"', client.get("/models").text)

    assert offered() == list(OFFERS)
    assert offered(get_models="off") == offered(host="0.0.0.0") == []
    gpt2(tmp_path / "installed/minilm")
    assert offered() == [name for name in OFFERS if name != "minilm"]


def test_a_model_that_is_installed_while_the_server_runs_is_there(tmp_path: Path) -> None:
    with serving_app(tmp_path) as client:
        for how in ("/models", "/", "/compare", "/embed", "/api/v1/models"):
            name = f"late{len(how)}"
            gpt2(tmp_path / "installed" / name)
            assert f'"{name}"' in client.get(how).text, how
        gpt2(tmp_path / "installed/asked")
        asked = {"text": "The animal", "model": {"source": "installed", "name": "asked"}}
        assert client.post(ATTENTION, json=asked).status_code == 200


def test_a_model_from_the_disk_opens_on_texts_that_it_takes(tmp_path: Path) -> None:
    for case in ("qwen3", "bert", "gpt2"):
        made(case, tmp_path)
    with serving_app(tmp_path / "data", models=[tmp_path]) as client:
        page = client.get("/models").text
        listed = items(page)
        assert "Try it on: a pronoun" in listed["qwen3"]
        assert "Try it on: a pronoun" in listed["bert"]
        assert "Try it on" not in listed["echo"]
        found = re.findall(r'href="/\?(source=installed[^"]+)"', page)
        queries = [{key: values[0] for key, values in parse_qs(unescape(one)).items()}
                   for one in found]  # fmt: skip
        asked = [one for one in queries if one["name"] in ("qwen3", "bert") and "text" in one]
        assert len(asked) > 3
        for one in asked:
            model = {"source": "installed", "name": one["name"]}
            fields = {key: one[key] for key in ("text", "pair") if key in one}
            reply = client.post(ATTENTION, json={**fields, "model": model})
            assert reply.status_code == 200, reply.text[:300]
