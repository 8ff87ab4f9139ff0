from __future__ import annotations

from attnscope.families import family_of
from attnscope.families.names import our_names
from attnscope.installed.source import CheckpointContent

UNEMBEDDING_NAMES = (
    "lm_head.weight", "embed_out.weight", "cls.predictions.decoder.weight",
    "lm_head.decoder.weight", "vocab_projector.weight", "generator_lm_head.weight",
    "predictions.decoder.weight",
)  # fmt: skip


def head_of(found: CheckpointContent) -> tuple[str, str]:
    """Names of the tied tensor, and of the unembedding that would untie it; "" if untied."""
    named = _named(found, {}).items()
    tied = next((name for name, native in named if {"embedding", "unembedding"} <= {*native}), "")
    for head in UNEMBEDDING_NAMES if tied else ():
        if "unembedding" in _named(found, {head: found.sizes[tied]}).get(head, ()):
            return tied, head
    return "", ""


def has_encoder(found: CheckpointContent) -> bool:
    family = family_of(found.config)
    return family.about(found.config, found.sizes).architecture.encoder_layers > 0


def _named(found: CheckpointContent, more: dict[str, tuple[int, ...]]) -> dict[str, list[str]]:
    family, sizes = family_of(found.config), {**found.sizes, **more}
    return our_names(family, family.about(found.config, sizes), sizes)
