"""ELECTRA (Clark et al. 2020): BERT whose embeddings may be narrower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import encoders
from attnscope.families.bert import SILENT as SILENT_IN_BERT
from attnscope.families.encoders import (
    about_encoder,
    dense_shapes,
    layer_shapes,
    read_dense,
    read_layers,
    read_weights,
    start_of,
    starting,
    table_shapes,
)
from attnscope.families.keys import Count, check_sizes, read_keys
from attnscope.families.masked_heads import Head, predicts_masked, read_head
from attnscope.families.model import About, Sizes, Tensors, Weights

MODEL_TYPE = "electra"
SAYS_NOTHING = "summary_activation summary_last_dropout summary_type summary_use_proj"
SILENT = SILENT_IN_BERT | frozenset(SAYS_NOTHING.split())
PROJECTION = "embeddings_project"
HEAD = Head("generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head")


class Keys(encoders.Keys):
    silent = SILENT

    embedding_size: Count = 128
    hidden_size: Count = 256
    num_attention_heads: Count = 4
    intermediate_size: Count = 1024


def about(config: Mapping[str, Any], sizes: Sizes) -> About:
    keys = read_keys(config, Keys)
    predicts = predicts_masked(HEAD, keys, keys.embedding_size, sizes)
    found = about_encoder(MODEL_TYPE, keys, predicts)
    shapes = table_shapes(keys.rows, keys.embedding_size) | layer_shapes("encoder.layer", found)
    if keys.embedding_size != keys.hidden_size:
        shapes |= dense_shapes(PROJECTION, keys.embedding_size, keys.hidden_size)
    check_sizes(starting(start_of(sizes, MODEL_TYPE), shapes), sizes)
    return found


def convert(about: About, tensors: Tensors) -> Weights:
    """There is no projection if embedding and layers are equally wide."""
    start = start_of(tensors, MODEL_TYPE)
    layers = read_layers(about, tensors, f"{start}encoder.layer")
    width = len(tensors[f"{start}embeddings.LayerNorm.weight"])
    same = width == about.architecture.shape.d_model
    projection = None if same else read_dense(tensors, f"{start}{PROJECTION}")
    head = read_head(HEAD, about, tensors, start, "gelu")
    return read_weights(about, tensors, start, layers, head, projection)
