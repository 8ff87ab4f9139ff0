"""BERT (Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import encoders
from attnscope.families.encoders import (
    about_encoder,
    layer_shapes,
    read_layers,
    read_weights,
    start_of,
    starting,
    table_shapes,
)
from attnscope.families.keys import check_sizes, read_keys
from attnscope.families.masked_heads import Head, predicts_masked, read_head
from attnscope.families.model import About, Sizes, Tensors, Weights

MODEL_TYPE = "bert"
SAYS_NOTHING = """
    attention_probs_dropout_prob classifier_dropout directionality hidden_dropout_prob
    pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head
    pooler_type
"""
SILENT = frozenset(SAYS_NOTHING.split())
HEAD = Head(
    "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
    "cls.predictions.decoder", "cls.predictions.bias",
)  # fmt: skip


class Keys(encoders.Keys):
    silent = SILENT


def about(config: Mapping[str, Any], sizes: Sizes) -> About:
    keys = read_keys(config, Keys)
    predicts = predicts_masked(HEAD, keys, keys.hidden_size, sizes)
    found = about_encoder(MODEL_TYPE, keys, predicts)
    shapes = table_shapes(keys.rows, keys.hidden_size) | layer_shapes("encoder.layer", found)
    check_sizes(starting(start_of(sizes, MODEL_TYPE), shapes), sizes)
    return found


def convert(about: About, tensors: Tensors) -> Weights:
    start = start_of(tensors, MODEL_TYPE)
    layers = read_layers(about, tensors, f"{start}encoder.layer")
    head = read_head(HEAD, about, tensors, start)
    return read_weights(about, tensors, start, layers, head)
