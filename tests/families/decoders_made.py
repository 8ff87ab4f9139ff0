"""Small Phi, GPT-NeoX, OPT, BLOOM and Falcon with random weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator

from tests.families.llama_made import llama_tensors

COMMON: dict[str, Any] = {
    "vocab_size": 300, "hidden_size": 24, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0,
}  # fmt: skip
LAYERS: dict[str, Any] = {
    "num_hidden_layers": 2, "num_attention_heads": 3, "max_position_embeddings": 64,
}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {
    "phi": {**LAYERS, "intermediate_size": 40},
    "phi3": {
        **LAYERS, "intermediate_size": 40, "num_attention_heads": 4, "num_key_value_heads": 2
    },
    "gpt_neox": {**LAYERS, "intermediate_size": 40},
    "opt": {**LAYERS, "ffn_dim": 40},
    "bloom": {"n_layer": 2, "n_head": 3},
    "falcon": LAYERS,
}  # fmt: skip
LINEAR = {"type": "linear", "factor": 2.0}
LONG = {
    "type": "longrope", "short_factor": [1.0, 1.5, 2.0], "long_factor": [2.0, 3.0, 5.0],
}  # fmt: skip
OLD = {"multi_query": False, "bias": True}
NEW = {"new_decoder_architecture": True, "num_attention_heads": 4, "num_kv_heads": 2}

# Family → name → other keys.
BY_FAMILY: dict[str, dict[str, dict[str, Any]]] = {
    "phi": {
        "phi": {},
        "phi_normed": {
            "qk_layernorm": True, "num_key_value_heads": 1, "partial_rotary_factor": 0.75
        },
        "phi_tied": {
            "tie_word_embeddings": True, "rope_scaling": LINEAR, "hidden_act": "gelu",
            "layer_norm_eps": 0.1,
        },
        "phi_parts": {"rope_parameters": {"rope_type": "default", "rope_theta": 50.0}},
    },
    "phi3": {
        "phi3": {},
        "phi3_long": {"rope_scaling": LONG, "original_max_position_embeddings": 4},
        "phi3_short": {
            "rope_scaling": {**LONG, "type": "su", "original_max_position_embeddings": 2},
            "original_max_position_embeddings": 32, "rope_theta": 300.0,
        },
        "phi3_yarn": {
            "rope_scaling": {
                "type": "yarn", "short_factor": [1.0, 2.0], "long_factor": [2.0, 3.0],
                "attention_factor": 1.5,
            },
            "partial_rotary_factor": 0.7, "num_key_value_heads": None,
        },
        "phi3_window": {
            "sliding_window": 3, "tie_word_embeddings": True, "head_dim": 8, "rms_norm_eps": 0.1
        },
    },
    "gpt_neox": {
        "gpt_neox": {},
        "gpt_neox_behind": {
            "use_parallel_residual": False, "rotary_pct": 1.0, "rotary_emb_base": 50
        },
        "gpt_neox_bare": {
            "attention_bias": False, "hidden_act": "gelu_fast", "layer_norm_eps": 0.1,
            "rope_parameters": {
                "rope_type": "default", "rope_theta": 50.0, "partial_rotary_factor": 0.5
            },
        },
        "gpt_neox_tied": {
            "tie_word_embeddings": True, "rope_scaling": LINEAR, "rotary_pct": 0.5
        },
    },
    "opt": {
        "opt": {},
        "opt_behind": {"do_layer_norm_before": False, "activation_function": "gelu"},
        "opt_bare": {
            "enable_bias": False, "_remove_final_layer_norm": True, "tie_word_embeddings": False
        },
    },
    "bloom": {
        "bloom": {},
        "bloom_old": {
            "n_embed": 32, "num_attention_heads": 4, "num_hidden_layers": 3,
            "layer_norm_epsilon": 0.1, "tie_word_embeddings": False,
        },
    },
    "falcon": {
        "falcon": {},
        "falcon_new": NEW,
        "falcon_new_one": {
            **NEW, "num_ln_in_parallel_attn": 1, "bias": True, "ffn_hidden_size": 40,
            "activation": "relu", "rope_theta": 50.0, "tie_word_embeddings": False,
        },
        "falcon_old": {**OLD, "parallel_attn": False, "layer_norm_epsilon": 0.1},
        "falcon_beside": {**OLD, "num_kv_heads": 3, "rope_scaling": LINEAR},
    },
}  # fmt: skip
CASES = {case: keys for cases in BY_FAMILY.values() for case, keys in cases.items()}


def config_of(case: str) -> dict[str, Any]:
    family = next(family for family, cases in BY_FAMILY.items() if case in cases)
    return {"model_type": family, **COMMON, **KINDS[family], **CASES[case]}


def decoder_tensors(config: Mapping[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Random, named as in a model with head."""
    if config["model_type"] == "phi3":
        return _fused(llama_tensors({"head_dim": None, **config}, seed), config)
    draw, settings = Generator(PCG64(seed)), dict(config)
    named = {
        "phi": _phi, "gpt_neox": _gpt_neox, "opt": _opt, "bloom": _bloom, "falcon": _falcon
    }[config["model_type"]](settings)  # fmt: skip
    tensors = {}
    for name, shape in named.items():
        array = draw.normal(size=shape)
        if len(shape) == 1:
            array = 0.2 * array + name.endswith("weight")
        elif "embed" not in name:
            array = array / np.sqrt(shape[1])
        tensors[name] = array.astype(np.float32)
    return tensors


