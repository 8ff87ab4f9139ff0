"""Configs of each family that change numbers: name → other keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from safetensors.numpy import load_file, save_file

from tests.families import decoders_made, llama_made
from tests.families.encoders import (
    ALBERT,
    BERT,
    DISTILBERT,
    ELECTRA,
    ROBERTA,
    encoder_tensors,
    masked_tensors,
)
from tests.families.made import GPT2, checkpoint, gpt2_tensors, joined_pieces, word_pieces

TEXT = "The animal didn't cross the str é."
SHORT = TEXT[:14]
ENCODERS = {
    "albert": ALBERT,
    "bert": BERT,
    "distilbert": DISTILBERT,
    "electra": ELECTRA,
    "roberta": ROBERTA,
}
MASKED = {
    "albert": "AlbertForMaskedLM",
    "bert": "BertForMaskedLM",
    "distilbert": "DistilBertForMaskedLM",
    "electra": "ElectraForMaskedLM",
    "roberta": "RobertaForMaskedLM",
}
CASES: dict[str, dict[str, Any]] = {
    **{f"{family}_masked": {"architectures": [kind]} for family, kind in MASKED.items()},
    "albert_masked_relu": {"architectures": ["AlbertForMaskedLM"], "hidden_act": "relu"},
    "bert_masked_untied": {"architectures": ["BertForMaskedLM"], "tie_word_embeddings": False},
    "roberta_masked_relu": {"architectures": ["RobertaForMaskedLM"], "hidden_act": "relu"},
    "albert": {},
    "albert_wide": {"embedding_size": 24, "hidden_act": "gelu", "num_attention_heads": 4},
    "bert": {},
    "bert_tanh": {"hidden_act": "gelu_new"},
    "bert_relu": {"hidden_act": "relu"},
    "bert_epsilon": {"layer_norm_eps": 0.1, "num_attention_heads": 2, "num_hidden_layers": 3},
    "distilbert": {},
    "distilbert_relu": {"activation": "relu", "n_layers": 3, "n_heads": 2},
    "electra": {},
    "electra_alike": {"embedding_size": 24},
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
    "roberta": {},
    "roberta_camembert": {"model_type": "camembert", "architectures": ["CamembertModel"]},
    "roberta_xlm": {
        "model_type": "xlm-roberta", "architectures": ["XLMRobertaModel"], "pad_token_id": 0
    },
    **llama_made.CASES,
    **decoders_made.CASES,
}  # fmt: skip


def short_text(case: str) -> str:
    """As in the golden file: five tokens if there are many cases."""
    return TEXT[:10] if case in decoders_made.CASES else SHORT


HEADS = {
    "gpt2": "transformer.wte", "llama_tied": "model.embed_tokens",
    "bloom": "transformer.word_embeddings", "gpt_neox_tied": "gpt_neox.embed_in",
}  # case → its embedding, which its config ties to the head  # fmt: skip


def with_a_head(case: str, folder: Path) -> Path:
    """A case of HEADS whose file has another head too."""
    made(case, folder)
    file = folder / case / "model.safetensors"
    tensors = load_file(file)
    name = "embed_out.weight" if case.startswith("gpt_neox") else "lm_head.weight"
    tensors[name] = tensors[f"{HEADS[case]}.weight"][::-1].copy()
    save_file(tensors, file)
    return folder / case


def made(case: str, folder: Path) -> Path:
    """In a folder of its name."""
    if case in llama_made.CASES:
        config = llama_made.config_of(case)
        return checkpoint(folder / case, config, llama_made.llama_tensors(config))
    if case in decoders_made.CASES:
        config = decoders_made.config_of(case)
        return checkpoint(folder / case, config, decoders_made.decoder_tensors(config))
    family = case.partition("_")[0]
    if family in ENCODERS:
        config = {**ENCODERS[family], **CASES[case]}
        pieces = joined_pieces() if family == "roberta" else word_pieces()
        tensors = (masked_tensors if "_masked" in case else encoder_tensors)(config)
        return checkpoint(folder / case, config, tensors, tokenizer=pieces)
    config = {**GPT2, **CASES[case]}
    tensors = gpt2_tensors(config)
    if not config.get("tie_word_embeddings", True):
        tensors["lm_head.weight"] = tensors["transformer.wte.weight"][::-1].copy()
    return checkpoint(folder / case, config, tensors)
