"""The modules of a page as one script: all of them, in order, each once, and only known forms."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from attnscope.resources import static_dir
from attnscope.web.pages import scripts
from attnscope.web.pages.static import StaticFiles, files_in
from tests.web.client import problem_of

FILES = files_in(static_dir())
NAMES = scripts.names(FILES)
MADE = re.compile(r'^\$m\["(.+?)"\] \?\?= ', re.MULTILINE)
LATER = re.compile(r'\$import\("(.+?)"\)')
BEFORE_THE_FIRST_PICTURE = 128_000  # bytes
# Prints the modules of a folder that node cannot parse; it runs none of them.
PARSE = """
const { readFileSync, readdirSync } = require("node:fs");
const { SourceTextModule } = require("node:vm");
const folder = process.argv[1];
const errors = readdirSync(folder).flatMap((file) => {
  const text = readFileSync(`${folder}/${file}`, "utf8");
  try {
    new SourceTextModule(text);
    return [];
  } catch (error) {
    return [{ file, script: text.split("\\n", 1)[0], message: String(error) }];
  }
});
console.log(JSON.stringify(errors));
"""
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
    assert 'return {b,two,c: $m["lib/c.js"].c,d: $m["lib/c.js"].d}' in text
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


@cache
def script(name: str) -> str:
    return scripts.joined(FILES, *NAMES[name])


def faults(name: str) -> list[str]:
    """A module that the script reads and does not have, an import or export left as it was, a
    later script that does not exist."""
    (entry, target), text = NAMES[name], script(name)
    has = {each.removeprefix("js/") for each in scripts.closure(FILES, entry)}
    missing = set(re.findall(r' = \$m\["(.+?)"\];', text)) - has - set(made(text))
    left = re.findall(
        r"^\s*(?:import|export)\b.*|(?<!await )(?<!\$)\bimport\(.*", text, re.MULTILINE
    )
    wanted = ["export default (($m, $import) => {"] * (target != entry)
    page = name.removesuffix(".js").split("/")[1]
    later = {f"joined/{page}/{each}" for each in LATER.findall(text)} - NAMES.keys()
    return [*missing, *later, *([] if left == wanted else [f"{left}, not {wanted}"])]


def test_each_script_of_a_page_is_whole() -> None:
    found = {name: faults(name) for name in NAMES}
    assert {name: each for name, each in found.items() if each} == {}


def test_each_script_of_a_page_can_be_parsed(tmp_path: Path) -> None:
    # One node for all: SourceTextModule parses a module without running it.
    for index, name in enumerate(NAMES):
        text = f"// {name}\n{script(name)}"
        (tmp_path / f"{index}.mjs").write_text(text, encoding="utf-8")
    assert parse_errors(tmp_path) == []


def test_a_script_that_cannot_be_parsed_is_found(tmp_path: Path) -> None:
    (tmp_path / "good.mjs").write_text('import { a } from "./a.js"; await a();', encoding="utf-8")
    (tmp_path / "bad.mjs").write_text("export const a = (;", encoding="utf-8")
    assert [each["file"] for each in parse_errors(tmp_path)] == ["bad.mjs"]


def parse_errors(folder: Path) -> list[dict[str, str]]:
    """File and message of every module in a folder that is no valid JavaScript."""
    command = ["node", "--experimental-vm-modules", "--no-warnings", "--eval", PARSE, str(folder)]
    output = subprocess.run(command, capture_output=True, check=True).stdout
    errors: list[dict[str, str]] = json.loads(output)
    return errors


def test_no_text_of_a_script_goes_over_several_lines() -> None:
    """Template literals are sent as they are, indentation included."""
    found = [
        (name, line)
        for name, content in MODULES.items()
        for line in content.decode().splitlines()
        if line.count("`") % 2
    ]
    assert found == []


def test_every_module_is_reached_by_a_page() -> None:
    reached = {
        each for pair in NAMES.values() for name in pair for each in scripts.closure(FILES, name)
    }
    assert MODULES.keys() - reached == {"js/clean-address.js", "js/theme.js"}


def test_a_page_asks_for_one_script_and_its_modules_can_be_read(client: TestClient) -> None:
    static = client.app.state.site.static  # type: ignore[attr-defined]
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
        "heads/heads-tab.js", "core/all-heads.js", "core/stage-images.js",
    ]  # fmt: skip
    assert all(client.get(each).status_code == 200 for each in ahead)
    assert "modulepreload" not in client.get("/").text


def test_a_script_that_no_page_asks_for_is_not_found(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        "x.js",
        "explore/x.js",
        "explore/pages/explore.js",
        "../pages/explore.js",
        "explore.js/",
    ]
    for name in cases:
        with subtests.test(name):
            address = client.app.state.site.static.url(f"joined/{name}")  # type: ignore[attr-defined]
            problem_of(client.get(address), 404, "not_found")


def test_no_more_comes_before_the_first_picture_than_it_needs() -> None:
    first = scripts.joined(FILES, "js/pages/explore.js", "js/pages/explore.js")
    assert "matrix/heatmap.js" in made(first)
    assert "inspector/inspector.js" not in made(first)
    assert len(first.encode()) <= BEFORE_THE_FIRST_PICTURE, "pages/late-parts.js has what can wait"


def test_a_script_is_joined_once() -> None:
    static = StaticFiles(static_dir(), "1")
    first = static.content("joined/explore.js")
    assert static.content("joined/explore.js") is first
    assert static.joined.cache_info().maxsize == len(static.scripts) == len(NAMES)
