"""Small encoder-decoders, and questions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from attnscope.trace.trace import Trace
from tests.families.asking import ask
from tests.families.made import LINES, checkpoint

SOURCES = ["The animal didn't cross the str é.", "It was tired"]
TEXTS = ["Because it zz", "too é"]
SHORT = {"text": "too", "context": "It was"}
BART: dict[str, Any] = {
    "model_type": "bart", "vocab_size": 300, "d_model": 24, "max_position_embeddings": 48,
    "encoder_layers": 3, "decoder_layers": 2, "encoder_attention_heads": 3,
    "decoder_attention_heads": 3, "encoder_ffn_dim": 40, "decoder_ffn_dim": 40,
    "activation_function": "gelu", "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2,
    "decoder_start_token_id": 2, "forced_eos_token_id": 2, "is_encoder_decoder": True,
}  # fmt: skip
MARIAN: dict[str, Any] = {
    **BART, "model_type": "marian", "decoder_start_token_id": 1, "activation_function": "swish",
    "scale_embedding": True, "bos_token_id": None, "normalize_embedding": False,
    "static_position_embeddings": True,
}  # fmt: skip
T5: dict[str, Any] = {
    "model_type": "t5", "vocab_size": 300, "d_model": 24, "d_kv": 10, "d_ff": 40, "num_heads": 3,
    "num_layers": 3, "num_decoder_layers": 2, "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 12, "layer_norm_epsilon": 1e-6, "pad_token_id": 1,
    "eos_token_id": 2, "decoder_start_token_id": 1, "is_encoder_decoder": True, "n_positions": 48,
}  # fmt: skip
# Name → other keys.
CASES: dict[str, dict[str, Any]] = {
    "bart": {},
    "bart_scaled": {"scale_embedding": True, "activation_function": "relu", "decoder_layers": 3},
    "bart_untied": {"tie_word_embeddings": False, "decoder_start_token_id": 0},
    "marian": {},
    "marian_relu": {"scale_embedding": False, "activation_function": "relu"},
    "marian_untied": {"tie_word_embeddings": False, "activation_function": "gelu"},
    "t5": {},
    "t5_gated": {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    "t5_epsilon": {"layer_norm_epsilon": 0.1, "feed_forward_proj": "gelu", "num_layers": 1},
    "t5_buckets": {
        "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
        "feed_forward_proj": "gated-silu", "num_decoder_layers": None,
    },
}  # fmt: skip


def made_pair(case: str, folder: Path) -> Path:
    """In a folder of its name."""
    config = config_of(case)
    before = "<s>" if case.startswith("bart") else ""
    tensors = (t5_tensors if case.startswith("t5") else bart_tensors)(config)
    return checkpoint(folder / case, config, tensors, tokenizer=pieces(before))


def config_of(case: str) -> dict[str, Any]:
    return {**{"bart": BART, "marian": MARIAN, "t5": T5}[case.partition("_")[0]], **CASES[case]}


def ask_pair(folder: Path, **fields: Any) -> Trace:
    return ask(folder, fields.pop("text", TEXTS), **{"context": SOURCES, **fields})


@cache
def pieces(before: str = "") -> str:
    """Byte-level with </s> after a text, and `before` before it."""
    names = ["<s>", "<pad>", "</s>"]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(LINES, trainers.BpeTrainer(
        vocab_size=290, initial_alphabet=alphabet, special_tokens=names, show_progress=False
    ))  # fmt: skip
    around = [(name, made.token_to_id(name)) for name in names]
    made.post_processor = processors.TemplateProcessing(
        single=f"{before} $A </s>".strip(), special_tokens=around
    )
    return made.to_str()


def bart_tensors(config: Mapping[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Random, named as in a model with head."""
    draw = Generator(PCG64(seed))
    width, hidden, rows = (config[name] for name in ("d_model", "encoder_ffn_dim", "vocab_size"))
    bart = config["model_type"] == "bart"
    matrices: dict[str, tuple[int, int]] = {}
    norms: list[str] = []
    for half, attentions in (
        ("encoder", ["self_attn"]),
        ("decoder", ["self_attn", "encoder_attn"]),
    ):
        norms += [f"{half}.layernorm_embedding"] if bart else []
        for i in range(config[f"{half}_layers"]):
            at = f"{half}.layers.{i}."
            for name in attentions:
                matrices |= {f"{at}{name}.{one}_proj": (width, width) for one in "qkv"}
                matrices[f"{at}{name}.out_proj"] = (width, width)
                norms.append(f"{at}{name}_layer_norm")
            matrices |= {f"{at}fc1": (hidden, width), f"{at}fc2": (width, hidden)}
            norms.append(f"{at}final_layer_norm")
    tensors = {f"{half}.embed_positions.weight": draw.normal(size=(50, width))
               for half in ("encoder", "decoder") if bart}  # fmt: skip
    for name, shape in matrices.items():
        tensors[f"{name}.weight"] = draw.normal(size=shape) / np.sqrt(shape[1])
        tensors[f"{name}.bias"] = 0.2 * draw.normal(size=shape[0])
    for name in norms:
        tensors[f"{name}.weight"] = 1 + 0.2 * draw.normal(size=width)
        tensors[f"{name}.bias"] = 0.2 * draw.normal(size=width)
    tied = config.get("tie_word_embeddings", True)
    tables = ["shared"] if tied else ["shared", "encoder.embed_tokens", "decoder.embed_tokens"]
    tensors |= {f"{name}.weight": draw.normal(size=(rows, width)) for name in tables}
    tensors = {f"model.{name}": array for name, array in tensors.items()}
    tensors["final_logits_bias"] = draw.normal(size=(1, rows))
    if not tied:
        tensors["lm_head.weight"] = draw.normal(size=(rows, width))
    return {name: array.astype(np.float32) for name, array in tensors.items()}


