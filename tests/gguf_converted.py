"""Folders as .gguf files, converted as in llama.cpp, with the names of the gguf package."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from safetensors.numpy import load_file

from tests.gguf_files import byte_level_keys, write_gguf

Config = Mapping[str, Any]
Tensors = dict[str, np.ndarray]


def converted(
    folder: Path,
    path: Path,
    tokenizer: Mapping[str, Any] | None = None,
    architecture: str | None = None,
    **more: Any,
) -> Path:
    """`tokenizer`: keys, if not byte-level; `architecture`: instead of the family's; `more`:
    keys, None removes one."""
    config = json.loads((folder / "config.json").read_bytes())
    usual, keys_of, change = FAMILIES[config["model_type"]]
    architecture = architecture or usual
    layers = next(config[name] for name in LAYERS if name in config)
    arch = next(one for one, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(arch, layers)
    stored: Tensors = {}
    for name, array in load_file(folder / "model.safetensors").items():
        name = name.removeprefix("transformer.") if architecture == "bloom" else name
        called = names.get_name(name, try_suffixes=(".weight", ".bias"))
        assert called is not None, name
        stored[called] = change(name, array, config)
    factors, attention_factor = _long_factors(config)
    keys = {"block_count": layers, **keys_of(config), **attention_factor, **more}
    settings = {f"{architecture}.{key}": value for key, value in keys.items() if value is not None}
    pieces = tokenizer or byte_level_keys((folder / "tokenizer.json").read_text())
    return write_gguf(path, architecture, settings | dict(pieces), stored | factors)


def _rope(config: Config) -> dict[str, Any]:
    """In either spelling; of Gemma 3 for layers without window."""
    settings = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    settings = settings.get("full_attention", settings)
    return {"rope_theta": config.get("rope_theta", 10000.0), **settings}


def _common(config: Config) -> dict[str, Any]:
    heads = config["num_attention_heads"]
    return {
        "context_length": config["max_position_embeddings"],
        "embedding_length": config["hidden_size"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": heads,
        "attention.head_count_kv": config.get("num_key_value_heads") or heads,
    }


def _gemma(config: Config) -> dict[str, Any]:
    return {
        **_common(config), "attention.key_length": config["head_dim"],
        "attention.value_length": config["head_dim"],
        "attention.layer_norm_rms_epsilon": config.get("rms_norm_eps", 1e-6),
    }  # fmt: skip


def _gemma2(config: Config) -> dict[str, Any]:
    return {
        **_gemma(config), "attn_logit_softcapping": config["attn_logit_softcapping"],
        "final_logit_softcapping": config["final_logit_softcapping"],
        "attention.sliding_window": config["sliding_window"],
    }  # fmt: skip


def _gemma3(config: Config) -> dict[str, Any]:
    rope = _rope(config)
    linear = rope.get("rope_type") == "linear"
    pattern = config.get("sliding_window_pattern") or config.get("_sliding_window_pattern", 6)
    return {
        **_gemma(config), "attention.sliding_window": config["sliding_window"],
        "rope.freq_base": rope["rope_theta"],
        "final_logit_softcapping": config.get("final_logit_softcapping"),
        "attention.sliding_window_pattern": None if pattern == 6 else pattern,
        "rope.scaling.type": "linear" if linear else None,
        "rope.scaling.factor": rope["factor"] if linear else None,
    }  # fmt: skip


def _phi3(config: Config) -> dict[str, Any]:
    share = _rope(config).get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    return {
        **_common(config), "attention.layer_norm_rms_epsilon": config.get("rms_norm_eps", 1e-5),
        "attention.sliding_window": config.get("sliding_window") or 0,
        "rope.scaling.original_context_length": _original(config),
        "rope.freq_base": _rope(config)["rope_theta"],
        "rope.dimension_count":
            int(share * config["hidden_size"]) // config["num_attention_heads"],
    }  # fmt: skip


def _original(config: Config) -> int:
    return int(config.get("original_max_position_embeddings", config["max_position_embeddings"]))


def _long_factors(config: Config) -> tuple[Tensors, dict[str, Any]]:
    """Phi-3's factors, and the magnitude of cos and sin."""
    rope = _rope(config)
    if "long_factor" not in rope:
        return {}, {}
    tensors = {f"rope_factors_{one}.weight": np.array(rope[f"{one}_factor"], np.float32)
               for one in ("short", "long")}  # fmt: skip
    scale = config["max_position_embeddings"] / _original(config)
    factor = math.sqrt(1 + math.log(scale) / math.log(_original(config)))
    return tensors, {"rope.scaling.attn_factor": factor}


