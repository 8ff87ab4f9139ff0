"""T5, whole or encoder alone. UMT5 is refused.

Files lack the maximum relative distance (published: 128) and the scale of the last hidden state
(1/√d_model, none in 1.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnscope.installed.gguf.translation import (
    TensorSource,
    Translation,
    check_is,
    check_keys,
    match_tensors,
    rows_of,
)
from attnscope.weights.formats.gguf_tensors import GgufTensors

KEYS = {
    "attention.key_length", "attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon",
    "attention.relative_buckets_count", "attention.value_length", "decoder_block_count",
    "decoder_start_token_id",
}  # fmt: skip
FURTHEST = 128
UNREAD = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"


def _attention(half: str, native: str, place: int, stored: str) -> dict[str, str]:
    at = f"{half}.block.{{i}}.layer.{place}."
    names = {f"{native}_{letter}": f"{at}{stored}.{letter}" for letter in "qkvo"}
    names[f"{native}_norm"] = f"{at}layer_norm"
    return {f"{half[:3]}.{name}.weight": f"{other}.weight" for name, other in names.items()}


def _mlp(half: str, place: int, gated: bool) -> dict[str, str]:
    at = f"{half}.block.{{i}}.layer.{place}."
    first = {"ffn_gate": "wi_0", "ffn_up": "wi_1"} if gated else {"ffn_up": "wi"}
    names = {name: f"{at}DenseReluDense.{other}" for name, other in first.items()}
    names |= {"ffn_down": f"{at}DenseReluDense.wo", "ffn_norm": f"{at}layer_norm"}
    return {f"{half[:3]}.{name}.weight": f"{other}.weight" for name, other in names.items()}


def _outer(half: str) -> dict[str, str]:
    at, table = half[:3], "block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    return {
        f"{at}.output_norm.weight": f"{half}.final_layer_norm.weight",
        f"{at}.blk.0.attn_rel_b.weight": f"{half}.{table}",
    }


@dataclass(frozen=True)
class T5Gguf:
    ARCHITECTURE: str
    is_whole: bool

    def translate(self, file: GgufTensors) -> Translation:
        header, metadata, at = file.header, file.header.metadata, self.ARCHITECTURE
        check_keys(metadata, at, KEYS)
        heads = metadata.whole(f"{at}.attention.head_count")
        d = metadata.whole(f"{at}.attention.key_length")
        check_is(metadata, f"{at}.attention.head_count_kv", heads)
        check_is(metadata, f"{at}.attention.value_length", d)
        gated = "enc.blk.0.ffn_gate.weight" in header.tensors
        names = match_tensors(header, *self._names(gated))
        names.pop(UNREAD, None)
        layers, tied = metadata.whole(f"{at}.block_count"), "lm_head.weight" not in names
        config: dict[str, Any] = {
            "model_type": "t5",
            "vocab_size": metadata.whole(f"{at}.vocab_size", rows_of(header, "token_embd.weight")),
            "d_model": metadata.whole(f"{at}.embedding_length"),
            "d_kv": d,
            "d_ff": metadata.whole(f"{at}.feed_forward_length"),
            "num_layers": layers,
            "num_decoder_layers": metadata.whole(f"{at}.decoder_block_count", layers),
            "num_heads": heads,
            "n_positions": metadata.whole(f"{at}.context_length"),
            "relative_attention_num_buckets": metadata.whole(
                f"{at}.attention.relative_buckets_count"
            ),
            "relative_attention_max_distance": FURTHEST,
            "layer_norm_epsilon": metadata.number(f"{at}.attention.layer_norm_rms_epsilon"),
            "feed_forward_proj": "gated-gelu" if gated else "relu",
            "decoder_start_token_id": metadata.whole(f"{at}.decoder_start_token_id", 0),
            "tie_word_embeddings": tied,
            "scale_decoder_outputs": tied and not gated,
            "is_encoder_decoder": self.is_whole,
        }
        return Translation(config, {other: TensorSource(name) for other, name in names.items()})

    def _names(self, gated: bool) -> tuple[Mapping[str, str], Mapping[str, str]]:
        outer = {"token_embd.weight": "shared.weight", **_outer("encoder")}
        block = _attention("encoder", "attn", 0, "SelfAttention") | _mlp("encoder", 1, gated)
        if self.is_whole:
            outer |= {"output.weight": "lm_head.weight", **_outer("decoder")}
            outer["dec.blk.0.cross_attn_rel_b.weight"] = UNREAD  # of the first T5 only
            block |= _attention("decoder", "attn", 0, "SelfAttention")
            block |= _attention("decoder", "cross_attn", 1, "EncDecAttention")
            block |= _mlp("decoder", 2, gated)
        return outer, block


T5 = T5Gguf("t5", is_whole=True)
T5_ENCODER = T5Gguf("t5encoder", is_whole=False)