def t5_tensors(config: Mapping[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Random; biases are those of distances."""
    draw = Generator(PCG64(seed))
    width, hidden, heads = (config[name] for name in ("d_model", "d_ff", "num_heads"))
    inner, buckets = heads * config["d_kv"], config["relative_attention_num_buckets"]
    first = ["wi_0", "wi_1"] if "gated" in config.get("feed_forward_proj", "") else ["wi"]
    tensors = {"shared": draw.normal(size=(config["vocab_size"], width))}
    if config.get("tie_word_embeddings") is False:
        tensors["lm_head"] = draw.normal(size=(config["vocab_size"], width))
    blocks = {"encoder": config["num_layers"],
              "decoder": config["num_decoder_layers"] or config["num_layers"]}  # fmt: skip
    for half, count in blocks.items():
        sublayers = ["SelfAttention", "EncDecAttention"][: 1 + (half == "decoder")]
        for i in range(count):
            at = f"{half}.block.{i}.layer."
            for place, name in enumerate(sublayers):
                for letter, shape in zip(
                    "qkvo", [(inner, width)] * 3 + [(width, inner)], strict=True
                ):
                    matrix = draw.normal(size=shape) / np.sqrt(shape[1])
                    tensors[f"{at}{place}.{name}.{letter}"] = matrix
            for name in first:
                matrix = draw.normal(size=(hidden, width)) / np.sqrt(width)
                tensors[f"{at}{len(sublayers)}.DenseReluDense.{name}"] = matrix
            matrix = draw.normal(size=(width, hidden)) / np.sqrt(hidden)
            tensors[f"{at}{len(sublayers)}.DenseReluDense.wo"] = matrix
            for place in range(len(sublayers) + 1):
                tensors[f"{at}{place}.layer_norm"] = 1 + 0.2 * draw.normal(size=width)
        table = f"{half}.block.0.layer.0.SelfAttention.relative_attention_bias"
        tensors[table] = draw.normal(size=(buckets, heads))
        tensors[f"{half}.final_layer_norm"] = 1 + 0.2 * draw.normal(size=width)
    return {f"{name}.weight": array.astype(np.float32) for name, array in tensors.items()}
