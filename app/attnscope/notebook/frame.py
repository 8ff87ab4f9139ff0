"""A page as one document for a sandboxed frame without network. Instead of the browser's
`location`, `history`, `fetch` …, its scripts get those of static/notebook/frame.js.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from html import escape
from urllib.parse import urlsplit

from attnscope.resources import static_dir

_FOLDER = static_dir() / "notebook"
WIDGET = (_FOLDER / "widget.js").read_text(encoding="utf-8")
FRAME = (_FOLDER / "frame.js").read_text(encoding="utf-8")
VERSION = hashlib.sha256((WIDGET + FRAME).encode()).hexdigest()[:12]


Fetch = Callable[[str], Awaitable[str]]

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; form-action 'none'"
)
# Parameters of each script, in the order in which frame.js passes them.
SHIMS = "location, history, fetch, XMLHttpRequest, matchMedia, localStorage, sessionStorage"
PLAIN = '<!doctype html><html><head><meta charset="utf-8"></head><body><pre>{}</pre></body></html>'
SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)"( media="print")?>')
SCRIPT = re.compile(r'<script( type="module")? src="([^"]+)"></script>')
PRELOAD = re.compile(r'<link rel="modulepreload" href="([^"]+)">')
ICON_LINK = re.compile(r'<link rel="icon"[^>]*>\n?')
IMPORT = '(await import("./'  # as web/pages/scripts.py writes imports
LATER = '(await attnscopeFrame.load("./'


async def page_document(fetch: Fetch, origin: str, target: str, dark: bool) -> str:
    """Return a page as one document, with its scripts and style sheets inline.

    `fetch` returns the text of a path. `target`: path of the page, with its query. `origin`: URL of
    the server, for links.
    """
    html = await fetch(target)
    if "<head>" not in html:  # JSON or plain text
        html = PLAIN.format(escape(html))
    html = ICON_LINK.sub("", html)
    wanted = {found[1] for found in SHEET.finditer(html)}
    wanted |= {found[2] for found in SCRIPT.finditer(html)}
    wanted |= {found[1] for found in PRELOAD.finditer(html)}
    texts = dict(zip(wanted, await asyncio.gather(*map(fetch, wanted)), strict=True))
    programs: list[str] = []
    entry = ""

    def sheet(found: re.Match[str]) -> str:
        return f"<style{found[2] or ''}>{_inline(texts[found[1]])}</style>"

    def ahead(found: re.Match[str]) -> str:
        """Embed as text a script that the page imports later."""
        text = _inline(texts[found[1]])
        return f'<script type="text/plain" data-ahead="{found[1]}">{text}</script>'

    def script(found: re.Match[str]) -> str:
        nonlocal entry
        source = texts[found[2]]
        if not found[1]:
            return f"<script>{_run(source)}</script>"
        entry = found[2]
        programs.append(f"<script>{_run(source, waits=True)}</script>")
        return '<script type="module"></script>'  # frame.js sets its src

    html = SCRIPT.sub(script, SHEET.sub(sheet, PRELOAD.sub(ahead, html)))
    head = _head(origin, target, entry, dark)
    html = html.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{head}', 1)
    return html.replace("</body>", "\n".join([*programs, "</body>"]), 1)


def _head(origin: str, target: str, entry: str, dark: bool) -> str:
    parts = urlsplit(origin)
    data = {"origin": f"{parts.scheme}://{parts.netloc}", "target": target, "entry": entry}
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<base href="{escape(data["origin"])}/">\n'
        f"<script{attributes}{' data-dark' if dark else ''}>{_inline(FRAME)}</script>"
    )


def _run(source: str, waits: bool = False) -> str:
    source = source.replace(IMPORT, LATER)
    kind = "async " if waits else ""
    return f'attnscopeFrame.run({kind}function ({SHIMS}) {{\n"use strict";\n{_inline(source)}\n}});'


def _inline(text: str) -> str:
    """Escape a text so that it cannot end the script or style element around it."""
    return text.replace("</", "<\\/")
