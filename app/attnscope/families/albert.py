"""ALBERT (Lan et al. 2020): all layers share one set of weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attnscope.families import bert, encoders
from attnscope.families.encoders import (
    Head,
    add_prefix,
    dense_shapes,
    encoder_config,
    names_of,
    predicts_masked,
    read_dense,
    read_head,
    read_weights,
    start_of,
    table_shapes,
)
from attnscope.families.keys import Act, Count, check_sizes, read_keys
from attnscope.families.model import ModelConfig, Sizes, Tensors, Weights

MODEL_TYPE = "albert"
PROJECTION = "encoder.embedding_hidden_mapping_in"
LAYER = "encoder.albert_layer_groups.0.albert_layers.0."
NAMES = names_of(
    ("attention.query", "attention.key", "attention.value", "attention.dense", "ffn", "ffn_output"),
    "attention.LayerNorm", "full_layer_layer_norm",
)  # fmt: skip
HEAD = Head("predictions.dense", "predictions.LayerNorm", "predictions.decoder", "predictions.bias")


class Keys(encoders.Keys):
    """transformers ignores the last four keys, so only their defaults are accepted."""

    silent = bert.Keys.silent | {"classifier_dropout_prob"}

    vocab_size: Count = 30000
    embedding_size: Count = 128
    hidden_size: Count = 4096
    num_attention_heads: Count = 64
    intermediate_size: Count = 16384
    hidden_act: Act = "gelu_new"
    num_hidden_groups: Literal[1] = 1
    inner_group_num: Literal[1] = 1
    down_scale_factor: Literal[1] = 1
    gap_size: Literal[0] = 0
    net_structure_type: Literal[0] = 0
    num_memory_blocks: Literal[0] = 0


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    predicts = predicts_masked(HEAD, keys, keys.embedding_size, sizes)
    found = encoder_config(MODEL_TYPE, keys, predicts)
    shapes = {
        **table_shapes(keys.rows, keys.embedding_size),
        **dense_shapes(PROJECTION, keys.embedding_size, keys.hidden_size),
        **NAMES.wanted(LAYER, found.architecture),
    }
    check_sizes(add_prefix(start_of(sizes, MODEL_TYPE), shapes), sizes)
    return found


def convert(about: ModelConfig, tensors: Tensors) -> Weights:
    start = start_of(tensors, MODEL_TYPE)
    architecture = about.architecture
    layers = (NAMES.read(f"{start}{LAYER}", tensors, architecture.shape),) * architecture.num_layers
    projection = read_dense(tensors, f"{start}{PROJECTION}")
    head = read_head(HEAD, about, tensors, start)
    return read_weights(about, tensors, start, layers, head, projection)
