"""Marian (Junczys-Dowmunt et al. 2018), as in OPUS-MT. The decoder starts with <pad>."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from attnscope.attention.positions import sinusoidal
from attnscope.families import bart_base
from attnscope.families.bart_base import layers_of, unembedding_of
from attnscope.families.keys import Count, read_keys
from attnscope.families.model import EncoderEmbeddings, ModelConfig, Sizes, Tensors, Weights
from attnscope.families.pairs import start_of, tables

MODEL_TYPE = "marian"
HALVES = ("encoder", "decoder")


class Keys(bart_base.Keys):
    """Vocabularies of two sizes are refused."""

    silent = bart_base.SAYS_NOTHING | {"extra_pos_embeddings"}

    vocab_size: Count = 58101
    decoder_vocab_size: Count | None = None
    decoder_start_token_id: Annotated[int, Field(ge=0)] = 58100
    share_encoder_decoder_embeddings: bool = True
    normalize_embedding: Literal[False] = False
    static_position_embeddings: Literal[True] = True


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    keys.checked()
    if keys.decoder_vocab_size not in (None, keys.vocab_size):
        raise keys.refused("decoder_vocab_size")
    places = (keys.max_position_embeddings, keys.d_model)
    stored = (_places(start_of(sizes), half) for half in HALVES)
    more = {name: places for name in stored if name in sizes}
    return bart_base.about(MODEL_TYPE, keys, "sinusoidal", sizes, more)


def convert(about: ModelConfig, tensors: Tensors) -> Weights:
    start = start_of(tensors)
    source, text, _ = (tensors[name] for name in tables(tensors, about.tied))
    at_source, at_text = (_positions(about, tensors, _places(start, half)) for half in HALVES)
    return Weights(
        layers_of(about, tensors), text, unembedding_of(about, tensors), at_text,
        embedding_scale=about.embedding_scale, source=EncoderEmbeddings(source, at_source),
    )  # fmt: skip


def _places(start: str, half: str) -> str:
    return f"{start}{half}.embed_positions.weight"


def _positions(about: ModelConfig, tensors: Tensors, name: str) -> np.ndarray:
    """Stored positions, or else sines in the first half of the columns, cosines in the second."""
    if name in tensors:
        return tensors[name]
    mixed = sinusoidal(about.context, about.architecture.shape.d_model)
    return np.concatenate([mixed[:, 0::2], mixed[:, 1::2]], axis=1).astype(np.float32)
