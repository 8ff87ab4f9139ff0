"""ELECTRA (Clark et al. 2020): BERT whose embeddings may be narrower than layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import bert, encoders
from attnscope.families.encoder_base import EncoderVariant
from attnscope.families.encoders import Head
from attnscope.families.keys import Count, read_keys
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "electra"
SAYS_NOTHING = "summary_activation summary_last_dropout summary_type summary_use_proj"
HEAD = Head("generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head")
KIND = EncoderVariant(MODEL_TYPE, HEAD, projection="embeddings_project", activation="gelu")
convert = KIND.convert


class Keys(encoders.Keys):
    silent = bert.Keys.silent | frozenset(SAYS_NOTHING.split())

    embedding_size: Count = 128
    hidden_size: Count = 256
    num_attention_heads: Count = 4
    intermediate_size: Count = 1024


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    return KIND.about(keys, sizes, keys.embedding_size)
