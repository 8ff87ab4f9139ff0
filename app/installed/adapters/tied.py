"""The embeddings of a model that its output head shares, and the name of a head of its own."""

from __future__ import annotations

from app.families import family_of
from app.families.names import our_names
from app.installed.source import Found

# The names that families give to the matrix of a head.
HEADS = (
    "lm_head.weight", "embed_out.weight", "cls.predictions.decoder.weight",
    "lm_head.decoder.weight", "vocab_projector.weight", "generator_lm_head.weight",
    "predictions.decoder.weight",
)  # fmt: skip


def head_of(found: Found) -> tuple[str, str]:
    """Name of the shared embeddings, and that under which the family reads another matrix for the
    head; both empty if the model shares none."""
    named = _named(found, {}).items()
    tied = next((name for name, ours in named if {"embedding", "unembedding"} <= {*ours}), "")
    for head in HEADS if tied else ():
        if "unembedding" in _named(found, {head: found.sizes[tied]}).get(head, ()):
            return tied, head
    return "", ""


def has_encoder(found: Found) -> bool:
    """Whether there is an encoder below a decoder."""
    family = family_of(found.config)
    return family.about(found.config, found.sizes).architecture.encoder_layers > 0


def _named(found: Found, more: dict[str, tuple[int, ...]]) -> dict[str, list[str]]:
    """Our names of its tensors, and of `more`."""
    family, sizes = family_of(found.config), {**found.sizes, **more}
    return our_names(family, family.about(found.config, sizes), sizes)
