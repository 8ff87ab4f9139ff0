"""GPT-NeoX (Black et al. 2022) and Pythia."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from attnscope.attention.architecture import EPSILON, Architecture
from attnscope.families.keys import ACTIVATIONS, Act, Count, read_keys, shape_of
from attnscope.families.layer_norm_base import LETTERS, LayerNormVariant, Spec
from attnscope.families.model import ModelConfig, Sizes
from attnscope.families.rope import Factor, RopeMapping, rotary_of

MODEL_TYPE = "gpt_neox"
SAYS_NOTHING = """
    attention_dropout attention_probs_dropout_prob classifier_dropout hidden_dropout
    hidden_dropout_prob is_decoder
"""
QKV = "attention.query_key_value"
KIND = LayerNormVariant(
    family=MODEL_TYPE, start="gpt_neox.", embedding="embed_in", layers="layers",
    final_norm="final_layer_norm", heads=("embed_out", "lm_head"), by_kv_head=True,
    matrices={
        **dict.fromkeys("qkv", QKV), "o": "attention.dense", "in": "mlp.dense_h_to_4h",
        "out": "mlp.dense_4h_to_h",
    },
    norms={"norm": "input_layernorm", "mlp_norm": "post_attention_layernorm"},
)  # fmt: skip
convert = KIND.convert
Share = Annotated[float, Field(gt=0, le=1)]


class Keys(RopeMapping):
    silent = frozenset(SAYS_NOTHING.split())

    vocab_size: Count = 50432
    hidden_size: Count = 6144
    intermediate_size: Count = 24576
    num_hidden_layers: Annotated[int, Field(ge=1, le=1024)] = 44
    num_attention_heads: Count = 64
    hidden_act: Act = "gelu"
    max_position_embeddings: Count = 2048
    layer_norm_eps: Annotated[float, Field(ge=0, le=1)] = EPSILON
    rotary_emb_base: Factor = 10000.0
    rotary_pct: Share = 0.25
    use_parallel_residual: bool = True
    attention_bias: bool = True
    tie_word_embeddings: bool = False

    def rotary_mapping(self) -> dict[str, Any]:
        own = {"rope_theta": self.rotary_emb_base, "partial_rotary_factor": self.rotary_pct}
        return own | self.scaling_mapping()


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    shape = shape_of(keys.hidden_size, keys.num_attention_heads)
    architecture = Architecture(
        shape, keys.num_hidden_layers, "parallel" if keys.use_parallel_residual else "pre_norm",
        "rotary", keys.intermediate_size, ACTIVATIONS[keys.hidden_act],
        epsilon=keys.layer_norm_eps,
        rotary=rotary_of(
            keys.rotary_mapping(), shape.d_k, keys.max_position_embeddings, partial=True
        ),
    )  # fmt: skip
    spec = Spec(
        architecture=architecture, vocabulary=keys.vocab_size,
        context=keys.max_position_embeddings, tied=keys.tie_word_embeddings,
        biased=LETTERS if keys.attention_bias else frozenset({"in", "out"}),
    )  # fmt: skip
    return KIND.about(spec, sizes)
