"""Phi-2, GPT-NeoX, BLOOM, Falcon. MLP widths come from tensors, as metadata may be wrong.

Files order the rows of a fused matrix as q | k | v, Hugging Face folders by key/value head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from attnscope.families.keys import check_sizes
from attnscope.installed.gguf.llama import rotary_fraction
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

KEYS = {
    "attention.causal", "attention.layer_norm_epsilon", "rope.dimension_count",
    "rope.freq_base", "rope.scaling.finetuned", "rope.scaling.type", "tensor_data_layout",
    "use_parallel_residual",
}  # fmt: skip
QKV = "attn_qkv"


@dataclass(frozen=True)
class Sizes:
    metadata: Metadata
    at: str
    vocabulary: int
    width: int
    layers: int
    heads: int
    kv_heads: int
    hidden: int
    context: int
    epsilon: float
    names: Mapping[str, str]

    @property
    def d(self) -> int:
        return self.width // max(self.heads, 1)

    @property
    def base(self) -> float:
        return self.metadata.number(f"{self.at}.rope.freq_base", 10000.0)

    @property
    def turned(self) -> float:
        key = f"{self.at}.rope.dimension_count"
        turned = self.metadata.whole(key, self.d)
        if not 2 <= turned <= self.d:
            raise self.metadata.refused(key)
        return rotary_fraction(turned, self.d)


@dataclass(frozen=True)
class LayerNormGguf:
    """`outer`: names outside layers. `block`: names within layer {i}. `is_fused`: Hugging Face has
    one matrix for q, k and v."""

    ARCHITECTURE: str
    outer: Mapping[str, str]
    block: Mapping[str, str]
    config: Callable[[Sizes], dict[str, Any]]
    is_fused: bool = True

    def translate(self, file: GgufTensors) -> Translation:
        header, metadata, at = file.header, file.header.metadata, self.ARCHITECTURE
        check_keys(metadata, at, KEYS)
        check_is(metadata, f"{at}.attention.causal", True)
        check_is(metadata, f"{at}.rope.scaling.type", "none")
        names = match_tensors(header, self.outer, self._names(header))
        heads = metadata.whole(f"{at}.attention.head_count")
        sizes = Sizes(
            metadata=metadata, at=at, heads=heads, names=names,
            vocabulary=metadata.whole(f"{at}.vocab_size", rows_of(header, "token_embd.weight")),
            width=metadata.whole(f"{at}.embedding_length"),
            layers=metadata.whole(f"{at}.block_count"),
            kv_heads=metadata.whole(f"{at}.attention.head_count_kv", heads),
            hidden=rows_of(header, "blk.0.ffn_up.weight"),
            context=metadata.whole(f"{at}.context_length"),
            epsilon=metadata.number(f"{at}.attention.layer_norm_epsilon"),
        )  # fmt: skip
        tensors: dict[str, TensorSource] = {}
        for other, name in names.items():
            tensors |= self._sources(header, other, name, sizes)
        return Translation(self.config(sizes), tensors)

    def _names(self, header: Header) -> Mapping[str, str]:
        """If Falcon has two norms, attention uses the second."""
        two = self.ARCHITECTURE == "falcon" and "blk.0.attn_norm_2.weight" in header.tensors
        return {**self.block, **weight_and_bias(TWO_NORMS)} if two else self.block

    def _sources(
        self, header: Header, other: str, name: str, sizes: Sizes
    ) -> dict[str, TensorSource]:
        if name.split(".")[-2] != QKV:
            return {other: TensorSource(name)}
        shape, heads, kv_heads, d = header.tensors[name].shape, sizes.heads, sizes.kv_heads, sizes.d
        check_sizes({other: ((heads + 2 * kv_heads) * d, *shape[1:])}, {other: shape})
        if self.is_fused:
            return {other: TensorSource(name, grouped=(heads, kv_heads))}
        ends = [0, heads * d, (heads + kv_heads) * d, (heads + 2 * kv_heads) * d]
        return {
            other.replace("qkv_proj", f"{letter}_proj"): TensorSource(
                name, rows=(ends[i], ends[i + 1])
            )
            for i, letter in enumerate("qkv")
        }


def _phi2(sizes: Sizes) -> dict[str, Any]:
    return {
        "model_type": "phi", "vocab_size": sizes.vocabulary, "hidden_size": sizes.width,
        "intermediate_size": sizes.hidden, "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads, "num_key_value_heads": sizes.kv_heads,
        "hidden_act": "gelu_new", "max_position_embeddings": sizes.context,
        "layer_norm_eps": sizes.epsilon, "rope_theta": sizes.base,
        "partial_rotary_factor": sizes.turned, "tie_word_embeddings": False,
    }  # fmt: skip


def _gpt_neox(sizes: Sizes) -> dict[str, Any]:
    """Files lack the activation; the 20B model has tanh gelu."""
    check_is(sizes.metadata, "gptneox.attention.head_count_kv", sizes.heads)
    large = (sizes.layers, sizes.width) == (44, 6144)
    return {
        "model_type": "gpt_neox", "vocab_size": sizes.vocabulary, "hidden_size": sizes.width,
        "intermediate_size": sizes.hidden, "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads, "hidden_act": "gelu_fast" if large else "gelu",
        "max_position_embeddings": sizes.context, "layer_norm_eps": sizes.epsilon,
        "rotary_emb_base": sizes.base, "rotary_pct": sizes.turned,
        "use_parallel_residual": sizes.metadata.flag("gptneox.use_parallel_residual", True),
        "tie_word_embeddings": "embed_out.weight" not in sizes.names,
    }  # fmt: skip


def _bloom(sizes: Sizes) -> dict[str, Any]:
    check_is(sizes.metadata, "bloom.attention.head_count_kv", sizes.heads)
    return {
        "model_type": "bloom", "vocab_size": sizes.vocabulary, "hidden_size": sizes.width,
        "n_layer": sizes.layers, "n_head": sizes.heads, "layer_norm_epsilon": sizes.epsilon,
        "seq_length": sizes.context, "tie_word_embeddings": "lm_head.weight" not in sizes.names,
    }  # fmt: skip


def _falcon(sizes: Sizes) -> dict[str, Any]:
    two = any(name.endswith("ln_attn.weight") for name in sizes.names)
    check_is(sizes.metadata, "falcon.rope.dimension_count", sizes.d)
    return {
        "model_type": "falcon", "vocab_size": sizes.vocabulary, "hidden_size": sizes.width,
        "num_hidden_layers": sizes.layers, "num_attention_heads": sizes.heads,
        "num_kv_heads": sizes.kv_heads, "ffn_hidden_size": sizes.hidden, "activation": "gelu",
        "layer_norm_epsilon": sizes.epsilon, "max_position_embeddings": sizes.context,
        "new_decoder_architecture": True, "num_ln_in_parallel_attn": 2 if two else 1,
        "rope_theta": sizes.base, "tie_word_embeddings": "lm_head.weight" not in sizes.names,
    }  # fmt: skip


def _outer(start: str, embedding: str, norm: str, head: str) -> dict[str, str]:
    return {
        "token_embd.weight": f"{start}{embedding}.weight",
        **weight_and_bias({"output_norm": f"{start}{norm}", "output": head}),
    }


def _block(at: str, attention: str, mlp: tuple[str, str]) -> dict[str, str]:
    return weight_and_bias({
        QKV: f"{at}{attention}", "attn_output": f"{at}{attention.split('.')[0]}.dense",
        "ffn_up": f"{at}mlp.{mlp[0]}", "ffn_down": f"{at}mlp.{mlp[1]}",
        "attn_norm": f"{at}input_layernorm",
    })  # fmt: skip


PHI, NEOX, H = "model.layers.{i}.", "gpt_neox.layers.{i}.", "transformer.h.{i}."
WIDER = ("dense_h_to_4h", "dense_4h_to_h")
TWO_NORMS = {"attn_norm_2": f"{H}ln_attn", "attn_norm": f"{H}ln_mlp"}
SEPARATE = {f"attn_{letter}": f"{PHI}self_attn.{letter}_proj" for letter in "qkv"}
WORDS = _outer("transformer.", "word_embeddings", "ln_f", "lm_head")
EMBEDDING_NORM = {"token_embd_norm": "transformer.word_embeddings_layernorm"}
BLOCKS = _block(H, "self_attention.query_key_value", WIDER)

PHI2 = LayerNormGguf(
    "phi2", _outer("model.", "embed_tokens", "final_layernorm", "lm_head"),
    _block(PHI, "self_attn.qkv_proj", ("fc1", "fc2")) | weight_and_bias(SEPARATE), _phi2,
    is_fused=False,
)  # fmt: skip
GPT_NEOX = LayerNormGguf(
    "gptneox", _outer("gpt_neox.", "embed_in", "final_layer_norm", "embed_out"),
    _block(NEOX, "attention.query_key_value", WIDER)
    | weight_and_bias({"ffn_norm": f"{NEOX}post_attention_layernorm"}), _gpt_neox,
)  # fmt: skip
BLOOM = LayerNormGguf(
    "bloom", WORDS | weight_and_bias(EMBEDDING_NORM),
    BLOCKS | weight_and_bias({"ffn_norm": f"{H}post_attention_layernorm"}), _bloom,
)  # fmt: skip
FALCON = LayerNormGguf("falcon", WORDS, BLOCKS, _falcon)
