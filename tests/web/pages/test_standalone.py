"""A trace as one HTML file: it holds the numbers, our own modules, and no way out."""

from __future__ import annotations

import base64
import json
import re
from html import escape
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from attnscope.resources import static_dir
from attnscope.web.pages import scripts
from attnscope.web.pages.standalone import ENTRY
from attnscope.web.pages.static import files_in
from tests.web.client import TRACES, array, ask, matrices, upload

QUESTION: dict[str, Any] = {"text": "</script><b>a</b> <!--", "model": {"source": "seeded"}}


def part(html: str, name: str) -> str:
    found = re.search(rf'<script[^>]* id="{name}">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def whole(client: TestClient) -> dict[str, Any]:
    return ask(client, **QUESTION)


def page(client: TestClient, whole: dict[str, Any], **query: Any) -> str:
    address = f"{TRACES}/{whole['trace']}/export"
    return str(client.get(address, params={"format": "html", **query}).text)


def test_the_page_holds_the_numbers_bit_by_bit(client: TestClient, whole: dict[str, Any]) -> None:
    arrays = load(base64.b64decode(part(page(client, whole), "numbers")))
    for stage in ("x", "k", "scores", "weights", "block_output"):
        np.testing.assert_array_equal(arrays[f"layers.0.{stage}"], array(whole["layers"][0][stage]))


def test_the_page_holds_its_question_and_nothing_a_text_can_break_out_of(
    client: TestClient, whole: dict[str, Any]
) -> None:
    html = page(client, whole)
    assert json.loads(part(html, "question"))["text"] == QUESTION["text"]
    assert "<b>a</b>" not in html
    assert html.count("</script>") == html.count("<script")


def test_the_page_names_no_address_and_may_load_none(
    client: TestClient, whole: dict[str, Any]
) -> None:
    html = page(client, whole)
    assert "default-src 'none'" in html
    without_words = re.sub(
        r'<script type="application/json".*?</script>', "", html, flags=re.DOTALL
    )
    without_words = re.sub(r"/\*.*?\*/", "", without_words, flags=re.DOTALL)
    assert not re.search(r'\b(src|href)="(?!#)', without_words)
    assert not re.search(r"^\s*import\b|\bimport\(", without_words, re.MULTILINE)


def test_a_layer_and_a_head_make_a_small_page(client: TestClient, whole: dict[str, Any]) -> None:
    html = page(client, whole, layer=0, head=2)
    arrays = load(base64.b64decode(part(html, "numbers")))
    assert arrays["layers.0.weights"].shape[1] == 1
    assert json.loads(part(html, "page-data"))["only"] == {"layers": [0], "heads": [2]}


def test_the_page_speaks_the_readers_language(client: TestClient, whole: dict[str, Any]) -> None:
    assert '<html lang="zh-CN">' in page(client, whole, lang="zh")


def test_notes_stand_under_the_sentence(client: TestClient, whole: dict[str, Any]) -> None:
    model = {"source": "uploaded", "id": upload(client, matrices(), num_heads="1")["id"]}
    noted = ask(client, text="a b", model=model)
    (note,) = noted["notes"]
    said = f'<p class="model-notes" role="note">{escape(note["message"])}</p>'
    assert said in page(client, noted)
    assert 'class="model-notes"' not in page(client, whole).split("<body")[1].split("<script")[0]


def test_the_script_is_whole(client: TestClient, whole: dict[str, Any]) -> None:
    """Every module that the page has, and none that it would have to ask for."""
    text = re.findall(r'<script type="module">(.+?)</script>', page(client, whole), re.DOTALL)[0]
    made = re.findall(r'^\$m\["(.+?)"\]', text, re.MULTILINE)
    needed = scripts.closure(files_in(static_dir()), ENTRY)
    assert [f"js/{name}" for name in made] == needed[:-1]
    assert " import(" not in text
    assert "$import(" not in text
