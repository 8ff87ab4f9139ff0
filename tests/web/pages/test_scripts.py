"""The modules of a page as one script: all of them, in order, each once, and only known forms."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.resources import static_dir
from app.web.pages import scripts
from app.web.pages.static import StaticFiles, files_in
from tests.web.client import told

FILES = files_in(static_dir())
NAMES = scripts.names(FILES)
MADE = re.compile(r'^\$m\["(.+?)"\] \?\?= ', re.MULTILINE)
LATER = re.compile(r'\$import\("(.+?)"\)')
BEFORE_THE_FIRST_PICTURE = 128_000  # bytes
MODULES = {name: content for name, content in FILES.items() if name.startswith("js/")}

SMALL = {
    "js/pages/a.js": b"""/** A page. */
import { b, two as zwei } from "../views/b.js";
import {
  c,
} from "../lib/c.js";

/** @param {import("../lib/unused.js").Thing} thing */
const show = (thing) => document.body.append(thing);
  // Why it does so.
const address = "https://elsewhere"; // and where
const slashes = "one // two";
show(`${b} ${zwei} ${c}`);
await import("../views/later.js");
""",
    "js/views/b.js": b"""export { c, d } from "../lib/c.js";
export const b = "b"; export_this = 1;
export async function two() {}
""",
    "js/lib/c.js": b"""export const c = "c";
export function d() {}
const text = "import x from elsewhere";
""",
    "js/views/later.js": b"""import { c } from "../lib/c.js";
import { only } from "../lib/only.js";
export class Later {
  load = async () => (await import("./b.js")).b;
}
""",
    "js/lib/only.js": b"export const only = 1;\n",
    "js/lib/unused.js": b"",
}


def made(text: str) -> list[str]:
    return MADE.findall(text)


def test_a_page_is_its_modules_each_after_those_it_imports() -> None:
    assert scripts.closure(SMALL, "js/pages/a.js") == [
        "js/lib/c.js", "js/views/b.js", "js/pages/a.js",
    ]  # fmt: skip
    text = scripts.joined(SMALL, "js/pages/a.js", "js/pages/a.js")
    assert made(text) == ["lib/c.js", "views/b.js"]
    assert 'const { b, two: zwei } = $m["views/b.js"];' in text
    assert 'return {b, two, c: $m["lib/c.js"].c, d: $m["lib/c.js"].d}' in text
    assert 'await $import("views/later.js");' in text
    assert 'const text = "import x from elsewhere";' in text
    assert "/**" not in text
    assert "Why it does so" not in text
    assert 'const address = "https://elsewhere";\nconst slashes = "one // two";\n' in text


def test_what_comes_later_brings_what_the_page_lacks() -> None:
    assert scripts.names(SMALL) == {
        "joined/a.js": ("js/pages/a.js", "js/pages/a.js"),
        "joined/a/views/later.js": ("js/pages/a.js", "js/views/later.js"),
        "joined/a/views/b.js": ("js/pages/a.js", "js/views/b.js"),
    }
    text = scripts.joined(SMALL, "js/pages/a.js", "js/views/later.js")
    assert text.startswith("export default (($m, $import) => {")
    assert made(text) == ["lib/only.js", "views/later.js"]
    assert made(scripts.joined(SMALL, "js/pages/a.js", "js/views/b.js")) == []


@pytest.mark.parametrize("name", NAMES)
def test_each_script_of_a_page_is_whole(tmp_path: Path, name: str) -> None:
    """A module that it reads is there, and nothing of a statement of import or export is left."""
    entry, target = NAMES[name]
    text = scripts.joined(FILES, entry, target)
    has = {each.removeprefix("js/") for each in scripts.closure(FILES, entry)}
    assert set(re.findall(r' = \$m\["(.+?)"\];', text)) <= has | set(made(text))
    left = re.findall(
        r"^\s*(?:import|export)\b.*|(?<!await )(?<!\$)\bimport\(.*", text, re.MULTILINE
    )
    assert left == ["export default (($m, $import) => {"] * (target != entry)
    page = name.removesuffix(".js").split("/")[1]
    assert {f"joined/{page}/{each}" for each in LATER.findall(text)} <= NAMES.keys()
    path = tmp_path / "joined.mjs"
    path.write_text(text, encoding="utf-8")
    checked = subprocess.run(["node", "--check", path], capture_output=True, check=False)
    assert checked.stderr == b""


@pytest.mark.parametrize("name", MODULES)
def test_no_text_of_a_script_goes_over_several_lines(name: str) -> None:
    """What is sent is not indented."""
    lines = MODULES[name].decode().splitlines()
    assert [line for line in lines if line.count("`") % 2] == []


def test_every_module_is_reached_by_a_page() -> None:
    reached = {
        each for pair in NAMES.values() for name in pair for each in scripts.closure(FILES, name)
    }
    assert MODULES.keys() - reached == {"js/theme.js"}


def test_a_page_asks_for_one_script_and_its_modules_can_be_read(client: TestClient) -> None:
    static = client.app.state.site.static
    html = client.get("/").text
    assert re.findall(r'<script type="module" src="([^"]+)"', html) == [static.script("explore")]
    text = client.get(static.script("explore")).text
    assert len(made(text)) > 40
    source = client.get(static.url("js/pages/explore.js"))
    assert source.content == FILES["js/pages/explore.js"]


def test_what_the_address_opens_is_named_ahead(client: TestClient) -> None:
    html = client.get("/?tab=heads").text
    ahead = re.findall(r'rel="modulepreload" href="([^"]+)"', html)
    assert [each.partition("/joined/explore/")[2] for each in ahead] == [
        "heads/heads-tab.js", "core/all-heads.js", "core/pictured.js",
    ]  # fmt: skip
    assert all(client.get(each).status_code == 200 for each in ahead)
    assert "modulepreload" not in client.get("/").text


@pytest.mark.parametrize(
    "name",
    ["x.js", "explore/x.js", "explore/pages/explore.js", "../pages/explore.js", "explore.js/"],
)
def test_a_script_that_no_page_asks_for_is_not_found(client: TestClient, name: str) -> None:
    told(client.get(client.app.state.site.static.url(f"joined/{name}")), 404, "not_found")


def test_no_more_comes_before_the_first_picture_than_it_needs() -> None:
    first = scripts.joined(FILES, "js/pages/explore.js", "js/pages/explore.js")
    assert "matrix/heatmap.js" in made(first)
    assert "inspector/inspector.js" not in made(first)
    assert len(first.encode()) <= BEFORE_THE_FIRST_PICTURE, "pages/around.js is for what can wait"


def test_a_script_is_joined_once() -> None:
    static = StaticFiles(static_dir(), "1")
    first = static.content("joined/explore.js")
    assert static.content("joined/explore.js") is first
    assert static.joined.cache_info().maxsize == len(static.scripts) == len(NAMES)
