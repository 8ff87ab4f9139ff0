"""The shipped model of English has whole words of the sentences that the page shows."""

from __future__ import annotations

import json

from tokenizers import Tokenizer

from attnscope.resources import models_dir
from attnscope.web.pages.first_screen import PRONOUN
from tests.house import ROOT
from tests.test_repo import messages

ECHO = Tokenizer.from_file(str(models_dir() / "echo/tokenizer.json"))
EXAMPLES = json.loads((ROOT / "app/attnscope/trace/examples.json").read_text(encoding="utf-8"))


def pieces(text: str) -> list[str]:
    return [ECHO.decode([i]) for i in ECHO.encode(text).ids]


def test_a_word_of_the_examples_is_one_piece_or_little_more() -> None:
    asked = [each["question"].get("text") for each in EXAMPLES]
    english = {text for text in asked if isinstance(text, str) and text.isascii()}
    assert len(english) > 4
    texts = [*english, messages("en")["first.text"], messages("en")["first.other"]]
    assert sum(map(len, map(pieces, texts))) <= 1.25 * sum(len(text.split()) for text in texts)


def test_the_sentence_of_the_pronoun_is_cut_at_words() -> None:
    assert pieces(PRONOUN) == [
        "The", " animal", " didn", "'t", " cross", " the", " street", " because", " it", " was",
        " too", " tired", ".",
    ]  # fmt: skip
