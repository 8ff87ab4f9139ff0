"""Small Llama and relatives with random weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator

SIZES: dict[str, Any] = {
    "vocab_size": 300, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64,
    "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0, "head_dim": 6,
}  # fmt: skip
SANDWICH = ("pre_feedforward_layernorm", "post_feedforward_layernorm")
GEMMA = {"model_type": "gemma", "hidden_activation": "gelu_pytorch_tanh", "head_dim": 8}
GEMMA2 = {
    **GEMMA, "model_type": "gemma2", "query_pre_attn_scalar": 5, "sliding_window": 4,
    "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0,
}  # fmt: skip
GEMMA3 = {
    **GEMMA, "model_type": "gemma3_text", "query_pre_attn_scalar": 5, "sliding_window": 4,
    "sliding_window_pattern": 2, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
    "num_hidden_layers": 3,
}  # fmt: skip
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
QWEN3 = {"model_type": "qwen3", "head_dim": 8}

# Name → other keys.
CASES: dict[str, dict[str, Any]] = {
    "llama": {},
    "llama_heads": {"num_key_value_heads": None, "head_dim": None, "rms_norm_eps": 0.1},
    "llama_tied": {"tie_word_embeddings": True, "num_key_value_heads": 1, "hidden_act": "gelu"},
    "llama_bias": {"attention_bias": True, "mlp_bias": True},
    "llama_theta": {"rope_theta": 500.0, "head_dim": 10},
    "llama_linear": {"rope_scaling": {"type": "linear", "factor": 2.0}},
    "llama_dynamic": {"rope_scaling": {"type": "dynamic", "factor": 2.0}},
    "llama_llama3": {"rope_scaling": LLAMA3, "rope_theta": 100.0},
    "llama_yarn": {"rope_scaling": YARN},
    "llama_yarn_told": {
        "rope_parameters": {
            **YARN, "rope_theta": 300.0, "beta_fast": 8.0, "beta_slow": 2.0, "mscale": 0.7,
            "mscale_all_dim": 1.3, "truncate": False,
        }
    },
    "llama_parts": {"rope_parameters": {"rope_type": "default", "rope_theta": 50.0}},
    "mistral": {"model_type": "mistral", "sliding_window": 4},
    "mistral_whole": {"model_type": "mistral", "sliding_window": None},
    "qwen2": {"model_type": "qwen2"},
    "qwen2_window": {
        "model_type": "qwen2", "use_sliding_window": True, "sliding_window": 3,
        "max_window_layers": 1,
    },
    "qwen2_types": {
        "model_type": "qwen2", "use_sliding_window": True, "sliding_window": 3,
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "qwen3": QWEN3,
    "qwen3_bias": {**QWEN3, "attention_bias": True, "tie_word_embeddings": True},
    "gemma": GEMMA,
    "gemma_old": {"model_type": "gemma", "hidden_act": "gelu", "head_dim": 8},
    "gemma2": GEMMA2,
    "gemma2_uncapped": {
        **GEMMA2, "attn_logit_softcapping": None, "final_logit_softcapping": None,
        "attention_bias": True,
    },
    "gemma3": GEMMA3,
    "gemma3_scaled": {
        **GEMMA3, "rope_scaling": {"rope_type": "linear", "factor": 8.0},
        "final_logit_softcapping": 3.0,
    },
    "gemma3_nested": {
        **GEMMA3,
        "rope_parameters": {
            "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 1e5},
            "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
        },
        "layer_types": ["full_attention", "sliding_attention", "sliding_attention"],
    },
}  # fmt: skip


def config_of(case: str) -> dict[str, Any]:
    config = {"model_type": "llama", **SIZES, **CASES[case]}
    for name in ("rope_theta", "rope_local_base_freq"):  # the new spelling has it
        if "rope_parameters" in config:
            config.pop(name, None)
    return config


def llama_tensors(config: Mapping[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Random, named as in a model with head."""
    draw = Generator(PCG64(seed))
    width, hidden, heads = (
        config[name] for name in ("hidden_size", "intermediate_size", "num_attention_heads")
    )
    kind, d = config["model_type"], config["head_dim"] or width // heads
    q, kv = heads * d, (config["num_key_value_heads"] or heads) * d
    bias = config.get("attention_bias", False)
    matrices = {
        "self_attn.q_proj": (q, width, bias or kind == "qwen2"),
        "self_attn.k_proj": (kv, width, bias or kind == "qwen2"),
        "self_attn.v_proj": (kv, width, bias or kind == "qwen2"),
        "self_attn.o_proj": (width, q, bias),
        "mlp.gate_proj": (hidden, width, config.get("mlp_bias")),
        "mlp.up_proj": (hidden, width, config.get("mlp_bias")),
        "mlp.down_proj": (width, hidden, config.get("mlp_bias")),
    }
    vectors = {"input_layernorm": width, "post_attention_layernorm": width}
    if kind in ("gemma2", "gemma3_text"):
        vectors |= dict.fromkeys(SANDWICH, width)
    if kind in ("qwen3", "gemma3_text"):
        vectors |= {"self_attn.q_norm": d, "self_attn.k_norm": d}
    tensors = {"model.embed_tokens.weight": draw.normal(size=(config["vocab_size"], width))}
    for i in range(config["num_hidden_layers"]):
        at = f"model.layers.{i}."
        for name, (rows, cols, biased) in matrices.items():
            tensors[f"{at}{name}.weight"] = draw.normal(size=(rows, cols)) / np.sqrt(cols)
            if biased:
                tensors[f"{at}{name}.bias"] = 0.2 * draw.normal(size=rows)
        for name, size in vectors.items():
            tensors[f"{at}{name}.weight"] = 1 + 0.2 * draw.normal(size=size)
    tensors["model.norm.weight"] = 1 + 0.2 * draw.normal(size=width)
    if not config.get("tie_word_embeddings", kind.startswith("gemma")):
        tensors["lm_head.weight"] = draw.normal(size=(config["vocab_size"], width))
    return {name: array.astype(np.float32) for name, array in tensors.items()}
