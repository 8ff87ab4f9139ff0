"""DistilBERT (Sanh et al. 2019): no token types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import encoders
from attnscope.families.encoders import (
    Depth,
    about_encoder,
    layer_shapes,
    names_of,
    read_layers,
    read_weights,
    start_of,
    starting,
    table_shapes,
)
from attnscope.families.keys import Act, ConfigKeys, Count, check_sizes, read_keys
from attnscope.families.masked_heads import Head, predicts_masked, read_head
from attnscope.families.model import About, Sizes, Tensors, Weights

MODEL_TYPE = "distilbert"
# Sinusoidal positions are stored too.
SAYS_NOTHING = """
    attention_dropout dropout qa_dropout seq_classif_dropout sinusoidal_pos_embds tie_weights_
"""
SILENT = frozenset(SAYS_NOTHING.split())
NAMES = names_of(
    ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "ffn.lin1",
     "ffn.lin2"),
    "sa_layer_norm", "output_layer_norm",
)  # fmt: skip
EPSILON = 1e-12
HEAD = Head("vocab_transform", "vocab_layer_norm", "vocab_projector")


class Keys(ConfigKeys):
    silent = SILENT
    also = (
        ("hidden_size", "dim"),
        ("num_attention_heads", "n_heads"),
        ("num_hidden_layers", "n_layers"),
    )

    vocab_size: Count = 30522
    max_position_embeddings: Count = 512
    n_layers: Depth = 6
    n_heads: Count = 12
    dim: Count = 768
    hidden_dim: Count = 3072
    activation: Act = "gelu"
    tie_word_embeddings: bool = True

    def as_bert(self) -> encoders.Keys:
        return encoders.Keys(
            vocab_size=self.vocab_size, max_position_embeddings=self.max_position_embeddings,
            num_hidden_layers=self.n_layers, num_attention_heads=self.n_heads,
            hidden_size=self.dim, intermediate_size=self.hidden_dim, hidden_act=self.activation,
            layer_norm_eps=EPSILON, tie_word_embeddings=self.tie_word_embeddings,
        )  # fmt: skip


def about(config: Mapping[str, Any], sizes: Sizes) -> About:
    keys = read_keys(config, Keys).as_bert()
    predicts = predicts_masked(HEAD, keys, keys.hidden_size, sizes)
    found = about_encoder(MODEL_TYPE, keys, predicts, heads="n_heads")
    rows = {name: count for name, count in keys.rows.items() if name != "token_type"}
    shapes = table_shapes(rows, keys.hidden_size) | layer_shapes("transformer.layer", found, NAMES)
    check_sizes(starting(start_of(sizes, MODEL_TYPE), shapes), sizes)
    return found


def convert(about: About, tensors: Tensors) -> Weights:
    start = start_of(tensors, MODEL_TYPE)
    layers = read_layers(about, tensors, f"{start}transformer.layer", NAMES)
    head = read_head(HEAD, about, tensors, start)
    return read_weights(about, tensors, start, layers, head)
