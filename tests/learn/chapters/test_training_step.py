"""One training step: what the chapter says of the pronoun's row is so, in both languages."""

from __future__ import annotations

import pytest

from attnscope.learn import BY_NAME
from attnscope.learn.exercises import stage
from attnscope.web.pages.learn import figures

SAID = [("en", "it", "road", "duke"), ("en", "she", "queen", "duke"), ("zh", "它", "山", "叔叔"),
        ("zh", "她", "姑姑", "山")]  # fmt: skip


@pytest.mark.parametrize(("language", "pronoun", "noun", "other"), SAID)
def test_a_pronoun_looks_at_the_noun_of_its_kind(
    language: str, pronoun: str, noun: str, other: str
) -> None:
    question = figures(BY_NAME["training_step"], language)["noun"]["question"]
    words = [*question["text"].split()[:-1], pronoun]
    row = stage({**question, "text": " ".join(words)}, "weights")[0, -1]
    assert row[words.index(noun)] == row.max() > 0.7
    assert row[words.index(other)] < 0.05
