"""The modules of a page as one script, as the sources of the page stay modules.

A browser that asks for eighty files shows its first picture later, and loads a machine more, than
one that asks for one. Each module becomes a function that runs once, after those it imports, and
returns what it exports; what a page imports later, `import("./x.js")`, is a script of its own with
the modules that the page lacks. That needs no parser: every statement of import and export stands
at the margin and is of one of the kinds below, which tests/web/pages/test_scripts.py holds.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

Files = Mapping[str, bytes]

PAGES = "js/pages/"
IMPORT = re.compile(r"""^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)";""", re.MULTILINE)
IMPORTED = re.compile(r"""^import\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)";""", re.MULTILINE)
PASSED_ON = re.compile(r"""^export\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)";""", re.MULTILINE)
EXPORTED = re.compile(r"^export (?=(?:async function|function|const|class) (\w+))", re.MULTILINE)
LATER = re.compile(r"""\bimport\("(\.[^"]+)"\)""")
# What documents a module, and what says why, stand in its source; types before an expression
# speak of other modules.
DOCUMENTED = re.compile(
    r"^ */\*\*(?:(?!\*/).)*\*/\n|/\*\*(?:(?!\*/).)*\*/ ?|^ *//[^\n]*\n"
    r"""|(?<=\S) +// [^\n"'`]*$""",  # behind it no text ends: it stands in none
    re.MULTILINE | re.DOTALL,
)
# No text of the sources goes over several lines: indents and empty lines say nothing.
INDENTED = re.compile(r"^[ ]+|^\n", re.MULTILINE)

# No name of the sources begins with $.
BEGIN = """const $m = {{}};
const $import = async (name) => {{
  if (!(name in $m)) (await import("./{page}/" + name)).default($m, $import);
  return $m[name];
}};"""


def closure(files: Files, entry: str) -> list[str]:
    """A script and all that it imports, each after those that it imports."""
    found: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in found or name in above:
            return
        for to in _imports(files[name]):
            visit(_beside(name, to), (*above, name))
        found[name] = None

    visit(entry, ())
    return list(found)


def later(files: Files, entry: str) -> Iterator[str]:
    """What a page, or what it imports later, imports later."""
    seen, waiting = set[str](), [entry]
    while waiting:
        for name in closure(files, waiting.pop()):
            for to in _imports_later(files[name]):
                target = _beside(name, to)
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
                    yield target


def names(files: Files) -> dict[str, tuple[str, str]]:
    """{address: (page, script)} of every script that can be asked for: that of a page,
    joined/explore.js, and what it imports later, joined/explore/lines/lines-tab.js."""
    found = {}
    for entry in (name for name in files if name.startswith(PAGES)):
        page = _page(entry)
        found[f"joined/{page}.js"] = (entry, entry)
        for target in later(files, entry):
            found[f"joined/{page}/{_short(target)}"] = (entry, target)
    return found


def joined(files: Files, entry: str, target: str) -> str:
    """The script of a page, or (target is another) what it imports later and does not have."""
    if target == entry:
        return "\n".join([BEGIN.format(page=_page(entry)), alone(files, entry)])
    known = set(closure(files, entry))
    parts = [_made(name, files[name]) for name in closure(files, target) if name not in known]
    # In brackets: a browser compiles it while it comes, not when it is called.
    return "\n".join(["export default (($m, $import) => {", *parts, "});"])


def alone(files: Files, entry: str) -> str:
    """The functions of a page's modules; the page itself may wait, and exports nothing."""
    *needed, last = closure(files, entry)
    parts = [_made(name, files[name]) for name in needed]
    return "\n".join([*parts, f"{{\n{_body(last, files[last])[0]}\n}}"])


def _made(name: str, source: bytes) -> str:
    """What two scripts bring is made by the first that comes."""
    body, exported = _body(name, source)
    return f'$m["{_short(name)}"] ??= (() => {{\n{body}\nreturn {{{exported}}}\n}})();'


def _body(name: str, source: bytes) -> tuple[str, str]:
    """What a module does, and the properties of what it exports."""

    def module(to: str) -> str:
        return f'$m["{_short(_beside(name, to))}"]'

    def take(found: re.Match[str]) -> str:
        return f"const {{{found[1].replace(' as ', ': ')}}} = {module(found[2])};"

    text = _bare(source)
    passed = [
        f"{each.strip()}: {module(to)}.{each.strip()}"
        for names, to in PASSED_ON.findall(text)
        for each in names.split(",")
        if each.strip()
    ]
    exported = ", ".join([*EXPORTED.findall(text), *passed])
    text = EXPORTED.sub("", IMPORTED.sub(take, PASSED_ON.sub("", text)))
    text = INDENTED.sub("", text)
    return LATER.sub(lambda found: f'$import("{_short(_beside(name, found[1]))}")', text), exported


@lru_cache(1024)
def _imports(source: bytes) -> list[str]:
    return IMPORT.findall(source.decode())


@lru_cache(1024)
def _imports_later(source: bytes) -> list[str]:
    return LATER.findall(_bare(source))


def _bare(source: bytes) -> str:
    return DOCUMENTED.sub("", source.decode())


def _beside(name: str, to: str) -> str:
    return posixpath.normpath(f"{posixpath.dirname(name)}/{to}")


def _page(entry: str) -> str:
    return entry.removeprefix(PAGES).removesuffix(".js")


def _short(name: str) -> str:
    return name.removeprefix("js/")
