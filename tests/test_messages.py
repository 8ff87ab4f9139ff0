"""Every text of the page is a message: none is written out, none is missing, none is left over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from attnscope.learn.chapter_text import chapter_messages
from tests.test_repo import messages

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((ROOT / "static/js").rglob("*.js"))
TEMPLATES = sorted((ROOT / "templates").glob("*.html"))
# Names, and what is the same in every language.
SAME_EVERYWHERE = {"attnscope", "·", "EN", "中文", "?"}
BLOCK_OF_A_CLASS = re.compile(r"\{% block page %\}.*?\{% endblock %\}")
SPOKEN = {"title", "alt", "placeholder", "aria-label", "aria-description", "aria-roledescription"}
WORD = re.compile(r"[^\W\d_]{2,}")
# Keys that are put together where they are used. The server has those of errors and examples.
FAMILIES = {
    "templates": {
        "api.tag.", "course.part.", "errata.", "errata.document.", "errata.verdict.",
        "examples.", "learn.", "live.course.", "live.language.",
        "models.fact.", "models.origin.", "models.predicts.", "models.try.", "nav.", "stage.",
    },
    "app": {
        "course.", "errors.", "examples.", "exercise.", "line.error.", "line.slip.", "masked.",
        "models.offer.", "models.recognised.", "models.shipped.", "note.", "practice.near.",
        "term.",
    },
    "static/js": {
        "axes.", "axis.", "change.", "choice.", "compare.", "costs.", "field.", "fold.", "guide.",
        "heads.", "hint.", "keys.", "layout.", "lines.", "live.", "long.", "map.", "menu.",
        "metric.", "models.part.", "models.sent.", "models.sum.", "models.took.", "models.wrong.",
        "picked.", "present.stage.", "range.", "sentence.", "share.", "source.", "stage.", "tab.",
        "tell.", "parameters.", "decode.", "why.", "worth.",
    },
}  # fmt: skip
KEY = re.compile(r"""["'`]([a-z_]+(?:\.[\w-]+)+)["'`]""")
ASKED = re.compile(r"""\bt\(\s*["'`]([^"'`$]+)["'`]\s*[,)]""")
MADE = re.compile(r"""\bt\(\s*`([a-z_.]+\.)[^`]*\$\{""")
MADE_IN_A_TEMPLATE = re.compile(r"""\bt\('([a-z_.]+\.)'\s*~""")
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
STRING = r"""(?:"(?P<a>[^"\n]*)"|'(?P<b>[^'\n]*)'|`(?P<c>[^`$]*)`)"""
# Where a string of a script becomes text that a person reads or hears.
TOLD = [
    re.compile(rf"\.(?:textContent|innerText|title|placeholder|ariaLabel)\s*=\s*{STRING}"),
    re.compile(rf"""["']?(?:aria-label|title|placeholder|alt)["']?\s*[:,]\s*{STRING}"""),
    re.compile(rf"""\bh\(\s*"[\w-]+",\s*\{{[^{{}}]*\}},\s*{STRING}"""),
    re.compile(rf"\b(?:new Text|document\.createTextNode)\(\s*{STRING}"),
    re.compile(rf"\bfill\(\s*\w+,\s*{STRING}"),
]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def code(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


class Reader(HTMLParser):
    """Gathers what a template says by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in {"script", "style"}
        self.said += [value or "" for attribute, value in attrs if attribute in SPOKEN]

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in {"script", "style"}

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.said.append(data)


def written_out(path: Path) -> Iterator[str]:
    """Words that a template or a script tells without a message."""
    if path.suffix == ".html":
        reader = Reader()
        text = BLOCK_OF_A_CLASS.sub("", path.read_text(encoding="utf-8"))
        reader.feed(re.sub(r"\{[{%#].*?[}%#]\}", "", text))
        found = [text.strip() for text in reader.said]
    else:
        text = code(path)
        groups = [match.groupdict() for sources in TOLD for match in sources.finditer(text)]
        found = [next((part for part in group.values() if part), "") for group in groups]
    known = messages("en").keys()
    for text in found:
        same = set(text.split()) <= SAME_EVERYWHERE or text.startswith("{")  # JSON to be typed
        if WORD.search(text) and not same and text not in known:
            yield text


def text_of(*folders: str) -> str:
    """Everything written in some folders."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return "\n".join(p.read_text(encoding="utf-8") for p in paths if p.suffix in {".py", ".html"})


def test_no_text_is_written_out() -> None:
    found = [(name(path), text) for path in (*TEMPLATES, *SCRIPTS) for text in written_out(path)]
    assert found == []


def test_a_text_that_is_written_out_is_found(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases = [
        'button.textContent = "Send it";',
        'h("p", { class: "muted" }, "nothing here")',
        'h("canvas", { "aria-label": "a picture" })',
        'element.setAttribute("aria-label", "a picture")',
        "<p>Hello there</p>",
        '<button title="Help">?</button>',
    ]
    for text in cases:
        with subtests.test(text):
            path = tmp_path / ("a.html" if text.startswith("<") else "a.js")
            path.write_text(text, encoding="utf-8")
            assert len(list(written_out(path))) == 1


def test_no_message_is_missing() -> None:
    asked = set().union(*(ASKED.findall(code(path)) for path in SCRIPTS))
    asked |= set(re.findall(r"\bt\('([^']+)'\s*[,)]", text_of("templates")))
    assert len(asked) > 150
    assert asked - messages("en").keys() == set()


def test_keys_that_are_put_together_belong_to_a_declared_family() -> None:
    made = set().union(*(MADE.findall(code(path)) for path in SCRIPTS))
    assert {key for key in made if not key.startswith(tuple(FAMILIES["static/js"]))} == set()
    assert set(MADE_IN_A_TEMPLATE.findall(text_of("templates"))) == FAMILIES["templates"]
    for family in set().union(*FAMILIES.values()):
        assert any(key.startswith(family) for key in messages("en")), family


def test_no_message_is_left_over() -> None:
    scripts = "\n".join(code(path) for path in SCRIPTS)
    used = set(KEY.findall(scripts + text_of("templates", "app")))
    words = set(re.findall(r"[\w·-]+", scripts + text_of("templates", "app")))
    families = tuple(set().union(*FAMILIES.values()))
    over = [
        key
        for key in messages("en").keys() - chapter_messages()["en"].keys()
        if key not in used
        and not (
            key.startswith(families) and set(re.split(r"\.|cut_|_of$", key)[1:]) <= words | {""}
        )
    ]
    assert [key for key in over if not key.startswith(("errors.", "examples."))] == []