def _phi(config: Config) -> dict[str, Any]:
    share = _rope(config).get("partial_rotary_factor", config.get("partial_rotary_factor", 0.5))
    heads, width = config["num_attention_heads"], config["hidden_size"]
    return {
        **_common(config), "attention.head_count_kv": heads, "feed_forward_length": 4 * width,
        "rope.dimension_count": int(share * width) // heads,
        "attention.layer_norm_epsilon": config.get("layer_norm_eps", 1e-5),
    }  # fmt: skip


def _gpt_neox(config: Config) -> dict[str, Any]:
    share = _rope(config).get("partial_rotary_factor", config.get("rotary_pct", 0.25))
    heads, width = config["num_attention_heads"], config["hidden_size"]
    return {
        **_common(config), "attention.head_count_kv": None,
        "rope.dimension_count": int(share * (width // heads)),
        "use_parallel_residual": config.get("use_parallel_residual", True),
        "attention.layer_norm_epsilon": config.get("layer_norm_eps", 1e-5),
    }  # fmt: skip


def _bloom(config: Config) -> dict[str, Any]:
    width = config["hidden_size"]
    return {
        "context_length": config.get("seq_length", 2048), "embedding_length": width,
        "feed_forward_length": 4 * width, "attention.head_count": config["n_head"],
        "attention.head_count_kv": config["n_head"],
        "attention.layer_norm_epsilon": config.get("layer_norm_epsilon", 1e-5),
    }  # fmt: skip


def _falcon(config: Config) -> dict[str, Any]:
    return {
        "context_length": 2048, "embedding_length": config["hidden_size"],
        "feed_forward_length": 4 * config["hidden_size"], "tensor_data_layout": "jploski",
        "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": _kv_heads(config),
        "attention.layer_norm_epsilon": config.get("layer_norm_epsilon", 1e-5),
    }  # fmt: skip


def _t5(config: Config) -> dict[str, Any]:
    return {
        "context_length": config.get("n_positions", 512), "embedding_length": config["d_model"],
        "feed_forward_length": config["d_ff"],
        "decoder_block_count": config.get("num_decoder_layers"),
        "attention.head_count": config["num_heads"], "attention.key_length": config["d_kv"],
        "attention.value_length": config["d_kv"],
        "attention.layer_norm_epsilon": config.get("layer_norm_epsilon", 1e-6),
        "attention.layer_norm_rms_epsilon": config.get("layer_norm_epsilon", 1e-6),
        "attention.relative_buckets_count": config.get("relative_attention_num_buckets", 32),
        "decoder_start_token_id": config.get("decoder_start_token_id", 0),
    }  # fmt: skip


def _kv_heads(config: Config) -> int:
    """Of fused q, k and v."""
    if config["model_type"] != "falcon":
        return int(config.get("n_head") or config["num_attention_heads"])
    new = config.get("new_decoder_architecture")
    return int(config["num_kv_heads"]) if new else 1


def _as_it_is(name: str, array: np.ndarray, config: Config) -> np.ndarray:
    return array


def _one_more(name: str, array: np.ndarray, config: Config) -> np.ndarray:
    return array + np.float32(1) if name.endswith("norm.weight") else array


def _q_k_v(name: str, array: np.ndarray, config: Config) -> np.ndarray:
    """All queries, then keys, then values."""
    if "query_key_value" not in name:
        return array
    heads = config.get("n_head") or config["num_attention_heads"]
    d = config["hidden_size"] // heads
    rows = array.reshape(_kv_heads(config), -1, d, *array.shape[1:])
    parts = (rows[:, :-2], rows[:, -2:-1], rows[:, -1:])
    return np.concatenate([part.reshape(-1, *array.shape[1:]) for part in parts])


LAYERS = ("num_hidden_layers", "n_layer", "num_layers")
KeysOf = Callable[[Config], dict[str, Any]]
Change = Callable[[str, np.ndarray, Config], np.ndarray]
# Model type → architecture, its keys, and a change of tensors.
FAMILIES: dict[str, tuple[str, KeysOf, Change]] = {
    "gemma": ("gemma", _gemma, _one_more),
    "gemma2": ("gemma2", _gemma2, _one_more),
    "gemma3_text": ("gemma3", _gemma3, _one_more),
    "phi": ("phi2", _phi, _as_it_is),
    "phi3": ("phi3", _phi3, _as_it_is),
    "gpt_neox": ("gptneox", _gpt_neox, _q_k_v),
    "bloom": ("bloom", _bloom, _q_k_v),
    "falcon": ("falcon", _falcon, _q_k_v),
    "t5": ("t5", _t5, _as_it_is),
}
