"""Read chapters/<name>.<language>.md. docs/house.md describes its syntax."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from attnscope.learn.parts import Formula, Hook, Lines, Prose, Table, Worked

FOLDER = Path(__file__).parent / "chapters"
HOOK = re.compile(r"\[\[(figure|course|worked|table|lines):([\w-]+)\]\](?:\s(.+))?$", re.DOTALL)
NAMED = re.compile(r"\{#(\w+)\} ")
ONWARD = re.compile(r" \[\[chapter:(\w+)\]\]$")
FIELD = re.compile(r"(\w+):(?: (.+))?$")
ITEM = re.compile(r"- ([\w.]+)(?:: (.+))?$")
CHOICE = re.compile(r"- \[([ x])\] (.+)(?:\n +> (.+))?$", re.MULTILINE)
APART = "***"
Written = Prose | Formula | Table | Lines | Worked | Hook


@dataclass(frozen=True)
class ChapterText:
    """`reasons`: question → index of its true choice. `own_words`: questions to answer in a
    sentence. `terms`: terms explained here; another chapter may have the definition."""

    messages: dict[str, str] = field(default_factory=dict)
    parts: list[Written] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    own_words: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)


@cache
def chapter_text(name: str, language: str = "en", *, folder: Path = FOLDER) -> ChapterText:
    """Raises ValueError, which names the file."""
    path = folder / f"{name}.{language}.md"
    try:
        return _Reader(name, " " if language == "en" else "").read(path.read_text("utf-8"))
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path.name}: {error}") from error


@cache
def chapter_messages() -> Mapping[str, Mapping[str, str]]:
    """Messages of all chapters, by language."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(FOLDER.glob("*.md")):
        name, language, _ = path.name.split(".")
        found.setdefault(language, {}).update(chapter_text(name, language).messages)
    return found


class _Reader:
    """`space` joins the lines of a paragraph."""

    def __init__(self, name: str, space: str) -> None:
        self.name, self.space = name, space
        self.text = ChapterText()
        self.messages = self.text.messages

    def read(self, markdown: str) -> ChapterText:
        _, front, rest = re.split(r"^---\n", markdown, maxsplit=2, flags=re.MULTILINE)
        page, *exercises = re.split(r"^## ", rest, flags=re.MULTILINE)
        title = self.front(front)
        apart = False
        for block in _blocks(page):
            if block != APART:
                self.text.parts.append(self.part(block, apart=apart))
            apart = block == APART
        for exercise in exercises:
            self.exercise(*_blocks(exercise))
        # Added last, so that a search quotes other texts of the chapter first.
        self.messages[f"learn.{self.name}.title"] = title
        return self.text

    def front(self, front: str) -> str:
        fields: dict[str, str] = {}
        lists: dict[str, list[str]] = {}
        key = ""
        for line in front.splitlines():
            if line.startswith("- "):
                lists[key].append(line)
            else:
                key, words = _matched(FIELD, line)
                fields[key], lists[key] = words, []
        for key, prefix in (("goals", "course.goal"), ("summary", "course.short")):
            for place, line in enumerate(lists[key]):
                self.messages[f"{prefix}.{self.name}.{place}"] = line[2:]
        self.text.terms.extend(self.items("term", lists["terms"]))
        self.messages[f"learn.{self.name}.about"] = fields["about"]
        return fields["title"]

    def part(self, block: str, *, apart: bool) -> Written:
        if block.startswith("$$"):
            return Formula(" ".join(block.strip("$").split()))
        if not block.startswith("[[") or block.startswith("[[cell:"):
            return self.prose(self.joined(block), apart=apart)
        kind, name, rest = _matched(HOOK, block)
        key = f"learn.{self.name}.{name}"
        if kind == "worked":
            return Worked(name)
        if kind == "lines":
            return Lines(name, tuple(self.items(key, rest.splitlines())))
        if kind == "table":
            return self.table(name, key, rest.splitlines())
        if rest:
            self.messages[f"learn.{self.name}.{kind}.{name}"] = self.joined(rest)
        return Hook(kind, name)

    def prose(self, text: str, *, apart: bool) -> Prose:
        key, leads_to = str(len(self.text.parts)), ""
        if named := NAMED.match(text):
            key, text = named[1], text[named.end() :]
        if onward := ONWARD.search(text):
            leads_to, text = onward[1], text[: onward.start()]
        self.messages[f"learn.{self.name}.{key}"] = text
        return Prose(key, leads_to=leads_to, apart=apart)

    def table(self, name: str, key: str, lines: list[str]) -> Table:
        """The second line separates the header from the rows."""
        rows = [line.strip("| ").split(" | ") for line in (lines[0], *lines[2:])]
        for at, row in enumerate(rows):
            self.messages |= {f"{key}.{at}.{column}": cell for column, cell in enumerate(row)}
        return Table(name, len(rows), len(rows[0]))

    def exercise(self, heading: str, *blocks: str) -> None:
        kind, _, name = heading.partition(" ")
        key = f"exercise.{kind}.{self.name}.{name}" if name else f"exercise.{kind}"
        for block in blocks:
            if block.startswith("- ["):
                self.text.reasons[name] = self.choices(key, CHOICE.findall(block))
            elif block.startswith("- "):
                self.items(key, block.splitlines())
            else:
                self.messages[key] = self.joined(block)
        if kind == "own":
            self.text.own_words.append(name)

    def choices(self, key: str, choices: list[tuple[str, str, str]]) -> int:
        for place, (_, words, reply) in enumerate(choices):
            self.messages[f"{key}.{place}"] = words
            if reply:
                self.messages[f"{key}.reply.{place}"] = reply
        return [mark for mark, *_ in choices].index("x")

    def items(self, key: str, lines: list[str]) -> list[str]:
        items = [_matched(ITEM, line) for line in lines]
        for name, words in items:
            slip = name.startswith("slip.")
            if words:
                self.messages[f"practice.near.{name[5:]}" if slip else f"{key}.{name}"] = words
        return [name for name, _ in items]

    def joined(self, block: str) -> str:
        return self.space.join(block.splitlines())


def _blocks(text: str) -> list[str]:
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


def _matched(mark: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = mark.match(text)
    if not found:
        raise ValueError(f"not understood: {text[:60]}")
    return found.groups(default="")
