"""Small checkpoints as folders, with random weights and a trained tokenizer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator
from safetensors.numpy import save_file
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

LINES = ["The animal didn't cross the street because it was too tired.", "中文也行，é ü 😀"]
GPT2: dict[str, Any] = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 300,
    "n_positions": 32, "n_embd": 24, "n_layer": 2, "n_head": 3, "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip


@cache
def word_pieces() -> str:
    """WordPiece with [CLS], [SEP] and [MASK], as in BERT."""
    words = sorted({word for line in LINES for word in re.findall(r"\w+", line.lower())})
    letters = sorted({letter for line in LINES for letter in line.lower()} - {" "})
    parts = [f"##{letter}" for letter in letters]
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words, *letters, *parts]
    vocab = {name: i for i, name in enumerate(dict.fromkeys(names))}
    made = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    around = [(name, made.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=around
    )
    made.add_special_tokens(["[MASK]"])
    made.enable_truncation(8)
    made.enable_padding(length=16)
    return made.to_str()


@cache
def joined_pieces() -> str:
    """Pairs as in RoBERTa: all types are 0."""
    made = Tokenizer.from_str(word_pieces())
    around = [(name, made.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    made.post_processor = processors.RobertaProcessing(around[1], around[0])
    return made.to_str()


@cache
def tokenizer() -> str:
    """Byte-level, as in GPT-2."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        LINES, trainers.BpeTrainer(vocab_size=290, initial_alphabet=alphabet, show_progress=False)
    )
    return made.to_str()


def gpt2_tensors(config: Mapping[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Random, named as in a model with head."""
    draw = Generator(PCG64(seed))
    width, hidden = config["n_embd"], config.get("n_inner") or 4 * config["n_embd"]
    matrices = {
        "attn.c_attn": (width, 3 * width), "attn.c_proj": (width, width),
        "mlp.c_fc": (width, hidden), "mlp.c_proj": (hidden, width),
    }  # fmt: skip
    tensors = {"wte.weight": draw.normal(size=(config["vocab_size"], width))}
    tensors["wpe.weight"] = draw.normal(size=(config["n_positions"], width))
    norms = [f"h.{i}.{name}" for i in range(config["n_layer"]) for name in ("ln_1", "ln_2")]
    for name in (*norms, "ln_f"):
        tensors[f"{name}.weight"] = 1 + 0.2 * draw.normal(size=width)
        tensors[f"{name}.bias"] = 0.2 * draw.normal(size=width)
    for i in range(config["n_layer"]):
        for name, shape in matrices.items():
            tensors[f"h.{i}.{name}.weight"] = draw.normal(size=shape) / np.sqrt(shape[0])
            tensors[f"h.{i}.{name}.bias"] = 0.2 * draw.normal(size=shape[1])
    return {f"transformer.{name}": array.astype(np.float32) for name, array in tensors.items()}


def checkpoint(
    folder: Path, config: Mapping[str, Any], tensors: Mapping[str, np.ndarray], **files: str
) -> Path:
    """`files`: texts that replace its own."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"config": json.dumps(config), "tokenizer": tokenizer(), **files}
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    save_file(dict(tensors), folder / "model.safetensors")
    return folder


def with_config(folder: Path, config: Mapping[str, Any]) -> Path:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def gpt2(folder: Path, **keys: Any) -> Path:
    """`keys`: of its config."""
    config = {**GPT2, **keys}
    return checkpoint(folder, config, gpt2_tensors(config))
