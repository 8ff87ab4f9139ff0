from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock, Thread

import brotli
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from attnscope.web.http.compression import BROTLI, SMALLEST, coding_of, compressible
from attnscope.web.pages import scripts

FOR_EVER = "public, max-age=31536000, immutable"
JOINED = re.compile(r"css/([\w-]+(?:\+[\w-]+)+)\.css")
COMMENT_OR_INDENT = re.compile(rb"/\*.*?\*/\s*|^\s+", re.DOTALL | re.MULTILINE)
mimetypes.add_type("text/javascript", ".js")
# Level 11 takes 2 µs per byte: it runs in a thread after the first request.
BROTLI_LEVEL, BROTLI_BEST, GZIP_LEVEL = 5, 11, 9
KEPT = 1536  # more than the number of files


@cache
def files_in(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@cache
def scripts_in(folder: Path) -> dict[str, tuple[str, str]]:
    return scripts.names(files_in(folder))


class StaticFiles:
    """Serves from memory, which is faster than reading files in threads."""

    def __init__(self, folder: Path, version: str) -> None:
        self.files = files_in(folder)
        self.scripts = scripts_in(folder)
        digest = hashlib.sha256()
        for name, content in self.files.items():
            digest.update(f"{name} {len(content)} ".encode() + content)
        self.version = f"{version}-{digest.hexdigest()[:12]}"
        self.prefix = f"/static/{self.version}"
        # Bounded, as clients may request any combination of sheets.
        self.coded = lru_cache(KEPT)(self._coded)
        self.linked: set[str] = set()  # files that pages link
        self.best: dict[str, bytes] = {}  # brotli at level 11; empty until done
        self._turn = Lock()
        self.joined = lru_cache(len(self.scripts))(self._joined)

    def url(self, path: str) -> str:
        self.linked.add(path)
        return f"{self.prefix}/{path}"

    def script(self, page: str, module: str | None = None) -> str:
        """URL of a page's script, or of a lazy import: `lines/lines-tab`."""
        name = f"joined/{page}/{module}.js" if module else f"joined/{page}.js"
        if name not in self.scripts:
            raise KeyError(name)
        return self.url(name)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path"].removeprefix(f"{self.prefix}/")
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD, OPTIONS"})
        media = mimetypes.guess_type(name)[0] or "application/octet-stream"
        content = self.content(name)
        headers = {"Cache-Control": FOR_EVER}
        if compressible(media):
            headers["Vary"] = "Accept-Encoding"
            coding = coding_of(Headers(scope=scope).get("accept-encoding"))
            if coding and len(content) >= SMALLEST:
                content = self._best(name, coding) or self.coded(name, coding)
                headers["Content-Encoding"] = coding
        await Response(content, 200, headers, media)(scope, receive, send)

    def _best(self, name: str, coding: str) -> bytes:
        if coding != BROTLI or name not in self.linked:
            return b""
        if name not in self.best:
            self.best[name] = b""
            Thread(target=self._recompress, args=(name,), name="compression", daemon=True).start()
        return self.best[name]

    def _recompress(self, name: str) -> None:
        with self._turn:  # recompress one file at a time
            self.best[name] = brotli.compress(self.content(name), quality=BROTLI_BEST)

    def _coded(self, name: str, coding: str) -> bytes:
        content = self.content(name)
        if coding == BROTLI:
            written: bytes = brotli.compress(content, quality=BROTLI_LEVEL)
            return written
        return gzip.compress(content, GZIP_LEVEL, mtime=0)

    def content(self, name: str) -> bytes:
        """css/a+b.css joins css/a.css and css/b.css, without comments."""
        if name in self.files:
            return self.files[name]
        if name in self.scripts:
            return self.joined(name)
        joined = JOINED.fullmatch(name)
        sheets = [f"css/{each}.css" for each in joined[1].split("+")] if joined else []
        if not sheets or len(set(sheets)) < len(sheets) or not self.files.keys() >= set(sheets):
            raise HTTPException(404)
        return b"".join(COMMENT_OR_INDENT.sub(b"", self.files[sheet]) for sheet in sheets)

    def _joined(self, name: str) -> bytes:
        return scripts.joined(self.files, *self.scripts[name]).encode()
