"""BART (Lewis et al. 2020): learned positions, layer norm after the embedding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attnscope.attention.ops import Norm
from attnscope.families import bart_base
from attnscope.families.bart_base import layers_of, unembedding_of
from attnscope.families.keys import read_keys
from attnscope.families.model import EncoderEmbeddings, ModelConfig, Sizes, Tensors, Weights
from attnscope.families.pairs import start_of, tables

MODEL_TYPE = "bart"
OFFSET = 2  # unused rows at the start of the position table


class Keys(bart_base.Keys):
    normalize_embedding: Literal[True] = True
    static_position_embeddings: Literal[False] = False
    extra_pos_embeddings: Literal[2] = 2


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    keys.checked()
    start, width = start_of(sizes), keys.d_model
    more: dict[str, tuple[int, ...]] = {}
    for half in ("encoder", "decoder"):
        at = f"{start}{half}."
        more[f"{at}embed_positions.weight"] = (keys.max_position_embeddings + OFFSET, width)
        more |= {f"{at}layernorm_embedding.{kind}": (width,) for kind in ("weight", "bias")}
    return bart_base.about(MODEL_TYPE, keys, "learned", sizes, more)


def convert(about: ModelConfig, tensors: Tensors) -> Weights:
    sides = zip(("encoder", "decoder"), tables(tensors, about.tied), strict=False)
    source, text = (_side(about, tensors, half, table) for half, table in sides)
    return Weights(
        layers_of(about, tensors), text.embedding, unembedding_of(about, tensors), text.position,
        text.embedding_norm, about.embedding_scale, source=source,
    )  # fmt: skip


def _side(about: ModelConfig, tensors: Tensors, half: str, table: str) -> EncoderEmbeddings:
    at = f"{start_of(tensors)}{half}."
    gain, bias = (tensors[f"{at}layernorm_embedding.{kind}"] for kind in ("weight", "bias"))
    norm = Norm(gain, bias, about.architecture.epsilon)
    return EncoderEmbeddings(tensors[table], tensors[f"{at}embed_positions.weight"][OFFSET:], norm)
