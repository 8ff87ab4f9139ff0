from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from attnscope.errors import BadWeightsFile
from attnscope.families import (
    albert,
    bart,
    bert,
    bloom,
    distilbert,
    electra,
    falcon,
    gemma,
    gemma2,
    gemma3,
    gpt2,
    gpt_neox,
    llama,
    marian,
    mistral,
    opt,
    phi,
    phi3,
    qwen2,
    qwen3,
    roberta,
    t5,
)
from attnscope.families.keys import MOST_SHOWN, unread_keys
from attnscope.families.model import Family, ModelConfig, Sizes
from attnscope.families.unsupported import OTHER_KINDS, Other

FAMILIES: tuple[Family, ...] = (
    albert, bart, bert, bloom, distilbert, electra, falcon, gemma, gemma2, gemma3, gpt2, gpt_neox,
    llama, marian, mistral, opt, phi, phi3, qwen2, qwen3, roberta, t5,
)  # fmt: skip
OTHER_REASONS: dict[Other | None, str] = {
    "images": "reads_images", "sound": "reads_sound", "no_attention": "no_attention",
}  # fmt: skip
MODEL_TYPE_ALIASES = {"camembert": "roberta", "xlm-roberta": "roberta"}


def family_of(config: Mapping[str, Any]) -> Family:
    known = ", ".join(sorted([*(family.MODEL_TYPE for family in FAMILIES), *MODEL_TYPE_ALIASES]))
    if config.get("model_type") is None:
        raise _without_type(config, known)
    kind = str(config["model_type"])[:64]
    for family in FAMILIES:
        if MODEL_TYPE_ALIASES.get(kind, kind) == family.MODEL_TYPE:
            return family
    reason = OTHER_REASONS.get(OTHER_KINDS.get(kind), "unknown_family")
    raise BadWeightsFile(reason, at="model_type", kind=kind, known=known)


def _without_type(config: Mapping[str, Any], known: str) -> BadWeightsFile:
    if name := config.get("_name_or_path"):
        return BadWeightsFile("name_alone", at="model_type", name=str(name)[:64])
    keys = ", ".join(sorted(config))[:MOST_SHOWN]
    return BadWeightsFile("no_model_type", at="model_type", keys=keys or "—", known=known)


def identify_checkpoint(
    config: Mapping[str, Any], sizes: Sizes, accepted: Collection[str] = ()
) -> tuple[Family, ModelConfig]:
    """Return the family, and facts from config and tensor shapes.

    Raises BadWeightsFile, also for unread keys that could change numbers, unless `accepted`.
    """
    family = family_of(config)
    try:
        unread, changing = unread_keys(config, family.Keys, accepted)
        return family, replace(family.about(config, sizes), unread=unread, accepted=changing)
    except (ArithmeticError, MemoryError, ValueError, TypeError, LookupError):
        raise BadWeightsFile("config_broken", at="config.json") from None


def is_conv1d(config: Mapping[str, Any], module: str) -> bool:
    """Whether the module is a Conv1D, whose weight is [d_in, d_out]."""
    turned = config.get("model_type") == gpt2.MODEL_TYPE
    return turned and module.rpartition(".")[2] in gpt2.CONV1D
