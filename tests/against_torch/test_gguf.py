"""Models of transformers, written as .gguf files: the same config, the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer
from transformers import AutoConfig, LlamaConfig, LlamaForCausalLM
from transformers.integrations.gguf.gguf_tokenizer_mapping import (
    GGUF_PRE_TOKENIZER_SPLITS,
    convert_gguf_tokenizer,
)
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from attnscope.analysis.predictions import logits_at
from attnscope.installed.gguf.file import GgufFile
from attnscope.tokens.splits import SPLITS
from tests.against_torch.test_families import close
from tests.against_torch.test_saved import SAVED, T5
from tests.against_torch.test_seq2seq import check_pair
from tests.against_torch.transformers_model import run
from tests.families.asking import ask
from tests.families.made import tokenizer
from tests.families.seq2seq_made import ask_pair, pieces
from tests.gguf_converted import converted
from tests.gguf_files import byte_level_keys
from tests.installed.gguf.test_families import with_end
from tests.installed.gguf.test_llama import llama_gguf, llama_tensors
from tests.installed.gguf.test_tokenizers import file as file_of

TEXT = "The animal didn't"
SCALED = {"query_pre_attn_scalar": 8, "sliding_window": 3}
LONG = {
    "rope_parameters": {
        "rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0, 1.5, 2.0, 2.5],
        "long_factor": [2.0, 3.0, 5.0, 6.0],
    },
    "original_max_position_embeddings": 8,
}  # fmt: skip
FALCON = {"new_decoder_architecture": True, "num_attention_heads": 4, "num_kv_heads": 2}
# Type of model, and keys of its config that are others.
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "gemma": ("gemma", {}),
    "gemma2": ("gemma2", SCALED),
    "gemma3": ("gemma3_text", {**SCALED, "num_hidden_layers": 7}),
    "phi2": ("phi", {}),
    "phi3": ("phi3", {"sliding_window": 3}),
    "phi3_long": ("phi3", LONG),
    "gptneox": ("gpt_neox", {}),
    "gptneox_behind": ("gpt_neox", {"use_parallel_residual": False}),
    "bloom": ("bloom", {}),
    "falcon": ("falcon", {}),
    "falcon_new": ("falcon", FALCON),
    "falcon_new_one": ("falcon", {**FALCON, "num_ln_in_parallel_attn": 1}),
}


@pytest.mark.parametrize("case", FAMILIES)
def test_a_file_computes_what_transformers_does(case: str, tmp_path: Path) -> None:
    kind, keys = FAMILIES[case]
    name = next(one for one in SAVED[kind][1] if one.endswith("ForCausalLM"))
    torch.manual_seed(0)
    model = getattr(transformers, name)(AutoConfig.for_model(kind, **{**SAVED[kind][0], **keys}))
    with torch.no_grad():
        for one in model.parameters():  # gains and biases begin as ones and zeros
            one.add_(0.1 * torch.randn_like(one))
    folder = tmp_path / "saved"
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer())
    trace = ask(converted(folder, tmp_path / "small.gguf"), TEXT)
    assert trace.plan.n > 3  # beyond the windows
    theirs = run(folder, trace.plan.model.pieces.ids, trace.plan.words.tokens)
    for layer, weights, received in zip(
        trace.layers, theirs.attentions, theirs.received, strict=True
    ):
        assert close(layer["weights"], weights)
        assert close(layer["x"], received)
    assert close(logits_at(trace, 0, slice(None)), theirs.logits[0])


@pytest.mark.parametrize("keys", [{}, {"feed_forward_proj": "gated-gelu"}])
def test_so_does_an_encoder_with_a_decoder(keys: dict[str, Any], tmp_path: Path) -> None:
    torch.manual_seed(0)
    keys_ = {**T5, **keys, "tie_word_embeddings": not keys, "decoder_start_token_id": 1}
    model = transformers.T5ForConditionalGeneration(AutoConfig.for_model("t5", **keys_))
    with torch.no_grad():
        for one in model.parameters():
            one.add_(0.1 * torch.randn_like(one))
    folder = tmp_path / "saved"
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(pieces())
    file = converted(folder, tmp_path / "small.gguf", with_end(folder))
    check_pair(folder, ask_pair(file))


@pytest.mark.parametrize("head", [False, True])
def test_transformers_makes_the_same_of_a_file(head: bool, tmp_path: Path) -> None:
    extra = {"lm_head.weight": (300, 24)} if head else {}
    tensors = llama_tensors(np.random.default_rng(6), extra)
    tensors = {name: array for name, array in tensors.items() if not name.endswith(".bias")}
    file = llama_gguf(tmp_path / "tiny.gguf", tensors)
    found = GgufFile(file).read()
    model = LlamaForCausalLM(LlamaConfig(**_plain(found.config)))
    theirs = load_gguf_checkpoint(str(file), return_tensors=True, model_to_load=model)
    assert found.tensors.keys() == theirs["tensors"].keys()
    for name, array in theirs["tensors"].items():
        np.testing.assert_array_equal(found.tensors[name], array.numpy())
    config = LlamaConfig(**_plain(theirs["config"]))
    for key in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
                "num_key_value_heads", "head_dim", "intermediate_size", "rope_parameters",
                "max_position_embeddings", "tie_word_embeddings"):  # fmt: skip
        assert getattr(model.config, key) == getattr(config, key), key
    assert model.config.rms_norm_eps == pytest.approx(config.rms_norm_eps, rel=1e-6)


SIGNS = [
    *" \n\t\r abcXYZ019.,'\"éß中の한😀▁<_-{}()/\\~^|$[]!，…٣½²ǅʰאב",
    "\u0301", "\u093f", "'s", "'LL", "\n\n",
]  # fmt: skip
SHARED = sorted(SPLITS.keys() & GGUF_PRE_TOKENIZER_SPLITS.keys())


def test_texts_are_split_as_transformers_splits_them(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    draw = np.random.default_rng(8)
    texts = ["".join(draw.choice(SIGNS, draw.integers(1, 40))) for _ in range(200)]
    assert len(SHARED) == 10
    for name in SHARED:
        with subtests.test(name):
            keys = byte_level_keys(tokenizer(), name)
            ours = Tokenizer.from_str(file_of(tmp_path, keys).tokenizer())
            config = {"tokenizer_type": "gpt2", "pre_tokenizer_type": name,
                    "tokens": keys["tokenizer.ggml.tokens"],
                    "merges": keys["tokenizer.ggml.merges"]}  # fmt: skip
            theirs, _ = convert_gguf_tokenizer("llama", config)
            for text in texts:
                found, wanted = (one.pre_tokenizer.pre_tokenize_str(text) for one in (ours, theirs))
                assert found == wanted


def _plain(config: dict) -> dict:
    return {key: value for key, value in config.items() if key != "model_type"}
