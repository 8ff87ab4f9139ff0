"""The house rules that a program can check: the direction of imports, sizes, who may do what."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = [
    "errors", "settings", "resources", "attention", "tokens", "weights",
    "trace", "analysis", "tiles", "learn", "web", "main", "cli",
]  # fmt: skip
LAYERS = ["lib", "data", "views", "pages"]
PYTHON = sorted((ROOT / "app").rglob("*.py"))
SCRIPTS = sorted((ROOT / "static/js").rglob("*.js"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
OURS = [
    path
    for folder, pattern in [
        ("app", "*.py"), ("tests", "*.py"), ("benchmarks", "*.py"), ("benchmarks", "*.js"),
        ("static", "*.js"), ("static", "*.css"), ("templates", "*.html"),
    ]
    for path in sorted((ROOT / folder).rglob(pattern))
]  # fmt: skip

MATHEMATICS_NEEDS = {"numpy", "jaxtyping"}
MATHEMATICS_SHUNS = {"pathlib", "io", "socket", "http", "urllib", "subprocess", "random"}
MAY_ASK_THE_SYSTEM = {"sched_getaffinity", "cpu_count"}
JS_IMPORT = re.compile(r"""(?:^|[;\s])(?:import|export)\s[^'"();]*?from\s*['"]([^'"]+)['"]""")
JS_OTHER_IMPORT = re.compile(r"""(?:^|[;\s])import\s*\(?\s*['"]([^'"]+)['"]""")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    """Every module that a file of app/ names, in full; `from a import b` gives a and a.b."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
    return parts[1] if parts[0] == "app" and len(parts) > 1 else None


def script_imports(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return JS_IMPORT.findall(text) + JS_OTHER_IMPORT.findall(text)


@pytest.mark.parametrize("path", PYTHON, ids=name)
def test_a_room_imports_only_from_rooms_before_it(path: Path) -> None:
    here = room_of(module_of(path))
    if here is None:
        assert not any(room_of(module) for module in imports(path)), "app/__init__ imports nothing"
        return
    assert here in ROOMS, f"{here} is no room of the house: give it a place in ROOMS"
    known = {module_of(other) for other in PYTHON}
    for module in imports(path):
        if module in known and (there := room_of(module)):
            assert ROOMS.index(there) <= ROOMS.index(here), f"{name(path)} steps forward to {there}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = {module_of(path) for path in PYTHON}
    # A package's own name comes with every module below it and is no use of the package.
    uses = {
        module_of(path): {
            module
            for module in imports(path)
            if module in known and not module_of(path).startswith(f"{module}.")
        }
        for path in PYTHON
    }
    finished: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " → ".join([*way, module])
        if module not in finished:
            for other in uses[module] - {module}:
                visit(other, (*way, module))
            finished.add(module)

    for module in known:
        visit(module, ())


@pytest.mark.parametrize("path", PYTHON, ids=name)
def test_only_web_and_main_know_the_web_framework(path: Path) -> None:
    used = {module.split(".")[0] for module in imports(path)}
    if room_of(module_of(path)) not in {"web", "main"}:
        assert not used & {"fastapi", "starlette"}


@pytest.mark.parametrize("path", sorted((ROOT / "app/attention").rglob("*.py")), ids=name)
def test_the_mathematics_is_pure(path: Path) -> None:
    used = {module.split(".")[0] for module in imports(path)} - {"app"}
    foreign = used - MATHEMATICS_NEEDS - sys.stdlib_module_names
    assert not foreign, f"the mathematics needs numpy alone, not {foreign}"
    assert not used & MATHEMATICS_SHUNS
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert node.value.id != "os" or node.attr in MAY_ASK_THE_SYSTEM
        assert not (isinstance(node, ast.Name) and node.id == "open"), "no files here"


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_a_script_imports_only_from_layers_before_it(path: Path) -> None:
    top = ROOT / "static/js"
    if path.parent == top:
        assert not script_imports(path), "what runs before the first paint stands alone"
        return
    here = path.relative_to(top).parts[0]
    assert here in LAYERS, f"{here} is no layer of the browser code"
    for source in script_imports(path):
        assert source.startswith("."), f"{source} is not a file of ours"
        target = (path.parent / source).resolve()
        assert target.is_file(), f"{source} is not there"
        there = target.relative_to(top).parts[0]
        assert LAYERS.index(there) <= LAYERS.index(here), f"a step forward to {there}"


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_one_script_talks_to_the_server_and_none_draws_lots(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "Math.random" not in text
    assert not re.search(r"\beval\(|\bnew Function\b", text)
    if name(path) != "static/js/data/api.js":
        assert not re.search(r"\bfetch\(|\bXMLHttpRequest\b|\bsendBeacon\b|\bWebSocket\b", text)


@pytest.mark.parametrize("path", OURS, ids=name)
def test_no_file_is_above_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", [path for path in OURS if path.suffix == ".py"], ids=name)
def test_no_function_is_above_60_lines(path: Path) -> None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, functions):
            assert (node.end_lineno or 0) - node.lineno < 60, f"{node.name} is too long"


# standalone.html is a file that people keep: it has no server to fetch a script from.
@pytest.mark.parametrize("path", [p for p in TEMPLATES if p.stem != "standalone"], ids=name)
def test_a_template_has_no_inline_script_or_style(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for attributes in re.findall(r"<script\b([^>]*)>", text):
        assert "src=" in attributes or 'type="application/json"' in attributes
    assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=|javascript:", text)


@pytest.mark.parametrize(
    "path", [path for path in OURS if path.suffix in {".html", ".css"}], ids=name
)
def test_pages_load_nothing_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"""(?:src=|@import\s+|url\()["']?(?:https?:)?//""", text)
    assert not re.search(r"""<link\b[^>]*href=["'](?:https?:)?//""", text)
