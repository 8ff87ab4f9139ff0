"""GPT-2. A .gguf file stores matrices as [d_out, d_in], a Hugging Face folder as [d_in, d_out]."""

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

ARCHITECTURE = "gpt2"
KEYS = {"attention.layer_norm_epsilon"}
OUTER = {
    "token_embd.weight": "wte.weight", "position_embd.weight": "wpe.weight",
    "output.weight": "lm_head.weight", **weight_and_bias({"output_norm": "ln_f"}),
}  # fmt: skip
MATRICES = {
    "attn_qkv": "h.{i}.attn.c_attn", "attn_output": "h.{i}.attn.c_proj",
    "ffn_up": "h.{i}.mlp.c_fc", "ffn_down": "h.{i}.mlp.c_proj",
}  # fmt: skip
BLOCK = weight_and_bias(MATRICES) | weight_and_bias(
    {"attn_norm": "h.{i}.ln_1", "ffn_norm": "h.{i}.ln_2"}
)
TURNED = tuple(f".{name}.weight" for name in MATRICES)


def translate(file: GgufTensors) -> Translation:
    header, metadata = file.header, file.header.metadata
    check_keys(metadata, ARCHITECTURE, KEYS)
    heads = metadata.whole("gpt2.attention.head_count")
    check_is(metadata, "gpt2.attention.head_count_kv", heads)
    tensors = {
        other: TensorSource(name, turned=name.endswith(TURNED))
        for other, name in match_tensors(header, OUTER, BLOCK).items()
    }
    config = {
        "model_type": "gpt2",
        "vocab_size": metadata.whole("gpt2.vocab_size", rows_of(header, "token_embd.weight")),
        "n_positions": metadata.whole("gpt2.context_length"),
        "n_embd": metadata.whole("gpt2.embedding_length"),
        "n_layer": metadata.whole("gpt2.block_count"),
        "n_head": heads,
        "n_inner": metadata.whole("gpt2.feed_forward_length"),
        "activation_function": "gelu_new",
        "layer_norm_epsilon": metadata.number("gpt2.attention.layer_norm_epsilon"),
        "tie_word_embeddings": "lm_head.weight" not in tensors,
    }
    return Translation(config, tensors)
