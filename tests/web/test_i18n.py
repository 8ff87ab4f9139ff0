"""The catalogue of sentences, and which language a reader gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.web.i18n import Catalogue
from tests.web.client import told


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    texts = {
        "en": {"a": {"hello": "Hello {name}", "plain": "Plain"}, "b": {"late": "Late"}},
        "zh": {"a": {"hello": "你好 {name}"}},
    }
    for language, files in texts.items():
        (tmp_path / language).mkdir()
        for name, sentences in files.items():
            path = tmp_path / language / f"{name}.json"
            path.write_text(json.dumps(sentences), encoding="utf-8")
    return Catalogue(tmp_path)


def test_a_sentence_is_filled_with_its_values(catalogue: Catalogue) -> None:
    assert catalogue.say("en", "hello", {"name": "Ada"}) == "Hello Ada"
    assert catalogue.say("zh", "hello", {"name": "{name}"}) == "你好 {name}"


def test_every_file_of_a_language_is_read(catalogue: Catalogue) -> None:
    assert (catalogue.say("en", "plain"), catalogue.say("en", "late")) == ("Plain", "Late")


def test_what_a_language_does_not_say_is_said_in_english(catalogue: Catalogue) -> None:
    assert catalogue.say("zh", "plain") == "Plain"
    assert catalogue.say("fr", "hello", {"name": "Ada"}) == "Hello Ada"
    assert catalogue.say("zh", "nobody.wrote.this") == "nobody.wrote.this"


@pytest.mark.parametrize(
    ("accept_language", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("zh", "zh"),
        ("ZH-hans-CN", "zh"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en;q=0.8, zh;q=0.9", "zh"),
        ("zh;q=0.8, en;q=0.9", "en"),
        ("fr, de;q=0.9, zh;q=0.1", "zh"),
        ("fr", "en"),
        ("zh;q=0", "en"),
        ("zh;q=0, en;q=0", "en"),
        ("zh;q=nan", "en"),
        ("zh;q=high", "en"),
        ("zhx", "en"),
        ("*", "en"),
        (";;,,=q", "en"),
        ("zh" + ",fr" * 1000, "zh"),
    ],
)
def test_the_language_follows_accept_language(
    catalogue: Catalogue, client: TestClient, accept_language: str | None, language: str
) -> None:
    assert catalogue.choose(accept_language) == language
    headers = {} if accept_language is None else {"Accept-Language": accept_language}
    told(client.get("/nothing", headers=headers), 404, "not_found", language)


@pytest.mark.parametrize(
    ("query", "language"), [("zh", "zh"), ("en", "en"), ("fr", "zh"), ("", "zh"), ("../en", "zh")]
)
def test_the_language_of_the_address_goes_first_where_there_is_one(
    client: TestClient, query: str, language: str
) -> None:
    response = client.get("/nothing", params={"lang": query}, headers={"Accept-Language": "zh"})
    told(response, 404, "not_found", language)
