"""Llama and similar architectures.

The two rows of a rotary pair of q or k are adjacent in files of Llama, in others half of the
rotated rows apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nextafter
from typing import Any

import numpy as np

from attnscope.errors import BadWeightsFile
from attnscope.families.keys import check_sizes
from attnscope.installed.gguf.translation import (
    TensorSource,
    Translation,
    check_is,
    check_keys,
    match_tensors,
    rows_of,
    weight_and_bias,
)
from attnscope.weights.formats.gguf_file import Header
from attnscope.weights.formats.gguf_metadata import Metadata
from attnscope.weights.formats.gguf_tensors import GgufTensors

SAYS_NOTHING = {"rope.scaling.finetuned", "tensor_data_layout"}
KEYS = SAYS_NOTHING | {
    "attention.causal", "attention.key_length", "attention.layer_norm_rms_epsilon",
    "attention.value_length", "expert_count", "expert_used_count", "rope.dimension_count",
    "rope.freq_base", "rope.scale_linear", "rope.scaling.attn_factor", "rope.scaling.factor",
    "rope.scaling.original_context_length", "rope.scaling.type",
}  # fmt: skip
AT, OWN = "model.layers.{i}.", "model.layers.{i}.self_attn."
FACTORS = "rope_freqs.weight"
EDGES = {
    "token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}  # fmt: skip
OUTER = EDGES | {FACTORS: FACTORS}
PROJECTIONS = {
    "attn_q": f"{OWN}q_proj", "attn_k": f"{OWN}k_proj", "attn_v": f"{OWN}v_proj",
    "attn_output": f"{OWN}o_proj",
}  # fmt: skip
MLP = {
    "ffn_gate": f"{AT}mlp.gate_proj", "ffn_up": f"{AT}mlp.up_proj", "ffn_down": f"{AT}mlp.down_proj"
}  # fmt: skip
NORMS = {
    "attn_norm.weight": f"{AT}input_layernorm.weight",
    "ffn_norm.weight": f"{AT}post_attention_layernorm.weight",
}
BLOCK = weight_and_bias(PROJECTIONS | MLP) | NORMS
HEAD_NORMS = {
    "attn_q_norm.weight": f"{OWN}q_norm.weight",
    "attn_k_norm.weight": f"{OWN}k_norm.weight",
}
# The factors of Llama 3.1 and 3.2.
LLAMA3_FACTORS = (8.0, 32.0)
LLAMA3 = {
    "rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip


# (file, tensor names, rotary base, rotated columns) → `rope_scaling`. Removes rotary factors
# from the names.
Scaling = Callable[[GgufTensors, dict[str, str], float, int], dict[str, Any] | None]


def scaling_of(
    file: GgufTensors, names: dict[str, str], base: float, turned: int
) -> dict[str, Any] | None:
    metadata = file.header.metadata
    at = metadata.text("general.architecture")
    check_is(metadata, f"{at}.rope.scaling.attn_factor", 1.0)
    scaling = _scaling(metadata, at)
    if names.pop(FACTORS, None) is None:
        return scaling
    if scaling is not None:
        raise metadata.refused(f"{at}.rope.scaling.type")
    return _llama3(file, base, turned)


def _nothing(metadata: Metadata, d: int) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class LlamaGguf:
    """`paired`: rows of a rotary pair are adjacent. `gain`: constant that files add to gains of
    norms. `is_partial`: only some columns of a head are rotated. `keys`: further metadata keys.
    `more`: (metadata, head width) → further config."""

    ARCHITECTURE: str
    model_type: str | None = None
    paired: bool = False
    outer: Mapping[str, str] = field(default_factory=lambda: OUTER)
    block: Mapping[str, str] = field(default_factory=lambda: BLOCK)
    has_biases: bool = False
    is_partial: bool = False
    activation: str = "silu"
    gain: float = 0.0
    scaling: Scaling = scaling_of
    keys: frozenset[str] = frozenset()
    more: Callable[[Metadata, int], dict[str, Any]] = _nothing

    def translate(self, file: GgufTensors) -> Translation:
        header, metadata, at = file.header, file.header.metadata, self.ARCHITECTURE
        check_keys(metadata, at, KEYS | self.keys)
        _check_plain(metadata, at)
        heads = metadata.whole(f"{at}.attention.head_count")
        groups = metadata.whole(f"{at}.attention.head_count_kv", heads)
        width = metadata.whole(f"{at}.embedding_length")
        d = metadata.whole(f"{at}.attention.key_length", width // max(heads, 1))
        check_is(metadata, f"{at}.attention.value_length", d)
        turned = self._turned(metadata, d)
        names = match_tensors(header, self.outer, self.block)
        base = metadata.number(f"{at}.rope.freq_base", 10000.0)
        if base <= 0:
            raise metadata.refused(f"{at}.rope.freq_base")
        scaling = self.scaling(file, names, base, turned)
        config = {
            "model_type": self.model_type or at,
            "vocab_size": metadata.whole(f"{at}.vocab_size", rows_of(header, "token_embd.weight")),
            "hidden_size": width,
            "num_hidden_layers": metadata.whole(f"{at}.block_count"),
            "num_attention_heads": heads,
            "num_key_value_heads": groups,
            "head_dim": d,
            "intermediate_size": metadata.whole(f"{at}.feed_forward_length"),
            "hidden_act": self.activation,
            "max_position_embeddings": metadata.whole(f"{at}.context_length"),
            "rms_norm_eps": metadata.number(f"{at}.attention.layer_norm_rms_epsilon"),
            "rope_theta": base,
            "rope_scaling": scaling,
            "tie_word_embeddings": "lm_head.weight" not in names,
        }
        if self.has_biases:
            config["attention_bias"] = "model.layers.0.self_attn.q_proj.bias" in names
            config["mlp_bias"] = "model.layers.0.mlp.gate_proj.bias" in names
        if self.is_partial:
            config["partial_rotary_factor"] = rotary_fraction(turned, d)
        pairs = {"attn_q": heads, "attn_k": groups} if self.paired else {}
        tensors = _sources(header, names, pairs, d, self.gain)
        return Translation(config | self.more(metadata, d), tensors)

    def _turned(self, metadata: Metadata, d: int) -> int:
        key = f"{self.ARCHITECTURE}.rope.dimension_count"
        turned = metadata.whole(key, d)
        if not self.is_partial:
            check_is(metadata, key, d)
        if turned < 2 or turned % 2 or turned > d:
            raise metadata.refused(key)
        return turned


def rotary_fraction(turned: int, d: int) -> float:
    """Fraction with int(d · fraction) = `turned`."""
    share = turned / d
    return share if int(d * share) == turned else nextafter(share, 1)


def _sources(
    header: Header, names: dict[str, str], paired: dict[str, int], d: int, gain: float
) -> dict[str, TensorSource]:
    tensors = {}
    for other, name in names.items():
        heads = paired.get(name.split(".")[-2], 0)
        if heads:
            shape = header.tensors[name].shape
            check_sizes({other: (heads * d, *shape[1:])}, {other: shape})
        less = gain if name.endswith("norm.weight") else 0.0
        tensors[other] = TensorSource(name, paired=heads, less=less)
    return tensors


def _check_plain(metadata: Metadata, at: str) -> None:
    for name in ("expert_count", "expert_used_count"):
        check_is(metadata, f"{at}.{name}", 0)
    check_is(metadata, f"{at}.attention.causal", True)


def _scaling(metadata: Metadata, kind: str) -> dict[str, Any] | None:
    at = f"{kind}.rope.scaling."
    old = metadata.number(f"{kind}.rope.scale_linear", 1.0)
    match metadata.text(f"{at}type", "linear" if old != 1 else "none"):
        case "none":
            return None
        case "linear":
            return {"rope_type": "linear", "factor": metadata.number(f"{at}factor", old)}
        case "yarn":
            return {
                "rope_type": "yarn", "factor": metadata.number(f"{at}factor"),
                "original_max_position_embeddings": metadata.whole(f"{at}original_context_length"),
            }  # fmt: skip
    raise metadata.refused(f"{at}type")


def _llama3(file: GgufTensors, base: float, d: int) -> dict[str, Any]:
    """Find the published settings that give the factors in the file."""
    found = file[FACTORS]
    for factor in LLAMA3_FACTORS if found.shape == (d // 2,) else ():
        if np.allclose(found, rotary_factors(base, d, factor), rtol=1e-4, atol=0):
            return {**LLAMA3, "factor": factor}
    metadata = file.header.metadata
    raise BadWeightsFile("gguf_tensors", at=metadata.file, tensors=FACTORS)


def rotary_factors(base: float, d: int, factor: float) -> np.ndarray:
    """Divisors [d/2] of rotary frequencies: 1 for high ones, up to `factor` for low ones."""
    low, high, context = 1.0, 4.0, 8192
    turns = context / (2 * np.pi * base ** (np.arange(0, d, 2) / d))
    smooth = np.clip((turns - low) / (high - low), 0, 1)
    return 1 / ((1 - smooth) / factor + smooth)


LLAMA = LlamaGguf("llama", paired=True, has_biases=True)
QWEN2 = LlamaGguf("qwen2")
QWEN3 = LlamaGguf("qwen3", block=BLOCK | HEAD_NORMS)
