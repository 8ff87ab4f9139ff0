"""RoBERTa (Liu et al. 2019), XLM-RoBERTa, CamemBERT: positions start after the padding index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from attnscope.errors import BadWeightsFile
from attnscope.families import encoders
from attnscope.families.bert import SILENT
from attnscope.families.encoders import (
    about_encoder,
    layer_shapes,
    read_layers,
    read_weights,
    start_of,
    starting,
    table_shapes,
)
from attnscope.families.keys import Count, check_sizes, read_keys
from attnscope.families.masked_heads import Head, predicts_masked, read_head
from attnscope.families.model import About, Sizes, Tensors, Weights

MODEL_TYPE = "roberta"
HEAD = Head("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias")


class Keys(encoders.Keys):
    silent = SILENT

    vocab_size: Count = 50265
    pad_token_id: Annotated[int, Field(ge=0)] = 1


def about(config: Mapping[str, Any], sizes: Sizes) -> About:
    keys = read_keys(config, Keys)
    context = keys.max_position_embeddings - keys.pad_token_id - 1
    if context < 1:
        raise BadWeightsFile("unknown_value", at="pad_token_id", value=str(keys.pad_token_id))
    predicts = predicts_masked(HEAD, keys, keys.hidden_size, sizes)
    found = about_encoder(MODEL_TYPE, keys, predicts, context=context)
    shapes = table_shapes(keys.rows, keys.hidden_size) | layer_shapes("encoder.layer", found)
    check_sizes(starting(start_of(sizes, MODEL_TYPE), shapes), sizes)
    return found


def convert(about: About, tensors: Tensors) -> Weights:
    start = start_of(tensors, MODEL_TYPE)
    layers = read_layers(about, tensors, f"{start}encoder.layer")
    head = read_head(HEAD, about, tensors, start, "gelu")
    return read_weights(about, tensors, start, layers, head)
