"""Small .gguf files: whole models, and headers that may be false."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np

GPT2_NAMES = {
    "wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm", "ln_1": "attn_norm",
    "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
    "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down", "lm_head": "output",
}  # fmt: skip
BERT_NAMES = {
    "embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
    "attention.self.query": "attn_q", "attention.self.key": "attn_k",
    "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
}  # fmt: skip
LLAMA_NAMES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}  # fmt: skip
NORMAL, CONTROL = 1, 3


def file_name(name: str, names: Mapping[str, str]) -> str:
    """Name in a .gguf file of a Hugging Face tensor."""
    name, part = name.rsplit(".", 1)
    words = name.split(".")
    number = next((word for word in words if word.isdigit()), None)
    inner = name if number is None else name.partition(f".{number}.")[2]
    at = "" if number is None else f"blk.{number}."
    return f"{at}{names[inner]}.{part}"


def write_gguf(
    path: Path,
    architecture: str,
    keys: Mapping[str, Any],
    tensors: Mapping[str, np.ndarray],
    kind: str = "F32",
) -> Path:
    """`kind`: number format of matrices."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in keys.items():
        add: Any = {
            bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32,
            str: writer.add_string, list: writer.add_array, bytes: writer.add_array,
        }[type(value)]  # fmt: skip
        add(key, value)
    for name, array in tensors.items():
        number = gguf.GGMLQuantizationType[kind if array.ndim > 1 else "F32"]
        stored = gguf.quants.quantize(np.ascontiguousarray(array), number)
        writer.add_tensor(name, stored, raw_dtype=number)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def byte_level_keys(definition: str, pre: str | None = "gpt-2") -> dict[str, Any]:
    model = json.loads(definition)["model"]
    keys = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": sorted(model["vocab"], key=model["vocab"].get),
        "tokenizer.ggml.merges": [" ".join(pair) for pair in model["merges"]],
    }
    return keys if pre is None else {**keys, "tokenizer.ggml.pre": pre}


def word_piece_keys(definition: str) -> dict[str, Any]:
    vocab = json.loads(definition)["model"]["vocab"]
    names = sorted(vocab, key=vocab.get)
    special = [name.startswith("[") and len(name) > 2 for name in names]
    return {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": [
            name if own else name[2:] if name.startswith("##") else f"▁{name}"
            for name, own in zip(names, special, strict=True)
        ],
        "tokenizer.ggml.token_type": [CONTROL if own else NORMAL for own in special],
        "tokenizer.ggml.unknown_token_id": vocab["[UNK]"],
        "tokenizer.ggml.seperator_token_id": vocab["[SEP]"],
        "tokenizer.ggml.padding_token_id": vocab["[PAD]"],
    }


def gpt2_gguf(
    path: Path,
    config: Mapping[str, Any],
    tensors: Mapping[str, np.ndarray],
    tokenizer: Mapping[str, Any],
    kind: str = "F32",
) -> Path:
    """Transposes matrices."""
    keys = {
        "gpt2.context_length": config["n_positions"], "gpt2.embedding_length": config["n_embd"],
        "gpt2.feed_forward_length": config.get("n_inner") or 4 * config["n_embd"],
        "gpt2.block_count": config["n_layer"], "gpt2.attention.head_count": config["n_head"],
        "gpt2.attention.layer_norm_epsilon": config["layer_norm_epsilon"], **tokenizer,
    }  # fmt: skip
    stored = {}
    for name, array in tensors.items():
        name = name.removeprefix("transformer.")
        turned = name.startswith("h.") and array.ndim == 2
        stored[file_name(name, GPT2_NAMES)] = array.T if turned else array
    return write_gguf(path, "gpt2", keys, stored, kind)


def bert_gguf(
    path: Path,
    config: Mapping[str, Any],
    tensors: Mapping[str, np.ndarray],
    tokenizer: Mapping[str, Any],
) -> Path:
    keys = {
        "bert.context_length": config["max_position_embeddings"],
        "bert.embedding_length": config["hidden_size"],
        "bert.feed_forward_length": config["intermediate_size"],
        "bert.block_count": config["num_hidden_layers"],
        "bert.attention.head_count": config["num_attention_heads"],
        "bert.attention.layer_norm_epsilon": config["layer_norm_eps"],
        "bert.attention.causal": False, "bert.pooling_type": 1,
        "tokenizer.ggml.token_type_count": config["type_vocab_size"], **tokenizer,
    }  # fmt: skip
    stored = {file_name(name, BERT_NAMES): array for name, array in tensors.items()}
    return write_gguf(path, "bert", keys, stored)


def text(content: str | bytes) -> bytes:
    """Length, bytes."""
    content = content.encode() if isinstance(content, str) else content
    return struct.pack("<Q", len(content)) + content


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def array(name: str, kind: int, count: int, values: bytes) -> bytes:
    return key(name, 9, struct.pack("<IQ", kind, count) + values)


def entry(name: str, sizes: Sequence[int], kind: int = 0, offset: int = 0) -> bytes:
    """`sizes`: columns first."""
    axes = struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
    return text(name) + axes + struct.pack("<IQ", kind, offset)


def header(
    keys: Sequence[bytes],
    entries: Sequence[bytes],
    body: bytes = b"",
    *,
    magic: bytes = b"GGUF",
    version: int = 3,
    tensor_count: int | None = None,
    key_count: int | None = None,
) -> bytes:
    """Counts may be false; tensors are zeros."""
    tensors = len(entries) if tensor_count is None else tensor_count
    values = len(keys) if key_count is None else key_count
    found = magic + struct.pack("<IQQ", version, tensors, values) + b"".join([*keys, *entries])
    return found + bytes(-len(found) % 32) + body
