from __future__ import annotations

from functools import partial
from typing import Protocol

import brotli
from isal import isal_zlib

from attnscope.web.http.qualities import wanted

BROTLI, GZIP = "br", "gzip"
CODINGS = (BROTLI, GZIP)  # best first
NAMES = {"x-gzip": GZIP}
# Brotli 1 compresses JSON better than gzip 3. Level 2 makes arrays 4 % smaller than level 1.
# Level 5 pays off for pages only.
BROTLI_LEVEL, GZIP_LEVEL = 1, 3
BROTLI_LEVELS = {"text/html": 5, "application/x-safetensors": 2}
WINDOW = 18  # bits; a compressor stays below 0.5 MB
GZIP_FORMAT = 31


class Compressor(Protocol):
    """`flush` returns the output so far, `finish` the rest."""

    def process(self, piece: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...
    def finish(self) -> bytes: ...


class Gzip:
    def __init__(self) -> None:
        writer = isal_zlib.compressobj(GZIP_LEVEL, isal_zlib.DEFLATED, GZIP_FORMAT)
        self.process, self.finish = writer.compress, writer.flush
        self.flush = partial(writer.flush, isal_zlib.Z_SYNC_FLUSH)


def compressor_of(coding: str, media: str) -> Compressor:
    if coding == GZIP:
        return Gzip()
    level = BROTLI_LEVELS.get(media, BROTLI_LEVEL)
    writer: Compressor = brotli.Compressor(quality=level, lgwin=WINDOW)
    return writer


def coding_of(accepted: str | None) -> str | None:
    """Choose by Accept-Encoding (RFC 9110, section 12.5.3); None: identity."""
    given: dict[str, float] = {}
    for name, quality in wanted(accepted or ""):
        given.setdefault(NAMES.get(name, name), quality)
    other = given.get("*", 0.0)
    best = max(CODINGS, key=lambda coding: given.get(coding, other))
    quality = given.get(best, other)
    return best if quality > 0 and quality >= given.get("identity", 0.0) else None
