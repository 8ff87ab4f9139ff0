"""The house rules that a program can check: the direction of imports, sizes, who may do what."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from attnscope.web.pages.sheets import SHEETS
from tests.house import (
    FOLDERS,
    OURS,
    PYTHON,
    ROOT,
    SCRIPTS,
    TEMPLATES,
    TOP,
    circle,
    faults,
    functions_of,
    imports,
    module_of,
    name,
    nodes_of,
    room_of,
    script_imports,
    scripts_of,
    text_of,
    tree_of,
)

ROOMS = [
    "errors", "settings", "resources", "cancellation", "attention", "compute", "tokens", "storage",
    "weights", "families", "installed", "toy_training", "captures", "torch_capture", "trace",
    "analysis", "tiles", "learn", "figures", "web", "main", "client", "notebook", "serving",
    "commands", "cli", "__main__",
]  # fmt: skip
# Below health and the OpenAPI document.
WEB_ROOMS = ["texts", "http", "serializers", "pages", "api_v1"]
LAYERS = ["lib", "core", "matrix", "difference", "a feature", "shell", "pages"]
# A feature is a folder that goes away by being deleted: these know each other, and no others.
KNOW_EACH_OTHER = {
    ("captures", "models"),
    ("change", "heads"),
    ("compare", "question"),
    ("editing", "question"),
    ("gradients", "stages"),
    ("learn", "question"),
    ("models", "parameters"),
    ("models", "question"),
    ("learn", "stages"),
    ("question", "stages"),
    ("share", "compare"),
}
MATHEMATICS_NEEDS = {"numpy", "jaxtyping"}
MATHEMATICS_SHUNS = {"pathlib", "io", "socket", "http", "urllib", "subprocess", "random"}
MAY_ASK_THE_SYSTEM = {"sched_getaffinity", "cpu_count"}
# A script that makes no elements holds logic: that is tried in node, without a browser.
ELEMENTS = re.compile(
    r"lib/dom\.js|\{[^}]*\bs\b[^}]*\} from [^;]*lib/svg\.js|\bdocument\b|\bHTMLElement\b"
)
COMMON = re.compile(r"(\*|:not|a|b|button|div|i|li|p|span|svg|td|ul)(?![\w-]*[.#[\w])")
JS_FORBIDDEN = re.compile(r"Math\.random|\beval\(|\bnew Function\b")
JS_TALKS = re.compile(r"\bfetch\(|\bXMLHttpRequest\b|\bsendBeacon\b|\bWebSocket\b")


def layer_of(folder: str) -> int:
    return LAYERS.index(folder if folder in LAYERS else "a feature")


def test_a_room_imports_only_from_rooms_before_it() -> None:
    known = {module_of(other) for other in PYTHON}

    def forward(path: Path) -> Iterator[str]:
        here = room_of(module_of(path))
        rooms = {room_of(module) for module in imports(path) if here is None or module in known}
        rooms.discard(None)
        if here is None:
            others = rooms - {
                "client",
                "notebook",
                "torch_capture",
            }  # for type checkers: tests/client/test_light.py
            yield from (f"attnscope/__init__ imports nothing, not {room}" for room in others)
        elif here not in ROOMS:
            yield f"{here} is no room of the house: give it a place in ROOMS"
        else:
            for there in rooms:
                if ROOMS.index(there) > ROOMS.index(here):
                    yield f"steps forward to {there}"

    assert faults(PYTHON, forward) == {}


def test_a_room_of_web_imports_only_from_those_before_it() -> None:
    def forward(path: Path) -> Iterator[str]:
        parts = module_of(path).split(".")
        if parts[:2] != ["attnscope", "web"] or len(parts) < 3 or parts[2] not in WEB_ROOMS:
            return
        before = WEB_ROOMS[: WEB_ROOMS.index(parts[2]) + 1]
        for module in imports(path):
            there = module.split(".")[:3]
            if there[:2] != ["attnscope", "web"] or len(there) < 3:
                continue
            if there[2] not in before:
                yield f"forward to {module}"

    assert faults(PYTHON, forward) == {}


def test_the_storage_knows_no_room_but_the_errors() -> None:
    def others(path: Path) -> set[str | None]:
        return {room_of(module) for module in imports(path)} - {None, "storage", "errors"}

    storage = sorted((ROOT / "app/attnscope/storage").rglob("*.py"))
    assert storage
    assert faults(storage, others) == {}


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
    for module, others in uses.items():
        others.discard(module)
    assert circle(uses) == []


def test_only_web_and_main_know_the_web_framework() -> None:
    def framework(path: Path) -> set[str]:
        used = {module.split(".")[0] for module in imports(path)}
        return used & {"fastapi", "starlette"}

    others = [path for path in PYTHON if room_of(module_of(path)) not in {"web", "main"}]
    assert faults(others, framework) == {}


def test_the_mathematics_is_pure() -> None:
    def impure(path: Path) -> Iterator[str]:
        used = {module.split(".")[0] for module in imports(path)} - {"attnscope"}
        yield from used - MATHEMATICS_NEEDS - sys.stdlib_module_names  # it needs numpy alone
        yield from used & MATHEMATICS_SHUNS
        for node in nodes_of(path):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id == "os" and node.attr not in MAY_ASK_THE_SYSTEM:
                    yield f"os.{node.attr}"
            elif isinstance(node, ast.Name) and node.id == "open":
                yield "no files here"

    mathematics = sorted((ROOT / "app/attnscope/attention").rglob("*.py"))
    assert mathematics
    assert faults(mathematics, impure) == {}


def test_a_script_imports_only_from_layers_before_it() -> None:
    def forward(path: Path) -> Iterator[str]:
        if path.parent == TOP:
            if script_imports(path):
                yield "what runs before the first paint stands alone"
            return
        here = path.relative_to(TOP).parts[0]
        yield from (f"{each} is not ours" for each in script_imports(path) if each[:1] != ".")
        for target in scripts_of(path):
            there = target.relative_to(TOP).parts[0]
            if not target.is_file():
                yield f"{target} is not there"
            if layer_of(there) > layer_of(here):
                yield f"a step forward to {there}"
            elif layer_of(there) == layer_of(here) and (here, there) not in KNOW_EACH_OTHER:
                yield from [f"{here} does not know {there}"] if here != there else []

    assert faults(SCRIPTS, forward) == {}


def test_the_lib_uses_no_type_of_the_page() -> None:
    declarations = "".join(text_of(ROOT / "types" / name) for name in ("page.d.ts", "replies.d.ts"))
    shared = re.findall(r"^(?:type|interface|declare namespace) (\w+)", declarations, re.MULTILINE)
    assert {"State", "Axis", "Reply", "Replies"} <= set(shared)

    def used(path: Path) -> set[str]:
        text = text_of(path)
        own = re.findall(r"@typedef [^@]*\} (\w+)|class (\w+)", text)
        own += re.findall(
            r"@template (?:\{.*?\} )?(\w+)(?:, (\w+))?|@import \{(\w+)(?:, (\w+))?", text
        )
        types = re.findall(r"@\w+ (\{.*?\})[ \n]", text, re.DOTALL)
        words = set(re.findall(r"(?<![\w.\"])\w+", " ".join(types)))
        return words.intersection(shared).difference(*own)

    assert faults([path for path in SCRIPTS if "lib" in path.parts], used) == {}


def test_features_know_no_more_than_they_use() -> None:
    used = {
        (path.relative_to(TOP).parts[0], other.relative_to(TOP).parts[0])
        for path in SCRIPTS
        if path.parent != TOP
        for other in scripts_of(path)
    }
    assert used >= KNOW_EACH_OTHER


def test_no_scripts_import_each_other_in_a_circle() -> None:
    way = circle({path: scripts_of(path) for path in SCRIPTS})
    assert [name(path) for path in way] == []


def above_60_lines(paths: Iterable[Path]) -> list[Path]:
    """Files that have room for a function of more than 60 lines: others need not be parsed."""
    return [path for path in paths if len(text_of(path).splitlines()) > 60]


def test_no_function_of_a_script_is_above_60_lines() -> None:
    names = [name(path) for path in above_60_lines(SCRIPTS)]
    measure = ["node", "tests/js_functions.mjs", *names]
    printed = subprocess.run(measure, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    functions = json.loads(printed)
    assert {file for file, _, _ in functions} > {"static/js/lib/paint.js"}
    long = {file for file, _, lines in functions if lines > 60}
    assert not long


def test_scripts_of_logic_are_tried_in_node() -> None:
    js, tests = ROOT / "static/js", ROOT / "tests/js"
    scripts = {path.relative_to(js).with_suffix("").as_posix(): path for path in SCRIPTS}
    tried = {
        path.relative_to(tests).as_posix().removesuffix(".test.js")
        for path in tests.rglob("*.test.js")
    }
    assert tried <= scripts.keys(), "a test mirrors the script it is of"
    logic = {
        each
        for each, path in scripts.items()
        if each.startswith(("lib/", "core/"))
        or not (each.startswith("pages/") or ELEMENTS.search(text_of(path)))
    }
    assert logic <= tried, "a script of logic has a test in tests/js"


# All questions go through the first; the second sends files, and tells how much of them is gone.
TALK = ("static/js/core/api.js", "static/js/core/send-form.js")


def test_two_scripts_talk_to_the_server_and_none_draws_lots() -> None:
    def forbidden(path: Path) -> Iterator[str]:
        yield from JS_FORBIDDEN.findall(text_of(path))
        if name(path) not in TALK:
            yield from JS_TALKS.findall(text_of(path))

    assert faults(SCRIPTS, forbidden) == {}


def test_no_file_is_above_400_lines() -> None:
    lines = {name(path): len(text_of(path).splitlines()) for path in OURS}
    assert {file: count for file, count in lines.items() if count > 400} == {}


def test_no_function_is_above_60_lines() -> None:
    def long(path: Path) -> Iterator[str]:
        for node in functions_of(tree_of(path)):
            if (node.end_lineno or 0) - node.lineno >= 60:
                yield node.name

    assert faults(above_60_lines(path for path in OURS if path.suffix == ".py"), long) == {}


def test_a_style_sheet_takes_the_name_of_a_folder_or_of_a_page() -> None:
    pages = {path.stem for path in TEMPLATES}
    sheets = {path.stem for path in (ROOT / "static/css").glob("*.css")}
    named = {each for sheets_of_page in SHEETS.values() for each in sheets_of_page}
    assert SHEETS.keys() == pages - {"base", "workbench"}
    assert named | {"print"} == sheets
    for each in sheets - {"base", "controls", "panels", "print"} - pages:
        assert each.partition("-")[0] in FOLDERS, f"{each}.css dresses no feature"


def test_sentences_lie_in_files_named_after_a_folder_or_a_page() -> None:
    pages = {path.stem for path in TEMPLATES}
    for path in (ROOT / "static/locales").rglob("*.json"):
        feature = path.stem.partition("-")[0]
        assert feature in FOLDERS | pages | {"errors", "examples"} or path.stem in pages


def test_a_template_has_no_inline_script_or_style() -> None:
    def inline(path: Path) -> Iterator[str]:
        for attributes in re.findall(r"<script\b([^>]*)>", text_of(path)):
            if "src=" not in attributes and 'type="application/json"' not in attributes:
                yield f"<script{attributes}>"
        yield from re.findall(r"<style\b|\sstyle=|\son[a-z]+=|javascript:", text_of(path))

    # standalone.html is a file that people keep: it has no server to fetch a script from.
    assert faults((path for path in TEMPLATES if path.stem != "standalone"), inline) == {}


def test_pages_load_nothing_from_elsewhere() -> None:
    def elsewhere(path: Path) -> Iterator[str]:
        text = text_of(path)
        yield from re.findall(r"""(?:src=|@import\s+|url\()["']?(?:https?:)?//.*""", text)
        yield from re.findall(r"""<link\b[^>]*href=["'](?:https?:)?//.*""", text)

    assert faults((path for path in OURS if path.suffix in {".html", ".css"}), elsewhere) == {}


def test_safari_too_is_kept_from_selecting_text() -> None:
    """It reads the property only with its prefix."""

    def alone(path: Path) -> Iterator[str]:
        yield from re.findall(r"(?<!-webkit-user-select: none;)\n *user-select: .*", text_of(path))

    assert faults((path for path in OURS if path.suffix == ".css"), alone) == {}


def test_no_selector_behind_has_ends_in_a_common_tag() -> None:
    """Chromium then computes every such element's style again whenever any `:has()` changes."""

    def common(path: Path) -> Iterator[str]:
        rules = re.sub(r"/\*.*?\*/", "", text_of(path), flags=re.DOTALL)
        for prelude in re.findall(r"([^{};]*:has\([^{}]*)\{", rules):
            flat = prelude
            while flat != (flat := re.sub(r"\([^()]*\)", "", flat)):
                pass
            for selector in flat.split(","):
                *before, last = re.split(r"\s*[>+~]\s*|\s+", selector.strip())
                if any(":has" in part for part in before) and re.match(COMMON, last):
                    yield selector.strip()

    assert faults((path for path in OURS if path.suffix == ".css"), common) == {}
