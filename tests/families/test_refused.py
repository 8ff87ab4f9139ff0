"""Checkpoints that are not computed here: refused with what is wrong, never computed wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from attnscope.errors import BadWeightsFile, InvalidRequest
from attnscope.installed.checkpoint import Checkpoint
from attnscope.web.texts import filled
from tests.families.asking import ask
from tests.families.cases import ENCODERS
from tests.families.encoders import encoder_tensors
from tests.families.made import GPT2, checkpoint, gpt2_tensors, tokenizer, with_config, word_pieces
from tests.test_repo import messages

VALUES: dict[str, list[Any]] = {
    "vocab_size": ["300", 299, None],
    "n_positions": [31.5, 16],
    "n_embd": [30],
    "n_layer": [3, "2", 10**9],
    "n_head": [5, 0],
    "n_inner": [95],
    "activation_function": ["mish", "quick_gelu", None],
    "layer_norm_epsilon": [-1, 2, "x"],
    "scale_attn_weights": ["no"],
    "scale_attn_by_inverse_layer_idx": [2],
    "add_cross_attention": [True],
    "tie_word_embeddings": ["yes"],
    "model_type": ["mamba", None, 7],
    "pruned_heads": [{"0": [1]}],
    "rope_theta": [1e4],
    "attn_logit_softcapping": [50],
}

LIKE_BERT: dict[str, list[Any]] = {
    "hidden_size": [48, 25],
    "num_hidden_layers": [3, 10**9],
    "num_attention_heads": [7, 0],
    "intermediate_size": [41],
    "hidden_act": ["mish", None],
    "max_position_embeddings": [16],
    "type_vocab_size": [1],
    "layer_norm_eps": [-1.0, "x"],
    "position_embedding_type": ["relative_key", "relative_key_query"],
    "is_decoder": [True],
    "add_cross_attention": [True],
    "vocab_size": [201],
    "tie_word_embeddings": ["yes"],
    "rope_theta": [1e4],
}
ENCODER_VALUES: dict[str, dict[str, list[Any]]] = {
    "albert": {
        **LIKE_BERT,
        "num_hidden_layers": ["3", 10**9],
        "embedding_size": [17, "16"],
        "num_hidden_groups": [2, 0],
        "inner_group_num": [2],
        "gap_size": [1],
        "net_structure_type": [1],
        "num_memory_blocks": [1],
        "down_scale_factor": [2],
    },
    "bert": LIKE_BERT,
    "distilbert": {
        "dim": [48, 25],
        "n_layers": [3, "2", 10**9],
        "n_heads": [7, 0],
        "hidden_dim": [41],
        "activation": ["quick_gelu", None],
        "max_position_embeddings": [16],
        "vocab_size": [201],
        "tie_word_embeddings": ["yes"],
        "hidden_size": [25],
        "layer_norm_eps": [1e-5],
    },
    "electra": {**LIKE_BERT, "embedding_size": [12, 0]},
    "roberta": {**LIKE_BERT, "type_vocab_size": [2], "pad_token_id": [None, -1, 35, "1"]},
}  # fmt: skip


def each(values: dict[str, list[Any]]) -> list[tuple[str, Any]]:
    """Each key with each of its values."""
    return [(key, value) for key, those in values.items() for value in those]


def refused(folder: Path) -> BadWeightsFile:
    """What is said of a folder, in sentences that are there."""
    with pytest.raises(BadWeightsFile) as raised:
        Checkpoint(folder).pieces  # noqa: B018
    for language in ("en", "zh"):
        sentence = messages(language)[f"errors.bad_weights_file.{raised.value.reason}"]
        assert "{" not in filled(language, sentence, {"at": raised.value.at, **raised.value.values})
    return raised.value


def test_a_kind_that_reads_no_text_promises_nothing(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    reasons = {
        "vit": "reads_images", "clip": "reads_images", "whisper": "reads_sound",
        "mamba": "no_attention", "deberta": "unknown_family",
    }  # fmt: skip
    folder = checkpoint(tmp_path / "tiny", GPT2, gpt2_tensors(GPT2))
    for kind, reason in reasons.items():
        with subtests.test(kind):
            error = refused(with_config(folder, {**GPT2, "model_type": kind}))
            assert error.reason == reason
            promise = "/models" in messages("en")[f"errors.bad_weights_file.{reason}"]
            assert promise is (reason == "unknown_family")


def test_no_key_that_changes_numbers_is_passed_over(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    folder = checkpoint(tmp_path / "tiny", GPT2, gpt2_tensors(GPT2))
    for key, value in each(VALUES):
        with subtests.test(key, value=value):
            refused(with_config(folder, {**GPT2, key: value}))


def test_nor_one_of_an_encoder(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for family, keys in ENCODER_VALUES.items():
        config = ENCODERS[family]
        tensors = encoder_tensors(config)
        folder = checkpoint(tmp_path / family, config, tensors, tokenizer=word_pieces())
        for key, value in each(keys):
            with subtests.test(f"{family} {key}", value=value):
                refused(with_config(folder, {**config, key: value}))


def test_it_says_which_tensor_has_which_sizes(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", {**GPT2, "n_inner": 95}, gpt2_tensors(GPT2))
    error = refused(folder)
    assert (error.reason, error.at) == ("other_sizes", "transformer.h.0.mlp.c_fc.weight")
    assert error.values == {"found": "24 × 96", "said": "24 × 95"}


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def renamed(name: str, other: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).rename(folder / other) and None


def index(text: str) -> Callable[[Path], object]:
    return lambda folder: (
        (folder / "model.safetensors.index.json").write_text(text) and None
    )  # fmt: skip


def write(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text) and None


MAPS = {
    "missing_shard": {"weight_map": {"a": "model-2.safetensors"}},
    "index_broken": {"weight_map": {"a": "../model.safetensors"}},
}


ALL_KNOWN = Tokenizer(WordLevel({"the": 0, "cat": 1})).to_str()

# How a folder is spoilt, and the reason that is given.
SPOILT: list[tuple[Callable[[Path], object], str]] = [
    (without("model.safetensors"), "no_safetensors"),
    (without("tokenizer.json"), "no_tokenizer"),
    (write("tokenizer.json", "{}"), "tokenizer_broken"),
    (write("tokenizer.json", ALL_KNOWN), "tokenizer_without_unknown"),
    (renamed("model.safetensors", "consolidated.safetensors"), "other_layout"),
    (write("config.json", json.dumps({"_name_or_path": "org/model"})), "name_alone"),
    (write("config.json", json.dumps({"n_embd": 24})), "no_model_type"),
    (write("config.json", "{}"), "no_model_type"),
    (write("config.json", "[1]"), "config_broken"),
    (write("config.json", "[" * 100_000), "config_broken"),
    (write("config.json", json.dumps({**GPT2, "x": "a" * (1 << 20)})), "config_broken"),
    *((index(json.dumps(names)), reason) for reason, names in MAPS.items()),
    (index("{}"), "index_broken"),
    (index('{"weight_map": [1]}'), "index_broken"),
    (index('{"weight_map": {"a": 1}}'), "index_broken"),
]  # fmt: skip


def test_a_folder_without_something_says_what(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (spoil, reason) in enumerate(SPOILT):
        with subtests.test(reason, number=number):
            folder = checkpoint(tmp_path / str(number), GPT2, gpt2_tensors(GPT2))
            spoil(folder)
            assert refused(folder).reason == reason


def test_a_piece_without_a_row_is_refused_where_a_text_has_it(tmp_path: Path) -> None:
    definition = Tokenizer.from_str(tokenizer())
    definition.add_special_tokens(["<image>"])
    config = {**GPT2, "vocab_size": definition.get_vocab_size() - 1}
    folder = checkpoint(
        tmp_path / "tiny", config, gpt2_tensors(config), tokenizer=definition.to_str()
    )
    assert ask(folder, "The animal").checks.non_finite == 0
    with pytest.raises(InvalidRequest) as refused:
        ask(folder, "The <image>")
    assert (refused.value.reason, refused.value.at) == ("piece_without_row", "text")
    assert refused.value.values == {"piece": "<image>", "rows": config["vocab_size"]}


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    config = {**GPT2, "vocab_size": 200}
    folder = checkpoint(tmp_path / "tiny", config, gpt2_tensors(config), tokenizer=tokenizer())
    error = refused(folder)
    assert error.reason == "other_vocabulary"
    assert error.values["rows"] == 200


@pytest.mark.parametrize("wrapped", ["module.", "_orig_mod.module.", "base_model.model."])
def test_what_training_puts_before_every_name_is_taken_off(wrapped: str, tmp_path: Path) -> None:
    plain = checkpoint(tmp_path / "plain", GPT2, gpt2_tensors(GPT2))
    names = {f"{wrapped}{name}": one for name, one in gpt2_tensors(GPT2).items()}
    folder = checkpoint(tmp_path / "wrapped", GPT2, names)
    one, other = (ask(at, "The animal").layers[-1]["output"] for at in (plain, folder))
    np.testing.assert_array_equal(one, other)


def test_weights_without_a_tensor_are_refused(tmp_path: Path) -> None:
    assert refused(checkpoint(tmp_path / "empty", GPT2, {})).reason == "no_tensors"
