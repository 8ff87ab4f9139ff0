"""Comments and docstrings use the terms of the field, not idioms that readers have to decode."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house import ROOT, SCRIPTS, faults, nodes_of, text_of

ROOMS = ["analysis", "attention", "captures", "client", "families", "installed", "learn",
         "tokens", "toy_training", "weights"]  # fmt: skip
FOLDERS = [*(f"app/attnscope/{room}" for room in ROOMS), "training"]
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
IDIOMS = re.compile(
    r"\b(nobody|somebody|whoever|told|tells?|the same of|looks? at|looked at|made again|its kin|"
    r"lies there|stands there|by our names|without a word|for ever|at hand|as it lies)\b",
    re.IGNORECASE,
)
NAMES = {"told", "brought", "_told", "thrice"}
TITLE = re.compile(r"^test_(?:\w+_)?(?:told|tells)_(?!apart)|_told$")
NAMED = [path for top in ("app", "benchmarks", "tests", "training")
         for path in sorted((ROOT / top).rglob("*.py"))]  # fmt: skip
COMMENT = re.compile(r"(?:^|\s)# (.*)$", re.MULTILINE)
JS_BLOCK = re.compile(r"/\*.*?\*/", re.DOTALL)
JS_LINE = re.compile(r"(?:^|\s)// (.*)$", re.MULTILINE)
# What is code in a comment: types, the names of parameters and types, and what is in backticks.
JS_CODE = re.compile(r"@\w+ \{.*?\}(?=\s)(?: \[?[\w.]+)?|@template \w+|`[^`]*`")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def prose(path: Path) -> Iterator[str]:
    yield from COMMENT.findall(text_of(path))
    for node in nodes_of(path):
        if isinstance(node, DOCUMENTED):
            yield ast.get_docstring(node) or ""


def script_prose(path: Path) -> Iterator[str]:
    for found in (JS_BLOCK, JS_LINE):
        yield from (JS_CODE.sub("", comment) for comment in found.findall(text_of(path)))


def names(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        for field in ("id", "arg", "attr", "name"):
            yield str(getattr(node, field, ""))


def test_comments_and_docstrings_have_no_idioms() -> None:
    def idioms(path: Path) -> set[str]:
        return {found.lower() for text in prose(path) for found in IDIOMS.findall(text)}

    assert len(FILES) > 200
    assert faults(FILES, idioms) == {}


def test_comments_of_scripts_have_no_idioms() -> None:
    def idioms(path: Path) -> set[str]:
        return {found.lower() for text in script_prose(path) for found in IDIOMS.findall(text)}

    assert len(SCRIPTS) > 300
    assert faults(SCRIPTS, idioms) == {}


def test_names_are_terms() -> None:
    def riddles(path: Path) -> set[str]:
        return {name for name in names(path) if name in NAMES or TITLE.search(name)}

    assert len(NAMED) > 900
    assert faults(NAMED, riddles) == {}
