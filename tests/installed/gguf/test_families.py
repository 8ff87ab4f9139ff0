"""Each family in a .gguf file computes what the folder computes that it was made of."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFReader
from safetensors.numpy import load_file

from attnscope.analysis.predictions import logits_at
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.gguf.file import GgufFile
from attnscope.installed.gguf.layer_norm_kinds import GPT_NEOX, Sizes
from attnscope.trace.trace import Trace
from attnscope.weights.formats.gguf_tensors import map_gguf
from tests.families import decoders_made, llama_made, seq2seq_made
from tests.families.asking import ask
from tests.families.made import checkpoint
from tests.gguf_converted import converted
from tests.gguf_files import CONTROL, NORMAL, byte_level_keys, write_gguf
from tests.weights.formats.test_gguf import refusal_of

TEXT = "The animal didn't"
# Case → what its config has otherwise, as no file says it.
LLAMA_KINDS: dict[str, dict[str, Any]] = {
    "gemma": {},
    "gemma2": {"query_pre_attn_scalar": 8},
    "gemma3": {"query_pre_attn_scalar": 8},
    "gemma3_scaled": {"query_pre_attn_scalar": 8},
}
OTHERS: dict[str, dict[str, Any]] = {
    "phi": {},
    "phi3": {},
    "phi3_long": {},
    "phi3_window": {"head_dim": None, "partial_rotary_factor": 0.7},
    "gpt_neox": {},
    "gpt_neox_behind": {"rotary_emb_base": 10000},
    "bloom": {},
    "falcon": {},
    "falcon_new": {},
    "falcon_new_one": {"bias": False, "activation": "gelu", "rope_theta": 10000.0},
}
BOTH = [*LLAMA_KINDS, *OTHERS]


def made(case: str, at: Path, **keys: Any) -> Path:
    """The folder of a case."""
    if case in LLAMA_KINDS:
        config = {**llama_made.config_of(case), **LLAMA_KINDS[case], **keys}
        return checkpoint(at / "folder", config, llama_made.llama_tensors(config))
    config = {**decoders_made.config_of(case), **OTHERS[case], **keys}
    return checkpoint(at / "folder", config, decoders_made.decoder_tensors(config))


def check_alike(one: Trace, other: Trace) -> None:
    assert other.plan.words.tokens == one.plan.words.tokens
    for layer, made_of in zip(other.layers, one.layers, strict=True):
        for name in ("q", "k", "v", "weights", "block_output"):
            np.testing.assert_allclose(layer[name], made_of[name], rtol=0, atol=2e-6, err_msg=name)
    ours, theirs = (logits_at(trace, 0, slice(None)) for trace in (one, other))
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=2e-5)


@pytest.mark.parametrize("case", BOTH)
def test_a_file_computes_what_its_folder_computes(case: str, tmp_path: Path) -> None:
    folder = made(case, tmp_path)
    file = converted(folder, tmp_path / "small.gguf")
    check_alike(ask(folder, TEXT), ask(file, TEXT))
    assert Checkpoint(file).config.family == Checkpoint(folder).config.family
    stored, found = load_file(folder / "model.safetensors"), GgufFile(file).read()
    assert dict(found.sizes) == {name: array.shape for name, array in stored.items()}
    for name, array in stored.items():
        np.testing.assert_allclose(found.tensors[name], array, rtol=0, atol=3e-7)


def with_end(folder: Path) -> dict[str, Any]:
    """The keys of byte-level pieces with </s> behind a text."""
    keys = byte_level_keys((folder / "tokenizer.json").read_text())
    names = keys["tokenizer.ggml.tokens"]
    return {
        **keys,
        "tokenizer.ggml.token_type": [
            CONTROL if name in ("<s>", "<pad>", "</s>") else NORMAL for name in names
        ],
        "tokenizer.ggml.add_eos_token": True, "tokenizer.ggml.eos_token_id": names.index("</s>"),
    }  # fmt: skip


@pytest.mark.parametrize("case", ["t5", "t5_gated"])
def test_so_does_an_encoder_with_a_decoder(case: str, tmp_path: Path) -> None:
    keys: dict[str, Any] = {"relative_attention_max_distance": 128}
    config = {**seq2seq_made.config_of(case), **keys}
    pieces = seq2seq_made.pieces()
    tensors = seq2seq_made.t5_tensors(config)
    folder = checkpoint(tmp_path / "folder", config, tensors, tokenizer=pieces)
    file = converted(folder, tmp_path / "small.gguf", with_end(folder))
    check_alike(seq2seq_made.ask_pair(folder), seq2seq_made.ask_pair(file))
    assert dict(GgufFile(file).read().sizes) == {name: one.shape for name, one in tensors.items()}


def test_and_the_encoder_alone(tmp_path: Path) -> None:
    config = seq2seq_made.config_of("t5") | {"relative_attention_max_distance": 128}
    tensors = {name: one for name, one in seq2seq_made.t5_tensors(config).items()
               if not name.startswith("decoder.")}  # fmt: skip
    settings = config | {"is_encoder_decoder": False}
    folder = checkpoint(tmp_path / "folder", settings, tensors, tokenizer=seq2seq_made.pieces())
    file = converted(folder, tmp_path / "a.gguf", with_end(folder), architecture="t5encoder")
    one, other = ask(folder, TEXT), ask(file, TEXT)
    for layer, made_of in zip(other.layers, one.layers, strict=True):
        np.testing.assert_allclose(layer["weights"], made_of["weights"], rtol=0, atol=2e-6)


def test_older_files_of_phi_2_have_q_k_and_v_in_one_matrix(tmp_path: Path) -> None:
    folder = made("phi", tmp_path)
    whole = converted(folder, tmp_path / "whole.gguf")
    reader = GGUFReader(whole)
    stored = {one.name: np.array(one.data) for one in reader.tensors}
    for i in range(2):
        for part in ("weight", "bias"):
            rows = [stored.pop(f"blk.{i}.attn_{letter}.{part}") for letter in "qkv"]
            stored[f"blk.{i}.attn_qkv.{part}"] = np.concatenate(rows)
    keys = {name: one.contents() for name, one in reader.fields.items()
            if name.startswith(("phi2.", "tokenizer."))}  # fmt: skip
    file = write_gguf(tmp_path / "fused.gguf", "phi2", keys, stored)
    check_alike(ask(whole, TEXT), ask(file, TEXT))


# What a file does not say, and what the config says then.
UNSAID: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "the window of the first Phi-3 mini": (
        "phi3", {"attention.sliding_window": None, "block_count": 32, "context_length": 4096},
        {"sliding_window": 2047},
    ),
    "caps and window of the first files of Gemma 2": (
        "gemma2", dict.fromkeys(
            ("attention.sliding_window", "attn_logit_softcapping", "final_logit_softcapping")),
        {"sliding_window": 4096, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0},
    ),
    "a Gemma 3 without a window": (
        "gemma3", {"attention.sliding_window": None, "attention.sliding_window_pattern": None},
        {"sliding_window": None, "sliding_window_pattern": 1},
    ),
    "five layers of six have the window of Gemma 3": (
        "gemma3", {"attention.sliding_window_pattern": None}, {"sliding_window_pattern": 6},
    ),
    "the scale of Gemma 2 27B": ("gemma2", {"block_count": 46}, {"query_pre_attn_scalar": 6}),
    "the scale of Gemma 3 27B": ("gemma3", {"block_count": 62}, {"query_pre_attn_scalar": 6}),
}  # fmt: skip


def test_what_a_file_does_not_say_is_known_of_published_models(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for about, (case, keys, wanted) in UNSAID.items():
        with subtests.test(about):
            file = converted(made(case, tmp_path), tmp_path / "small.gguf", **keys)
            config = GgufFile(file).read().config
            assert {name: config[name] for name in wanted} == wanted


def test_the_activation_of_gpt_neox_20b_is_known_by_its_sizes(tmp_path: Path) -> None:
    file = converted(made("gpt_neox", tmp_path), tmp_path / "small.gguf")
    sizes = Sizes(
        metadata=map_gguf(file).header.metadata, at="gptneox", vocabulary=50432, width=6144,
        layers=44, heads=64, kv_heads=64, hidden=24576, context=2048, epsilon=1e-5, names={},
    )  # fmt: skip
    assert GPT_NEOX.config(sizes)["hidden_act"] == "gelu_fast"
    assert GgufFile(file).read().config["hidden_act"] == "gelu"


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a key": ("gemma", {"attention.sliding_window": 4}, "gguf_keys"),
    "a key of another kind": ("falcon", {"attention.max_alibi_bias": 8.0}, "gguf_keys"),
    "no window": ("phi3", {"attention.sliding_window": None}, "gguf_no_key"),
    "layers by a list": ("gemma3", {"attention.sliding_window_pattern": [1, 0]}, "gguf_value"),
    "a scaling": ("phi3", {"rope.scaling.type": "yarn"}, "gguf_value"),
    "a scaling where none is": ("gpt_neox", {"rope.scaling.type": "yarn"}, "gguf_only"),
    "both ways": ("bloom", {"attention.causal": False}, "gguf_only"),
    "fewer key/value heads": ("bloom", {"attention.head_count_kv": 1}, "other_sizes"),
    "no heads": ("falcon", {"attention.head_count": 0}, "other_sizes"),
    "no key/value heads": ("falcon_new", {"attention.head_count_kv": 0}, "other_sizes"),
    "columns beyond a head": ("gpt_neox", {"rope.dimension_count": 10}, "gguf_value"),
    "columns beyond a head of Phi-3": ("phi3", {"rope.dimension_count": 8}, "gguf_value"),
    "half of a head turned": ("falcon", {"rope.dimension_count": 4}, "gguf_only"),
}  # fmt: skip


def test_what_changes_numbers_and_is_not_known_is_refused(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for about, (case, keys, reason) in REFUSED.items():
        with subtests.test(about):
            file = converted(made(case, tmp_path), tmp_path / "small.gguf", **keys)
            assert refusal_of(partial(Checkpoint, file)).reason == reason


def test_tensors_that_are_not_known_are_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for case, name, shape in (
        ("phi", "blk.0.ffn_norm.weight", 24), ("falcon", "token_embd_norm.weight", 24),
        ("gemma", "blk.0.attn_q_norm.weight", 8), ("phi3", "rope_freqs.weight", 3),
    ):  # fmt: skip
        with subtests.test(name):
            file = with_tensor(made(case, tmp_path), name, np.ones(shape, np.float32))
            assert refusal_of(partial(Checkpoint, file)).reason == "gguf_tensors"
    file = with_tensor(made("phi3", tmp_path), "rope_factors_long.weight", np.ones(3, np.float32))
    assert refusal_of(lambda: Checkpoint(file)).values["key"] == "rope_factors_short.weight"


def with_tensor(folder: Path, name: str, array: np.ndarray) -> Path:
    """The model of a folder as a file, with one more tensor."""
    reader = GGUFReader(converted(folder, folder.parent / "plain.gguf"))
    kind = reader.fields["general.architecture"].contents()
    keys = {name: one.contents() for name, one in reader.fields.items()
            if name.startswith((f"{kind}.", "tokenizer."))}  # fmt: skip
    stored = {one.name: np.array(one.data) for one in reader.tensors}
    return write_gguf(folder.parent / "more.gguf", kind, keys, stored | {name: array})
