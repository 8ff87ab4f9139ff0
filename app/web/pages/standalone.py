"""A trace as one HTML file: our own modules, styles and numbers, put into a single page."""

from __future__ import annotations

import base64
import posixpath
import re

from fastapi import Request
from markupsafe import Markup

from app.trace.plan import Plan
from app.trace.trace import Trace
from app.web.pages.data import page_data
from app.web.pages.sheets import SHEETS
from app.web.pages.site import site_of
from app.web.pages.static import IMPORT, StaticFiles
from app.web.wire.selection import Selection
from app.web.wire.traces import attention_safetensors

ENTRY = "js/pages/standalone.js"
# One statement a line at the margin, as in every script of ours.
IMPORTED = re.compile(r"""^import\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)";""", re.MULTILINE)
# On lines of its own; a type that stands before an expression stays.
COMMENT = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n", re.MULTILINE | re.DOTALL)
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


def whole(planned: Plan, selection: Selection) -> Selection:
    """What the page holds: every stage of the selection's layers and heads, and no parameters."""
    return Selection(planned.stages, selection.layers, selection.heads)


def standalone(request: Request, trace: Trace, selection: Selection) -> bytes:
    """The page in the reader's language, with the numbers of a selection."""
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
        numbers=base64.b64encode(attention_safetensors(trace, selection).whole()).decode(),
        style=_inline(
            "\n".join(files[f"css/{each}.css"].decode() for each in SHEETS["standalone"])
        ),
        theme=_inline(files["js/theme.js"].decode()),
        script=_inline(bundle(site.static, ENTRY)),
    )
    return bytes(page.body)


def _inline(text: str) -> Markup:
    """Our own text inside an element of its own: nothing in it may end that element."""
    return Markup(text.replace("</", "<\\/"))
