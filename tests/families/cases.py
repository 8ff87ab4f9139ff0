"""Configurations of each family that change numbers: name → keys of its config that are others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from safetensors.numpy import load_file, save_file

from tests.families import decoders_made, llama_made
from tests.families.made import (
    BERT,
    GPT2,
    bert_tensors,
    checkpoint,
    gpt2_tensors,
    word_pieces,
)

TEXT = "The animal didn't cross the str é."
SHORT = TEXT[:14]
CASES: dict[str, dict[str, Any]] = {
    "bert": {},
    "bert_tanh": {"hidden_act": "gelu_new"},
    "bert_relu": {"hidden_act": "relu"},
    "bert_epsilon": {"layer_norm_eps": 0.1, "num_attention_heads": 2, "num_hidden_layers": 3},
    "gpt2": {},
    "gpt2_gelu": {"activation_function": "gelu"},
    "gpt2_relu": {"activation_function": "relu"},
    "gpt2_tanh": {"activation_function": "gelu_pytorch_tanh"},
    "gpt2_wide": {"n_inner": 40, "n_head": 2, "n_layer": 3},
    "gpt2_epsilon": {"layer_norm_epsilon": 0.1},
    "gpt2_untied": {"tie_word_embeddings": False},
    "gpt2_silu": {"activation_function": "silu"},
    "gpt2_unscaled": {"scale_attn_weights": False},
    "gpt2_by_layer": {"scale_attn_by_inverse_layer_idx": True},
    **llama_made.CASES,
    **decoders_made.CASES,
}


def short_text(case: str) -> str:
    """What the file of figures asks of a case: five tokens where there are many cases."""
    return TEXT[:10] if case in decoders_made.CASES else SHORT


HEADS = {
    "gpt2": "transformer.wte", "llama_tied": "model.embed_tokens",
    "bloom": "transformer.word_embeddings", "gpt_neox_tied": "gpt_neox.embed_in",
}  # case → its embedding, which its config ties to the head  # fmt: skip


def with_a_head(case: str, folder: Path) -> Path:
    """The checkpoint of a case of HEADS, in whose file lies another head all the same."""
    made(case, folder)
    file = folder / case / "model.safetensors"
    tensors = load_file(file)
    name = "embed_out.weight" if case.startswith("gpt_neox") else "lm_head.weight"
    tensors[name] = tensors[f"{HEADS[case]}.weight"][::-1].copy()
    save_file(tensors, file)
    return folder / case


def made(case: str, folder: Path) -> Path:
    """The checkpoint of a case, in a folder of its name."""
    if case in llama_made.CASES:
        config = llama_made.config_of(case)
        return checkpoint(folder / case, config, llama_made.llama_tensors(config))
    if case in decoders_made.CASES:
        config = decoders_made.config_of(case)
        return checkpoint(folder / case, config, decoders_made.decoder_tensors(config))
    if case.startswith("bert"):
        config = {**BERT, **CASES[case]}
        return checkpoint(folder / case, config, bert_tensors(config), tokenizer=word_pieces())
    config = {**GPT2, **CASES[case]}
    tensors = gpt2_tensors(config)
    if not config.get("tie_word_embeddings", True):
        tensors["lm_head.weight"] = tensors["transformer.wte.weight"][::-1].copy()
    return checkpoint(folder / case, config, tensors)
