"""The catalogue of sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attnscope.web.texts import Catalogue


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    texts = {
        "en": {
            "a": {"hello": "Hello {name}", "plain": "Plain", "only": "{n} {n|row|rows}"},
            "b": {"late": "Late", "count": "{n|There is|There are} {n} {n|head|heads}"},
        },
        "zh": {"a": {"hello": "你好 {name}", "count": "{n} {n|a|b}"}},
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
    ("n", "said"),
    [
        (1, "There is 1 head"),
        ("1", "There is 1 head"),
        (0, "There are 0 heads"),
        (2, "There are 2 heads"),
        ("1,001", "There are 1,001 heads"),
        ("{n|a|b}", "There are {n|a|b} heads"),
    ],
)
def test_a_number_chooses_the_form_of_its_noun(
    catalogue: Catalogue, n: int | str, said: str
) -> None:
    assert catalogue.say("en", "count", {"n": n}) == said


def test_the_form_is_that_of_the_language_of_the_sentence(catalogue: Catalogue) -> None:
    assert catalogue.say("zh", "count", {"n": 1}) == "1 b"
    assert catalogue.say("zh", "only", {"n": 1}) == "1 row"
