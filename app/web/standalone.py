"""A trace as one HTML file: our own modules, styles and numbers, put into a single page."""

from __future__ import annotations

import base64
import posixpath
import re

from fastapi import Request
from markupsafe import Markup

from app.errors import TooLarge
from app.trace.run import Trace
from app.web.pages import page_data, site_of
from app.web.static import IMPORT, StaticFiles
from app.web.wire import Selection, attention_safetensors

STYLES = ("base", "controls", "pipeline", "context", "inspector", "standalone")
ENTRY = "js/pages/standalone.js"
# One statement a line at the margin, as in every script of ours.
IMPORTED = re.compile(r"""^import\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)";""", re.MULTILINE)
COMMENT = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
EXPORTED = re.compile(r"^export (?=(?:async function|function|const|class) (\w+))", re.MULTILINE)


def bundle(static: StaticFiles, entry: str) -> str:
    """A script and all that it imports as one script: each module is a function that runs once,
    after those it imports, and returns what it exports."""
    parts: dict[str, str] = {}

    def visit(name: str) -> None:
        if name in parts:
            return
        here, text = posixpath.dirname(name), static.files[name].decode()
        parts[name] = ""  # so that a circle ends
        for to in IMPORT.findall(text):
            visit(posixpath.normpath(f"{here}/{to}"))
        del parts[name]
        parts[name] = _module(name, text)

    visit(entry)
    return "\n".join(["const modules = {};", *parts.values()])


def _module(name: str, text: str) -> str:
    here = posixpath.dirname(name)

    def take(found: re.Match[str]) -> str:
        names = found[1].replace(" as ", ": ")
        source = posixpath.normpath(f"{here}/{found[2]}")
        return f'const {{{names}}} = modules["{source}"];'

    exported = ", ".join(EXPORTED.findall(text))
    body = EXPORTED.sub("", IMPORTED.sub(take, COMMENT.sub("", text)))
    return f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();'


def standalone(request: Request, trace: Trace, selection: Selection, limit: int) -> bytes:
    """The page in the reader's language, with every stage of the selection's layers and heads.

    Raises TooLarge where a file of arrays is the way.
    """
    selection = Selection(trace.plan.stages, selection.layers, selection.heads)
    cut = selection.cut(trace)
    numbers = sum(array.size for _, stages in cut for array in stages.values())
    if numbers > limit:
        raise TooLarge("html", estimate=f"{numbers:,}", limit=f"{limit:,}")
    site = site_of(request)
    files = site.static.files
    data = page_data(request)
    data["only"] = {"layers": selection.layers, "heads": selection.heads}
    page = site.render(
        request,
        "standalone.html",
        page_data=data,
        question=trace.plan.question.plain(),
        trace_id=trace.plan.id,
        numbers=base64.b64encode(attention_safetensors(trace, selection)).decode(),
        style=_inline("\n".join(files[f"css/{name}.css"].decode() for name in STYLES)),
        theme=_inline(files["js/theme.js"].decode()),
        script=_inline(bundle(site.static, ENTRY)),
    )
    return bytes(page.body)


def _inline(text: str) -> Markup:
    """Our own text inside an element of its own: nothing in it may end that element."""
    return Markup(text.replace("</", "<\\/"))
