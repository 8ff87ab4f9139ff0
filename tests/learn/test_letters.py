"""One letter, one meaning: formulas use the letters that docs/mathematics.md lists."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from attnscope.learn import CHAPTERS
from attnscope.learn.parts import Formula
from attnscope.trace.stages import BY_NAME, OPERANDS, STAGES

TABLE = Path(__file__).resolve().parents[2] / "docs/mathematics.md"
ACCENTS = {"tilde": "\u0303", "hat": "\u0302"}
WORDS = re.compile(r"\\(?:operatorname|mathrm|text|mathbf|begin|end)\{[^{}]*\}|_\{\w{2,}\}")
LETTER = re.compile(r"\\(tilde|hat)\{([A-Z])\}|(?<![A-Za-z\\])([A-Z])(?![a-z])")
# What is no array: tokens of a pattern.
EXEMPT = {"habits": {"A", "B"}}


def rows() -> list[tuple[list[str], list[str]]]:
    """Letters and stages of each row of the table."""
    section = TABLE.read_text(encoding="utf-8").partition("## Letters")[2].partition("\n## ")[0]
    cells = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| ")][2:]
    return [(re.findall(r"[^,\s]+", one), re.findall(r"`(\w+)`", other)) for one, other in cells]


LETTERS = {unicodedata.normalize("NFD", each) for letters, _ in rows() for each in letters}
OF_STAGE = {
    name: letter
    for letters, names in rows()
    if names
    for name, letter in zip(names, letters, strict=True)
}


def letters(latex: str) -> set[str]:
    """The capital letters of a formula, with their accents."""
    found = LETTER.findall(WORDS.sub(" ", latex))
    return {(accented or plain) + ACCENTS.get(accent, "") for accent, accented, plain in found}


def test_the_table_gives_no_letter_two_rows() -> None:
    every = [each for letters, _ in rows() for each in letters]
    assert len(every) == len(set(every)) > 15


def test_a_card_uses_letters_of_the_table(subtests: pytest.Subtests) -> None:
    for stage in [*STAGES, *OPERANDS]:
        with subtests.test(stage.name):
            for latex in (stage.latex, *(variant.latex for variant in stage.variants)):
                assert letters(latex) <= LETTERS, latex


def test_a_stage_has_its_own_letter(subtests: pytest.Subtests) -> None:
    for name in OF_STAGE:
        with subtests.test(name):
            left = BY_NAME[name].latex.partition("=")[0].partition(r"\in")[0]
            letter = unicodedata.normalize("NFD", OF_STAGE[name])
            assert letters(left) == {letter.replace("′", "")}


def test_a_chapter_uses_letters_of_the_table(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            for part in chapter.parts:
                if isinstance(part, Formula):
                    unknown = letters(part.latex) - LETTERS - EXEMPT.get(chapter.name, set())
                    assert not unknown, part.latex


def test_letters_are_read_with_their_accents() -> None:
    parsed = letters(r"\hat{S}_{ij} = \operatorname{LN}(X) \, W_{in} \tilde{S} + \frac{c S}{T}")
    assert parsed == {"S\u0302", "S\u0303", "S", "X", "W", "T"}
