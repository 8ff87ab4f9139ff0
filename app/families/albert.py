"""ALBERT (Lan et al. 2020): one layer that is gone through again and again, and embeddings that
are narrower than it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from app.families import encoders
from app.families.bert import SILENT as SILENT_IN_BERT
from app.families.encoders import (
    Block,
    about_encoder,
    block_shapes,
    dense_shapes,
    read_block,
    read_dense,
    read_weights,
    start_of,
    starting,
    table_shapes,
)
from app.families.keys import check_sizes, read_keys
from app.families.masked_heads import Head, predicts_masked, read_head
from app.families.model import About, Sizes, Tensors, Weights

MODEL_TYPE = "albert"
SILENT = SILENT_IN_BERT | {"classifier_dropout_prob"}
PROJECTION = "encoder.embedding_hidden_mapping_in"
LAYER = "encoder.albert_layer_groups.0.albert_layers.0."
BLOCK = Block(
    "attention.query", "attention.key", "attention.value", "attention.dense",
    "attention.LayerNorm", "ffn", "ffn_output", "full_layer_layer_norm",
)  # fmt: skip
HEAD = Head("predictions.dense", "predictions.LayerNorm", "predictions.decoder", "predictions.bias")


class Keys(encoders.Keys):
    """What changes numbers, with the defaults of transformers. The last four are of the first
    release, and stand in its files: nothing reads them."""

    vocab_size: encoders.Count = 30000
    embedding_size: encoders.Count = 128
    hidden_size: encoders.Count = 4096
    num_attention_heads: encoders.Count = 64
    intermediate_size: encoders.Count = 16384
    hidden_act: encoders.Named = "gelu_new"
    num_hidden_groups: Literal[1] = 1
    inner_group_num: Literal[1] = 1
    down_scale_factor: Literal[1] = 1
    gap_size: Literal[0] = 0
    net_structure_type: Literal[0] = 0
    num_memory_blocks: Literal[0] = 0


def about(config: Mapping[str, Any], sizes: Sizes) -> About:
    """What the config says, once every tensor has the sizes that it asks for."""
    keys = read_keys(config, Keys, SILENT)
    predicts = predicts_masked(HEAD, keys, keys.embedding_size, sizes)
    found = about_encoder(MODEL_TYPE, keys, predicts)
    shapes = {
        **table_shapes(keys.rows, keys.embedding_size),
        **dense_shapes(PROJECTION, keys.embedding_size, keys.hidden_size),
        **block_shapes(LAYER, BLOCK, keys.hidden_size, keys.intermediate_size),
    }
    check_sizes(starting(start_of(sizes, MODEL_TYPE), shapes), sizes)
    return found


def convert(about: About, tensors: Tensors) -> Weights:
    """Every layer is the same one, turned."""
    start = start_of(tensors, MODEL_TYPE)
    layers = (read_block(tensors, f"{start}{LAYER}", BLOCK),) * about.num_layers
    projection = read_dense(tensors, f"{start}{PROJECTION}")
    head = read_head(HEAD, about, tensors, start)
    return read_weights(about, tensors, start, layers, head, projection)
