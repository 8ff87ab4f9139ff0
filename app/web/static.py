"""Styles, scripts and icons, read once and served from memory under the name of their content."""

from __future__ import annotations

import hashlib
import mimetypes
import posixpath
import re
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

FOR_EVER = "public, max-age=31536000, immutable"
IMPORT = re.compile(r"""^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)";""", re.MULTILINE)
JOINED = re.compile(r"css/(\w+(?:\+\w+)+)\.css")
mimetypes.add_type("text/javascript", ".js")


class StaticFiles:
    """An ASGI app, mounted at `prefix`. A page asks for about fifty small files: reading each from
    disk in a thread would take longer than drawing the page."""

    def __init__(self, folder: Path, version: str) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        self.files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        digest = hashlib.sha256()
        for name, content in self.files.items():
            digest.update(f"{name} {len(content)} ".encode() + content)
        self.version = f"{version}-{digest.hexdigest()[:12]}"
        self.prefix = f"/static/{self.version}"

    def url(self, path: str) -> str:
        return f"{self.prefix}/{path}"

    def modules(self, entry: str) -> list[str]:
        """The addresses of a script and of all that it imports, to be fetched at once."""
        found: dict[str, None] = {}
        waiting = [entry]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                here, text = posixpath.dirname(name), self.files[name].decode()
                waiting += [posixpath.normpath(f"{here}/{to}") for to in IMPORT.findall(text)]
        return [self.url(name) for name in found]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path"].removeprefix(f"{self.prefix}/")
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405)
        media = mimetypes.guess_type(name)[0] or "application/octet-stream"
        headers = {"Cache-Control": FOR_EVER}
        await Response(self.content(name), 200, headers, media)(scope, receive, send)

    def content(self, name: str) -> bytes:
        """A file, or the style sheets of a page as one: css/a+b.css is css/a.css, then css/b.css.

        Raises HTTPException 404 where one is not there or is named twice.
        """
        if name in self.files:
            return self.files[name]
        joined = JOINED.fullmatch(name)
        sheets = [f"css/{each}.css" for each in joined[1].split("+")] if joined else []
        if not sheets or len(set(sheets)) < len(sheets) or not self.files.keys() >= set(sheets):
            raise HTTPException(404)
        return b"\n".join(self.files[sheet] for sheet in sheets)
