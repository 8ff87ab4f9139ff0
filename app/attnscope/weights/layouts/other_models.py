"""Recognise unsupported models by tensor names."""

from __future__ import annotations

import re
from collections.abc import Collection

IMAGES = re.compile(r"(?:^|\.)(?:patch_embed\w*|vision_model|vision_tower|visual)\.")
SOUND = re.compile(
    r"(?:^|\.)(?:feature_extractor\.conv_layers|feature_projection|encoder\.conv1)\."
)
STATES = re.compile(r"(?:^|\.)(?:A_log|ssm_a|time_decay|time_mix_\w+)$")  # Mamba, RWKV
ATTENTION = re.compile(r"q_proj|query|qkv|c_attn|in_proj_weight|to_q|wq", re.IGNORECASE)


def other_model(names: Collection[str]) -> tuple[str, str] | None:
    """Reason to refuse the model, and the tensor that proves it."""
    for reason, pattern in (("reads_images", IMAGES), ("reads_sound", SOUND)):
        if found := next(filter(pattern.search, names), None):
            return reason, found
    found = next(filter(STATES.search, names), None)
    if found and not any(map(ATTENTION.search, names)):
        return "no_attention", found
    return None
