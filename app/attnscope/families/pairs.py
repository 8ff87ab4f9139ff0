from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = "lm_head.weight"


def tables(names: Mapping[str, Any], tied: bool) -> tuple[str, str, str]:
    """Tensor names of encoder embedding, decoder embedding and head. If tied, `shared` or one of
    the others replaces a missing tensor."""
    start = start_of(names)
    source, text = (f"{start}{half}.embed_tokens.weight" for half in ("encoder", "decoder"))
    if not tied:
        return source, text, HEAD
    shared = f"{start}shared.weight"
    one = next((name for name in (shared, text, source, HEAD) if name in names), shared)
    source, text, head = (name if name in names else one for name in (source, text, HEAD))
    return source, text, head


def start_of(names: Mapping[str, Any]) -> str:
    """`transformer.` in T5 models that classify."""
    starts = ("model.", "transformer.")
    return next((start for start in starts if any(name.startswith(start) for name in names)), "")
