"""DistilBERT (Sanh et al. 2019): no token types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import encoders
from attnscope.families.encoder_base import EncoderVariant
from attnscope.families.encoders import TABLES, Depth, Head, names_of
from attnscope.families.keys import Act, ConfigKeys, Count, read_keys
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "distilbert"
# sinusoidal_pos_embds has no effect, as checkpoints store positions.
SAYS_NOTHING = """
    attention_dropout dropout qa_dropout seq_classif_dropout sinusoidal_pos_embds tie_weights_
"""
NAMES = names_of(
    ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "ffn.lin1",
     "ffn.lin2"),
    "sa_layer_norm", "output_layer_norm",
)  # fmt: skip
EPSILON = 1e-12
KIND = EncoderVariant(
    MODEL_TYPE, Head("vocab_transform", "vocab_layer_norm", "vocab_projector"),
    layers="transformer.layer", names=NAMES, tables=TABLES[:2], heads_key="n_heads",
)  # fmt: skip
convert = KIND.convert


class Keys(ConfigKeys):
    silent = frozenset(SAYS_NOTHING.split())
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


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    return KIND.about(read_keys(config, Keys).as_bert(), sizes)
