"""Sources as the house test reads them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sorted((ROOT / "app/attnscope").rglob("*.py"))
SCRIPTS = sorted((ROOT / "static/js").rglob("*.js"))
FOLDERS = {path.parent.name for path in SCRIPTS}
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
OURS = [
    path
    for folder, pattern in [
        ("app", "*.py"), ("tests", "*.py"), ("benchmarks", "*.py"), ("benchmarks", "*.js"),
        ("static", "*.js"), ("static", "*.css"), ("templates", "*.html"),
    ]
    for path in sorted((ROOT / folder).rglob(pattern))
]  # fmt: skip
TOP = ROOT / "static/js"
T = TypeVar("T")
JS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
JS_IMPORT = re.compile(r"""(?:^|[;\s])(?:import|export)\s[^'"();]*?from\s*['"]([^'"]+)['"]""")
JS_OTHER_IMPORT = re.compile(r"""\bimport\s*\(?\s*['"]([^'"]+)['"]""")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(tree: ast.AST) -> Iterator[Function]:
    """Nested ones too; expressions, most of a tree, have none."""
    for each in ast.iter_child_nodes(tree):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each
        if not isinstance(each, ast.expr):
            yield from functions_of(each)


def faults(paths: Iterable[Path], rule: Callable[[Path], Iterable[object]]) -> dict[str, list[str]]:
    """{file: faults}."""
    found = {name(path): [str(fault) for fault in rule(path)] for path in paths}
    return {file: wrong for file, wrong in found.items() if wrong}


@cache
def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT / "app").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path) -> tuple[str, ...]:
    return tuple(named_modules(path))


def named_modules(path: Path) -> Iterator[str]:
    """In full; `from a import b` gives a and a.b."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            source = ".".join(
                [*(above if node.level else []), *([node.module] if node.module else [])]
            )
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "attnscope" and len(parts) > 1 else None


@cache
def script_imports(path: Path) -> list[str]:
    """Without types."""
    text = JS_COMMENT.sub("", text_of(path))
    return JS_IMPORT.findall(text) + JS_OTHER_IMPORT.findall(text)


@cache
def scripts_of(path: Path) -> set[Path]:
    return {(path.parent / source).resolve() for source in script_imports(path)}


def circle(uses: dict[T, set[T]]) -> list[T]:
    """The first cycle found."""
    finished: set[T] = set()

    def visit(one: T, way: tuple[T, ...]) -> list[T]:
        if one in way:
            return [*way, one]
        if one in finished:
            return []
        for other in uses[one]:
            if found := visit(other, (*way, one)):
                return found
        finished.add(one)
        return []

    return next((found for one in uses if (found := visit(one, ()))), [])
