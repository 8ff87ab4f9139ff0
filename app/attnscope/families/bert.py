"""BERT (Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import encoders
from attnscope.families.encoder_base import EncoderVariant
from attnscope.families.encoders import Head
from attnscope.families.keys import read_keys
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "bert"
SAYS_NOTHING = """
    attention_probs_dropout_prob classifier_dropout directionality hidden_dropout_prob
    pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head
    pooler_type
"""
HEAD = Head(
    "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
    "cls.predictions.decoder", "cls.predictions.bias",
)  # fmt: skip
KIND = EncoderVariant(MODEL_TYPE, HEAD)
convert = KIND.convert


class Keys(encoders.Keys):
    silent = frozenset(SAYS_NOTHING.split())


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    return KIND.about(read_keys(config, Keys), sizes)
