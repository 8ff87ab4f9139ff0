"""GPT-2 (Radford et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from attnscope.attention.architecture import EPSILON, Architecture, LayerSettings, Parameters
from attnscope.attention.unembed import Unembedding
from attnscope.families.keys import (
    ACTIVATIONS,
    Act,
    ConfigKeys,
    Count,
    check_sizes,
    read_keys,
    shape_of,
)
from attnscope.families.layers import Layers
from attnscope.families.model import ModelConfig, Sizes, Tensors, Weights

MODEL_TYPE = "gpt2"
SAYS_NOTHING = """
    attn_pdrop embd_pdrop reorder_and_upcast_attn resid_pdrop summary_activation
    summary_first_dropout summary_proj_to_labels summary_type summary_use_proj
"""
HEAD = "lm_head.weight"
CONV1D = frozenset({"c_attn", "c_fc", "c_proj"})  # weights [d_in, d_out], unlike Linear


class Keys(ConfigKeys):
    silent = frozenset(SAYS_NOTHING.split())
    also = (
        ("hidden_size", "n_embd"),
        ("max_position_embeddings", "n_positions"),
        ("num_attention_heads", "n_head"),
        ("num_hidden_layers", "n_layer"),
    )

    vocab_size: Count = 50257
    n_positions: Count = 1024
    n_embd: Count = 768
    n_layer: Annotated[int, Field(ge=1, le=1024)] = 12
    n_head: Count = 12
    n_inner: Count | None = None
    activation_function: Act = "gelu_new"
    layer_norm_epsilon: Annotated[float, Field(ge=0, le=1)] = EPSILON
    scale_attn_weights: bool = True
    scale_attn_by_inverse_layer_idx: bool = False
    add_cross_attention: Literal[False] = False
    tie_word_embeddings: bool = True


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    width, hidden = keys.n_embd, keys.n_inner or 4 * keys.n_embd
    shape = shape_of(width, keys.n_head, at=("n_head", ""))
    start = _start(sizes)
    own = {HEAD: (keys.vocab_size, width)} if HEAD in sizes else {}
    check_sizes(_wanted(keys, start) | own, sizes)
    head = bool(own) or keys.tie_word_embeddings
    architecture = Architecture(
        shape, keys.n_layer, "pre_norm", "learned", hidden,
        ACTIVATIONS[keys.activation_function], final_norm=head, epsilon=keys.layer_norm_epsilon,
        scale=None if keys.scale_attn_weights else 1.0, own=_own(keys, shape.d_k),
    )  # fmt: skip
    return ModelConfig(
        family=MODEL_TYPE,
        architecture=architecture,
        context=keys.n_positions,
        vocabulary=keys.vocab_size,
        causal=True,
        predicts="next" if head else None,
    )


def _own(keys: Keys, d_k: int) -> tuple[LayerSettings, ...]:
    if not keys.scale_attn_by_inverse_layer_idx:
        return ()
    scale = d_k**-0.5 if keys.scale_attn_weights else 1.0
    return tuple(LayerSettings(scale=scale / (layer + 1)) for layer in range(keys.n_layer))


def convert(about: ModelConfig, tensors: Tensors) -> Weights:
    start, architecture = _start(tensors), about.architecture
    layers = Layers(
        architecture.num_layers,
        lambda i: _layer(tensors, f"{start}h.{i}.", architecture.shape.d_model),
    )
    embedding = tensors[f"{start}wte.weight"]
    unembedding = None
    if about.predicts:
        matrix = tensors.get(HEAD, embedding)
        gain, bias = (tensors[f"{start}ln_f.{what}"] for what in ("weight", "bias"))
        unembedding = Unembedding(matrix.T, gain, bias, architecture.epsilon)
    return Weights(layers, embedding, unembedding, tensors[f"{start}wpe.weight"])


def _layer(tensors: Tensors, at: str, width: int) -> Parameters:
    fused, bias = tensors[f"{at}attn.c_attn.weight"], tensors[f"{at}attn.c_attn.bias"]
    w_q, w_k, w_v = (fused[:, i * width : (i + 1) * width] for i in range(3))
    b_q, b_k, b_v = np.split(bias, 3)
    return Parameters(
        w_q, w_k, w_v, tensors[f"{at}attn.c_proj.weight"],
        b_q, b_k, b_v, tensors[f"{at}attn.c_proj.bias"],
        norm_gain=tensors[f"{at}ln_1.weight"], norm_bias=tensors[f"{at}ln_1.bias"],
        w_in=tensors[f"{at}mlp.c_fc.weight"], b_in=tensors[f"{at}mlp.c_fc.bias"],
        w_out=tensors[f"{at}mlp.c_proj.weight"], b_out=tensors[f"{at}mlp.c_proj.bias"],
        mlp_norm_gain=tensors[f"{at}ln_2.weight"], mlp_norm_bias=tensors[f"{at}ln_2.bias"],
    )  # fmt: skip


def _start(names: Mapping[str, Any]) -> str:
    return "transformer." if "transformer.wte.weight" in names else ""


def _wanted(keys: Keys, start: str) -> dict[str, tuple[int, ...]]:
    width, hidden = keys.n_embd, keys.n_inner or 4 * keys.n_embd
    found: dict[str, tuple[int, ...]] = {
        "wte.weight": (keys.vocab_size, width), "wpe.weight": (keys.n_positions, width),
        "ln_f.weight": (width,), "ln_f.bias": (width,),
    }  # fmt: skip
    inner = {
        "ln_1": (width,), "ln_2": (width,), "attn.c_attn": (width, 3 * width),
        "attn.c_proj": (width, width), "mlp.c_fc": (width, hidden), "mlp.c_proj": (hidden, width),
    }  # fmt: skip
    for i in range(keys.n_layer):
        for name, shape in inner.items():
            found[f"h.{i}.{name}.weight"] = shape
            found[f"h.{i}.{name}.bias"] = shape[-1:]
    return {f"{start}{name}": shape for name, shape in found.items()}
