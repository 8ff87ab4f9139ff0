"""Promises of the repository as a whole: nothing unsafe, no registry named, no text missing."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest

from attnscope import errors
from attnscope.learn.chapter_text import chapter_messages
from tests.house import nodes_of

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "static/locales"
PYTHON = sorted((ROOT / "app").rglob("*.py"))
# Without their endings, so that this file does not name them itself.
REGISTRIES = [
    f"{name}.{end}"
    for name, end in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("anaconda", "org"),
    ]
]
PLACEHOLDER = re.compile(r"\{(\w+)")
LOCKED = re.compile(r"[a-z0-9-]+==[\w.+!]+( ; [^;]+)?( \\)?|    --hash=sha256:[0-9a-f]{64}( \\)?")


def error_codes() -> dict[str, str]:
    """Class name → code, over the whole tree: attnscope/errors.py, and what the web adds to it."""
    importlib.import_module("attnscope.web.http.problems")
    classes: list[type[errors.AttnscopeError]] = [errors.AttnscopeError]
    for each in classes:
        classes.extend(each.__subclasses__())
    return {
        each.__name__: each.code for each in classes if each.__module__.startswith("attnscope.")
    }


@cache
def messages(language: str) -> Mapping[str, str]:
    """Every message of a language; a key that stands twice is an error."""
    merged = dict(chapter_messages()[language])
    for path in sorted((LOCALES / language).glob("*.json")):
        # A dict would keep only the last of two equal keys.
        pairs = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list)
        for key, sentence in pairs:
            assert key not in merged, f"{path.name} has {key} twice, or another file has it: rename"
            merged[key] = sentence
    return MappingProxyType(merged)


@cache
def raised() -> tuple[tuple[str, str, str], ...]:
    return tuple(_raised())


def _raised() -> Iterator[tuple[str, str, str]]:
    """Where, code and reason of every error that app/ makes with a reason written out."""
    codes = error_codes()
    for path in PYTHON:
        for node in nodes_of(path):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            called = called.id if isinstance(called, ast.Name) else called
            if isinstance(called, str) and called in codes:
                for reason in strings(node.args[0]):
                    yield f"{path.name}:{node.lineno}", codes[called], reason


def strings(node: ast.AST) -> set[str]:
    return strings_in(ast.walk(node))


def strings_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        part.value
        for part in nodes
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_tracked_file_names_a_package_registry() -> None:
    for path in tracked():
        text = path.read_bytes().decode(errors="replace")
        assert not any(host in text for host in REGISTRIES), path


def test_a_lock_holds_versions_and_hashes_and_nothing_else(subtests: pytest.Subtests) -> None:
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        with subtests.test(path.name):
            for line in path.read_text().splitlines():
                assert LOCKED.fullmatch(line), line


def test_the_lock_of_the_type_checker_holds_no_address() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert all("integrity" in row for name, row in packages.items() if name)
    assert not any("resolved" in row for row in packages.values())


def unpickles(node: ast.AST) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
        return bool(names & {"pickle", "marshal", "shelve", "dill", "joblib"})
    if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
        return not (isinstance(node.value, ast.Constant) and node.value.value is False)
    return False


def test_nothing_is_ever_unpickled() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{ast.unparse(node)}"
        for path in PYTHON
        for node in nodes_of(path)
        if unpickles(node)
    ]
    assert found == []


def test_a_line_that_unpickles_is_found(subtests: pytest.Subtests) -> None:
    for line in ("import pickle", "from joblib import load", "np.load(path, allow_pickle=True)"):
        with subtests.test(line):
            assert any(map(unpickles, ast.walk(ast.parse(line))))


def test_both_languages_have_the_same_messages_with_the_same_values() -> None:
    english, chinese = messages("en"), messages("zh")
    assert english.keys() == chinese.keys()
    between = "text.between"  # two sentences: a space, or in Chinese nothing
    assert (english[between], chinese[between]) == (" ", "")
    for key, sentence in english.items():
        if key == between:
            continue
        assert sentence.strip(), key
        assert chinese[key].strip(), key
        assert set(PLACEHOLDER.findall(sentence)) == set(PLACEHOLDER.findall(chinese[key])), key


def test_every_error_that_is_raised_has_a_sentence() -> None:
    words = messages("en")
    missing = [
        f"{where}: errors.{code}.{reason}"
        for where, code, reason in raised()
        if f"errors.{code}.{reason}" not in words
    ]
    assert not missing


def test_no_sentence_of_an_error_is_left_unused() -> None:
    written = set().union(*(strings_in(nodes_of(path)) for path in PYTHON))
    used = {f"errors.{code}.{reason}" for _, code, reason in raised()}
    unused = [
        key
        for key in messages("en")
        if key.startswith("errors.")
        and key not in used | written
        and key.split(".", 2)[2] not in written
    ]
    assert not unused


def test_there_is_a_changelog_with_a_word_on_what_is_new() -> None:
    assert "## " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
