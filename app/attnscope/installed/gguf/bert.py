"""BERT without head. The activation, which files do not name, is exact gelu."""

from __future__ import annotations

from attnscope.installed.gguf.translation import (
    TensorSource,
    Translation,
    check_is,
    check_keys,
    match_tensors,
    rows_of,
    weight_and_bias,
)
from attnscope.weights.formats.gguf_tensors import GgufTensors

ARCHITECTURE = "bert"
KEYS = {
    "attention.causal", "attention.layer_norm_epsilon", "classifier.output_labels",
    "pooling_type",
}  # fmt: skip
OUTER = {
    "token_embd.weight": "embeddings.word_embeddings.weight",
    "position_embd.weight": "embeddings.position_embeddings.weight",
    "token_types.weight": "embeddings.token_type_embeddings.weight",
    **weight_and_bias({
        "token_embd_norm": "embeddings.LayerNorm",
        "cls": "pooler.dense", "cls.output": "classifier",  # unread
    }),
}  # fmt: skip
BLOCK = weight_and_bias({
    "attn_q": "encoder.layer.{i}.attention.self.query",
    "attn_k": "encoder.layer.{i}.attention.self.key",
    "attn_v": "encoder.layer.{i}.attention.self.value",
    "attn_output": "encoder.layer.{i}.attention.output.dense",
    "attn_output_norm": "encoder.layer.{i}.attention.output.LayerNorm",
    "ffn_up": "encoder.layer.{i}.intermediate.dense",
    "ffn_down": "encoder.layer.{i}.output.dense",
    "layer_output_norm": "encoder.layer.{i}.output.LayerNorm",
})  # fmt: skip


def translate(file: GgufTensors) -> Translation:
    header, metadata = file.header, file.header.metadata
    check_keys(metadata, ARCHITECTURE, KEYS)
    heads = metadata.whole("bert.attention.head_count")
    check_is(metadata, "bert.attention.head_count_kv", heads)
    check_is(metadata, "bert.attention.causal", False)
    config = {
        "model_type": "bert",
        "vocab_size": metadata.whole("bert.vocab_size", rows_of(header, "token_embd.weight")),
        "hidden_size": metadata.whole("bert.embedding_length"),
        "num_hidden_layers": metadata.whole("bert.block_count"),
        "num_attention_heads": heads,
        "intermediate_size": metadata.whole("bert.feed_forward_length"),
        "hidden_act": "gelu",
        "max_position_embeddings": metadata.whole("bert.context_length"),
        "type_vocab_size": rows_of(header, "token_types.weight"),
        "layer_norm_eps": metadata.number("bert.attention.layer_norm_epsilon"),
    }
    tensors = {
        other: TensorSource(name) for other, name in match_tensors(header, OUTER, BLOCK).items()
    }
    return Translation(config, tensors)
