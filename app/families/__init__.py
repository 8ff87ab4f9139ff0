"""Kinds of checkpoints: each file knows one, and turns its config and tensors into ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.errors import BadWeightsFile
from app.families import (
    bart,
    bert,
    gemma,
    gemma2,
    gemma3,
    gpt2,
    llama,
    marian,
    mistral,
    qwen2,
    qwen3,
    t5,
)
from app.families.model import Family

FAMILIES: tuple[Family, ...] = (
    bart, bert, gemma, gemma2, gemma3, gpt2, llama, marian, mistral, qwen2, qwen3, t5,
)  # fmt: skip


def family_of(config: Mapping[str, Any]) -> Family:
    """Raises BadWeightsFile where no family knows the architecture."""
    for family in FAMILIES:
        if config.get("model_type") == family.MODEL_TYPE:
            return family
    kind = str(config.get("model_type"))[:64]
    known = ", ".join(family.MODEL_TYPE for family in FAMILIES)
    raise BadWeightsFile("unknown_family", at="model_type", kind=kind, known=known)