def _fused(tensors: dict[str, np.ndarray], config: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Llama's matrices, fused as in Phi-3."""
    found = dict(tensors)
    for i in range(config["num_hidden_layers"]):
        at = f"model.layers.{i}."
        for whole, parts in (
            ("self_attn.qkv_proj", [f"self_attn.{letter}_proj" for letter in "qkv"]),
            ("mlp.gate_up_proj", ["mlp.gate_proj", "mlp.up_proj"]),
        ):
            rows = [found.pop(f"{at}{part}.weight") for part in parts]
            found[f"{at}{whole}.weight"] = np.concatenate(rows)
    return found


Shapes = dict[str, tuple[int, ...]]


def _linear(name: str, rows: int, cols: int, bias: bool = True) -> Shapes:
    found: Shapes = {f"{name}.weight": (rows, cols)}
    return {**found, f"{name}.bias": (rows,)} if bias else found


def _norm(name: str, width: int) -> Shapes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def _phi(config: dict[str, Any]) -> Shapes:
    width, hidden, heads = config["hidden_size"], config["intermediate_size"], 3
    d = width // heads
    kv = d * (config.get("num_key_value_heads") or heads)
    found: Shapes = {"model.embed_tokens.weight": (300, width)}
    for i in range(config["num_hidden_layers"]):
        at = f"model.layers.{i}."
        for name, rows in (("q_proj", width), ("k_proj", kv), ("v_proj", kv), ("dense", width)):
            found |= _linear(f"{at}self_attn.{name}", rows, width)
        if config.get("qk_layernorm"):
            for name in ("q_layernorm", "k_layernorm"):
                found |= _norm(f"{at}self_attn.{name}", d)
        found |= _linear(f"{at}mlp.fc1", hidden, width) | _linear(f"{at}mlp.fc2", width, hidden)
        found |= _norm(f"{at}input_layernorm", width)
    found |= _norm("model.final_layernorm", width) | _linear("lm_head", 300, width)
    if config.get("tie_word_embeddings"):
        del found["lm_head.weight"]
    return found


def _gpt_neox(config: dict[str, Any]) -> Shapes:
    width, hidden = config["hidden_size"], config["intermediate_size"]
    bias = config.get("attention_bias", True)
    found: Shapes = {"gpt_neox.embed_in.weight": (300, width)}
    for i in range(config["num_hidden_layers"]):
        at = f"gpt_neox.layers.{i}."
        found |= _linear(f"{at}attention.query_key_value", 3 * width, width, bias)
        found |= _linear(f"{at}attention.dense", width, width, bias)
        found |= _linear(f"{at}mlp.dense_h_to_4h", hidden, width)
        found |= _linear(f"{at}mlp.dense_4h_to_h", width, hidden)
        for name in ("input_layernorm", "post_attention_layernorm"):
            found |= _norm(f"{at}{name}", width)
    found |= _norm("gpt_neox.final_layer_norm", width)
    return (
        found if config.get("tie_word_embeddings") else found | {"embed_out.weight": (300, width)}
    )


def _opt(config: dict[str, Any]) -> Shapes:
    width, hidden, bias = config["hidden_size"], config["ffn_dim"], config.get("enable_bias", True)
    start = "model.decoder."
    found: Shapes = {
        f"{start}embed_tokens.weight": (300, width),
        f"{start}embed_positions.weight": (config["max_position_embeddings"] + 2, width),
    }
    for i in range(config["num_hidden_layers"]):
        at = f"{start}layers.{i}."
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            found |= _linear(f"{at}self_attn.{name}", width, width, bias)
        found |= _linear(f"{at}fc1", hidden, width, bias) | _linear(f"{at}fc2", width, hidden, bias)
        for name in ("self_attn_layer_norm", "final_layer_norm"):
            found |= _norm(f"{at}{name}", width)
    if config.get("do_layer_norm_before", True) and not config.get("_remove_final_layer_norm"):
        found |= _norm(f"{start}final_layer_norm", width)
    tied = config.get("tie_word_embeddings", True)
    return found if tied else found | {"lm_head.weight": (300, width)}


def _bloom(config: dict[str, Any]) -> Shapes:
    width = config.get("n_embed") or config["hidden_size"]
    found: Shapes = {"transformer.word_embeddings.weight": (300, width)}
    for i in range(config.get("num_hidden_layers") or config["n_layer"]):
        found |= _fused_block(f"transformer.h.{i}.", width, 3 * width, 4 * width)
        found |= _norm(f"transformer.h.{i}.post_attention_layernorm", width)
        found |= _norm(f"transformer.h.{i}.input_layernorm", width)
    found |= _norm("transformer.word_embeddings_layernorm", width)
    found |= _norm("transformer.ln_f", width)
    tied = config.get("tie_word_embeddings", True)
    return found if tied else found | {"lm_head.weight": (300, width)}


def _falcon(config: dict[str, Any]) -> Shapes:
    width, heads = config["hidden_size"], config["num_attention_heads"]
    new, bias, d = config.get("new_decoder_architecture"), config.get("bias", False), width // heads
    shared = config["num_kv_heads"] if new else 1 if config.get("multi_query", True) else heads
    hidden = config.get("ffn_hidden_size") or 4 * width
    norms = ["input_layernorm"]
    if new and config.get("num_ln_in_parallel_attn") != 1:
        norms = ["ln_attn", "ln_mlp"]
    elif not config.get("parallel_attn", True):
        norms += ["post_attention_layernorm"]
    found: Shapes = {"transformer.word_embeddings.weight": (300, width)}
    for i in range(config["num_hidden_layers"]):
        at = f"transformer.h.{i}."
        found |= _fused_block(at, width, d * (heads + 2 * shared), hidden, bias)
        for name in norms:
            found |= _norm(f"{at}{name}", width)
    found |= _norm("transformer.ln_f", width)
    tied = config.get("tie_word_embeddings", True)
    return found if tied else found | {"lm_head.weight": (300, width)}


def _fused_block(at: str, width: int, fused: int, hidden: int, bias: bool = True) -> Shapes:
    """Of BLOOM and Falcon."""
    return {
        **_linear(f"{at}self_attention.query_key_value", fused, width, bias),
        **_linear(f"{at}self_attention.dense", width, width, bias),
        **_linear(f"{at}mlp.dense_h_to_4h", hidden, width, bias),
        **_linear(f"{at}mlp.dense_4h_to_h", width, hidden, bias),
    }
