"""Chinese has one word for one thing: the table of docs/glossary.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.test_repo import messages

ROOT = Path(__file__).resolve().parent.parent
VALUE = re.compile(r"\{\w+\}|\d+")  # a number, or what is put in for one


@dataclass(frozen=True)
class Row:
    """A row of the table; `exempt` are the keys of messages that may use what is not used."""

    english: str
    used: list[str]
    unused: list[str]
    exempt: set[str]


def listed(cell: str) -> list[str]:
    return [word for word in cell.strip().split("、") if word]


def read() -> list[Row]:
    lines = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    cells = [line.strip("|").split("|") for line in lines if line.startswith("| ")][2:]
    return [
        Row(english.strip(), listed(used), listed(unused), set(re.findall(r"`([^`]+)`", exempt)))
        for english, used, unused, exempt in cells
    ]


ROWS = read()


@cache
def without_values(text: str) -> str:
    return VALUE.sub("…", text)


def stands(word: str, text: str) -> bool:
    """Whether a word is in a text: a Latin one where no longer name holds it."""
    plain = without_values(text)
    if not word.isascii():
        return word in plain
    return bool(re.search(rf"(?<![A-Za-z_<-]){re.escape(word)}(?![A-Za-z_>-])", plain))


@cache
def using(word: str) -> set[str]:
    """The keys of the Chinese messages that use a word."""
    return {key for key, text in messages("zh").items() if stands(word, text)}


def test_the_table_is_read() -> None:
    assert len(ROWS) > 30
    used = {word for row in ROWS for word in row.used}
    assert not used & {word for row in ROWS for word in row.unused}


def test_the_words_of_the_table_are_in_use() -> None:
    assert [row.english for row in ROWS if not row.used] == []
    assert [word for row in ROWS for word in row.used if not using(word)] == []


def test_no_other_word_is_used_for_it() -> None:
    found = [(row, word, using(word) - row.exempt) for row in ROWS for word in row.unused]
    wrong = [
        f"{', '.join(sorted(keys))}: write {' or '.join(row.used)} for {word}"
        for row, word, keys in found
        if keys
    ]
    assert not wrong, f"{wrong}, or exempt the key in docs/glossary.md"


def test_an_exemption_is_one() -> None:
    unneeded = {row.english: row.exempt.difference(*map(using, row.unused)) for row in ROWS}
    assert {word: keys for word, keys in unneeded.items() if keys} == {}


def test_a_word_is_found_where_it_stands(subtests: pytest.Subtests) -> None:
    cases = [
        ("头 …", "再看头 0 的第三行", True),
        ("头 …", "再看第 0 头的第三行", False),
        ("第 … 个头", "第 {head} 个头由第几个键值头服务？", True),
        ("第 … 个头", "第 {layer} 层的 {count} 个头", False),
        ("key", "每个 key 都一样：“{query}”的整行", True),
        ("key", "请以 “Authorization: Bearer <key>” 发送", False),
        ("key", "“{key}”有吗？", False),
        ("token", "请发送 text、tokens 或 x", False),
        ("pre-norm", "前归一化（pre-norm）", True),
    ]
    for word, text, there in cases:
        with subtests.test(word, text=text):
            assert stands(word, text) is there
