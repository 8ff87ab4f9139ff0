"""Recognise attention maps and unsupported models."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

NAMED = re.compile(r"(?:att(?:n|ention)|prob)[^./]*$", re.IGNORECASE)  # last part of a tensor name
NEAR_ONE = 0.01  # tolerance of a row sum in bfloat16


def maps_in(arrays: dict[str, np.ndarray]) -> list[str]:
    """Names of attention maps; none if there are other matrices."""
    maps = [name for name, array in arrays.items() if _is_map(name, array)]
    matrices = [name for name, array in arrays.items() if array.ndim == 2 and name not in maps]
    return [] if matrices else maps


def _is_map(name: str, array: np.ndarray) -> bool:
    """A map is named like one, or its rows sum to 1. Arrays with two axes need both."""
    if array.ndim < 2 or array.dtype.kind != "f":
        return False
    named = NAMED.search(name) is not None
    if array.ndim == 2:
        return named and _rows_are_shares(array) and bool(array.max(axis=-1).min() < 1)
    return named or _rows_are_shares(array)


def _rows_are_shares(array: np.ndarray) -> bool:
    return bool(array.min() >= 0 and np.all(np.abs(array.sum(axis=-1) - 1) < NEAR_ONE))


IMAGES = re.compile(r"(?:^|\.)(?:patch_embed\w*|vision_model|vision_tower|visual)\.")
SOUND = re.compile(
    r"(?:^|\.)(?:feature_extractor\.conv_layers|feature_projection|encoder\.conv1)\."
)
STATES = re.compile(r"(?:^|\.)(?:A_log|ssm_a|time_decay|time_mix_\w+)$")  # Mamba, RWKV
ATTENTION = re.compile(r"q_proj|query|qkv|c_attn|in_proj_weight|to_q|wq", re.IGNORECASE)


def other_model(names: Collection[str]) -> tuple[str, str] | None:
    """Reason to refuse the model, and a tensor that proves it."""
    for reason, pattern in (("reads_images", IMAGES), ("reads_sound", SOUND)):
        if found := next(filter(pattern.search, names), None):
            return reason, found
    found = next(filter(STATES.search, names), None)
    if found and not any(map(ATTENTION.search, names)):
        return "no_attention", found
    return None
