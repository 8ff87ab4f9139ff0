"""Bundles of a page's modules.

A module becomes a function that runs once and returns its exports. A lazy `import("./x.js")`
becomes a script of its own. Imports and exports must start at the margin.
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
DOCUMENTED = re.compile(
    r"^ */\*\*(?:(?!\*/).)*\*/\n|/\*\*(?:(?!\*/).)*\*/ ?|^ *//[^\n]*\n"
    r"""|(?<=\S) +// [^\n"'`]*$""",  # without quotes: // may be in a string
    re.MULTILINE | re.DOTALL,
)
# Safe, as no source has multi-line strings.
INDENTED = re.compile(r"^[ ]+|^\n", re.MULTILINE)

# No source has names that begin with $.
BEGIN = """const $m = {{}};
const $import = async (name) => {{
  if (!(name in $m)) (await import("./{page}/" + name)).default($m, $import);
  return $m[name];
}};"""


def closure(files: Files, entry: str) -> list[str]:
    """The entry and its static imports, dependencies first."""
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
    """All lazy imports, also those in lazy scripts."""
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
    """{URL: (page, script)} of joined/explore.js, joined/explore/lines/lines-tab.js …"""
    found = {}
    for entry in (name for name in files if name.startswith(PAGES)):
        page = _page(entry)
        found[f"joined/{page}.js"] = (entry, entry)
        for target in later(files, entry):
            found[f"joined/{page}/{_short(target)}"] = (entry, target)
    return found


def joined(files: Files, entry: str, target: str) -> str:
    """A page's script, or a lazy one without the modules of its page."""
    if target == entry:
        return "\n".join([BEGIN.format(page=_page(entry)), alone(files, entry)])
    known = set(closure(files, entry))
    parts = [_made(name, files[name]) for name in closure(files, target) if name not in known]
    # Browsers compile functions in parentheses while a script loads.
    return "\n".join(["export default (($m, $import) => {", *parts, "});"])


def alone(files: Files, entry: str) -> str:
    """The entry becomes a block, not a function, as it may await."""
    *needed, last = closure(files, entry)
    parts = [_made(name, files[name]) for name in needed]
    return "\n".join([*parts, f"{{\n{_body(last, files[last])[0]}\n}}"])


def _made(name: str, source: bytes) -> str:
    """If two scripts define a module, the first one loaded counts."""
    body, exported = _body(name, source)
    return f'$m["{_short(name)}"] ??= (() => {{\n{body}\nreturn {{{exported}}}\n}})();'


def _body(name: str, source: bytes) -> tuple[str, str]:
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
    exported = ",".join([*EXPORTED.findall(text), *passed])
    text = EXPORTED.sub("", IMPORTED.sub(take, PASSED_ON.sub("", text)))
    text = INDENTED.sub("", text).strip()
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
