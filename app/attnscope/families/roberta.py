"""RoBERTa (Liu et al. 2019), XLM-RoBERTa, CamemBERT: positions start after the padding index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from attnscope.families import bert, encoders
from attnscope.families.encoder_base import EncoderVariant
from attnscope.families.encoders import Head
from attnscope.families.keys import Count, read_keys
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "roberta"
HEAD = Head("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias")
KIND = EncoderVariant(MODEL_TYPE, HEAD, activation="gelu")
convert = KIND.convert


class Keys(encoders.Keys):
    silent = bert.Keys.silent

    vocab_size: Count = 50265
    pad_token_id: Annotated[int, Field(ge=0)] = 1


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    context = keys.max_position_embeddings - keys.pad_token_id - 1
    if context < 1:
        raise keys.refused("pad_token_id")
    return replace(KIND.about(keys, sizes, context=context), padding=keys.pad_token_id)
