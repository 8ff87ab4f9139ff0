"""What transformers saves opens here: every family, with every head class that it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from transformers import AutoConfig, PreTrainedTokenizerFast

from attnscope.analysis.predictions import logits_at
from tests.against_torch.test_families import close
from tests.against_torch.test_seq2seq import check_pair
from tests.against_torch.transformers_model import run
from tests.families.asking import ask
from tests.families.made import tokenizer, word_pieces
from tests.families.seq2seq_made import ask_pair, pieces

TEXT = "The animal didn't cross"
SIZES: dict[str, Any] = {
    "vocab_size": 300, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
    "intermediate_size": 40, "max_position_embeddings": 40,
}  # fmt: skip
SMALL = {**SIZES, "num_key_value_heads": 3, "head_dim": 8}
# Type of model → the sizes of its config, and the classes that are saved.
ENCODERS = ["MaskedLM", "SequenceClassification", "TokenClassification", "QuestionAnswering"]
SAVED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "albert": ({**SIZES, "embedding_size": 16},
               ["AlbertModel", *(f"AlbertFor{head}" for head in ENCODERS)]),
    "bert": (SIZES, ["BertModel", "BertForPreTraining", *(f"BertFor{head}" for head in ENCODERS)]),
    "bloom": ({"vocab_size": 300, "hidden_size": 24, "n_layer": 2, "n_head": 3},
              ["BloomModel", "BloomForCausalLM", "BloomForSequenceClassification"]),
    "distilbert": ({"vocab_size": 300, "dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40,
                    "max_position_embeddings": 40},
                   ["DistilBertModel", *(f"DistilBertFor{head}" for head in ENCODERS)]),
    "electra": ({**SIZES, "embedding_size": 16},
                ["ElectraModel", *(f"ElectraFor{head}" for head in ENCODERS)]),
    "falcon": ({"vocab_size": 300, "hidden_size": 24, "num_hidden_layers": 2,
                "num_attention_heads": 3}, ["FalconModel", "FalconForCausalLM"]),
    "gemma": (SMALL, ["GemmaModel", "GemmaForCausalLM"]),
    "gemma2": (SMALL, ["Gemma2Model", "Gemma2ForCausalLM"]),
    "gemma3_text": (SMALL, ["Gemma3TextModel", "Gemma3ForCausalLM"]),
    "gpt2": ({"vocab_size": 300, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 40},
             ["GPT2Model", "GPT2LMHeadModel", "GPT2ForSequenceClassification"]),
    "gpt_neox": (SIZES, ["GPTNeoXModel", "GPTNeoXForCausalLM"]),
    "llama": (SMALL, ["LlamaModel", "LlamaForCausalLM", "LlamaForQuestionAnswering",
                      "LlamaForSequenceClassification"]),
    "mistral": (SMALL, ["MistralModel", "MistralForCausalLM"]),
    "opt": ({**SIZES, "ffn_dim": 40, "word_embed_proj_dim": 24}, ["OPTModel", "OPTForCausalLM"]),
    "phi": ({**SIZES, "num_key_value_heads": 3}, ["PhiModel", "PhiForCausalLM"]),
    "phi3": ({**SIZES, "num_key_value_heads": 3, "pad_token_id": 0},
             ["Phi3Model", "Phi3ForCausalLM"]),
    "qwen2": ({**SIZES, "num_key_value_heads": 3},
              ["Qwen2Model", "Qwen2ForQuestionAnswering", "Qwen2ForCausalLM"]),
    "qwen3": (SMALL, ["Qwen3Model", "Qwen3ForQuestionAnswering", "Qwen3ForCausalLM"]),
    "roberta": (SIZES, ["RobertaModel", *(f"RobertaFor{head}" for head in ENCODERS)]),
}  # fmt: skip
CLASSES = [(kind, name) for kind, (_, names) in SAVED.items() for name in names]


T5 = {"vocab_size": 300, "d_model": 24, "d_kv": 8, "d_ff": 40, "num_layers": 2, "num_heads": 3}
TWO_HALVES = {
    "vocab_size": 300, "d_model": 24, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 3, "decoder_attention_heads": 3, "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40, "max_position_embeddings": 40, "decoder_start_token_id": 2,
    "pad_token_id": 1, "forced_eos_token_id": 2,
}  # fmt: skip
PAIRS: list[tuple[str, str, dict[str, Any]]] = [
    ("bart", "BartForConditionalGeneration", TWO_HALVES),
    ("marian", "MarianMTModel", TWO_HALVES),
    ("marian", "MarianMTModel", {**TWO_HALVES, "share_encoder_decoder_embeddings": False}),
    ("marian", "MarianMTModel",
     {**TWO_HALVES, "share_encoder_decoder_embeddings": False, "tie_word_embeddings": False}),
    ("t5", "T5ForConditionalGeneration", T5),
    ("t5", "T5ForConditionalGeneration",
     {**T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
]  # fmt: skip


def is_encoder(kind: str) -> bool:
    return any("MaskedLM" in name for name in SAVED[kind][1])


def saved(kind: str, name: str, folder: Path, *, whole: bool) -> Path:
    """A small model as transformers saves it; `whole` writes the defaults of its config too."""
    torch.manual_seed(0)
    keys = SAVED[kind][0]
    model = getattr(transformers, name)(AutoConfig.for_model(kind, **keys)).eval()
    model.save_pretrained(folder)
    if whole:
        config = {**model.config.to_dict(), "architectures": [name]}
        (folder / "config.json").write_text(json.dumps(config))
    definition = word_pieces() if is_encoder(kind) else tokenizer()
    (folder / "pieces.json").write_text(definition)
    PreTrainedTokenizerFast(tokenizer_file=str(folder / "pieces.json")).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("whole", [False, True], ids=["default config", "full config"])
@pytest.mark.parametrize(("kind", "name"), CLASSES)
def test_what_is_saved_opens_and_computes_the_same(
    kind: str, name: str, whole: bool, tmp_path: Path
) -> None:
    folder = saved(kind, name, tmp_path / "saved", whole=whole)
    trace = ask(folder, TEXT)
    theirs = run(folder, trace.plan.model.pieces.ids, trace.plan.words.tokens)
    assert len(trace.layers) == len(theirs.attentions)
    for layer, weights, received in zip(
        trace.layers, theirs.attentions, theirs.received, strict=True
    ):
        assert close(layer["weights"], weights)
        assert close(layer["x"], received)
    if "LM" in name:  # other heads give no pieces
        assert close(logits_at(trace, 0, slice(None)), theirs.logits[0])
    elif is_encoder(kind):  # of others a norm comes behind it
        assert close(trace.layers[-1]["block_output"], theirs.last)


@pytest.mark.parametrize("kind", ["falcon", "gpt_neox", "llama", "qwen3"])
def test_proportional_positions_are_those_of_transformers(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rope = {"rope_type": "proportional", "rope_theta": 100.0, "partial_rotary_factor": 0.5}
    monkeypatch.setitem(SAVED, kind, ({**SAVED[kind][0], "rope_parameters": rope}, SAVED[kind][1]))
    folder = saved(kind, SAVED[kind][1][1], tmp_path / "saved", whole=False)
    trace = ask(folder, TEXT)
    theirs = run(folder, trace.plan.model.pieces.ids, trace.plan.words.tokens)
    for layer, weights in zip(trace.layers, theirs.attentions, strict=True):
        assert close(layer["weights"], weights)


@pytest.mark.parametrize(("kind", "name", "keys"), PAIRS)
def test_so_does_an_encoder_with_a_decoder(
    kind: str, name: str, keys: dict[str, Any], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    model = getattr(transformers, name)(AutoConfig.for_model(kind, **keys)).eval()
    model.save_pretrained(tmp_path / "saved")
    (tmp_path / "saved/tokenizer.json").write_text(pieces())
    check_pair(tmp_path / "saved", ask_pair(tmp_path / "saved"))


@pytest.mark.parametrize("name", ["T5EncoderModel", "T5ForTokenClassification"])
def test_and_the_encoder_of_t5_alone(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = getattr(transformers, name)(AutoConfig.for_model("t5", **T5)).eval()
    model.save_pretrained(tmp_path / "saved")
    (tmp_path / "saved/tokenizer.json").write_text(pieces())
    trace = ask(tmp_path / "saved", TEXT)
    theirs = run(tmp_path / "saved", trace.plan.model.pieces.ids, trace.plan.words.tokens)
    for layer, weights, received in zip(
        trace.layers, theirs.attentions, theirs.received, strict=True
    ):
        assert close(layer["weights"], weights)
        assert close(layer["x"], received)
