"""Rotary settings of config.json as transformers reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from attnscope.attention.positions import Rotary
from attnscope.installed.checkpoint import Checkpoint
from tests.families.cases import made
from tests.families.made import with_config
from tests.families.test_refused import refused
from tests.families.test_unread import config_in

CONTEXT = "original_max_position_embeddings"
YARN = {"rope_type": "yarn"}  # its factor follows from the contexts
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 3, "long_factor": [3.0] * 3}
SCALED: list[tuple[str, dict[str, Any]]] = [
    ("llama", YARN), ("llama", LLAMA3), ("llama", LONG), ("mistral", YARN), ("qwen2", YARN),
    ("phi", YARN), ("gpt_neox", YARN), ("falcon", YARN),
]  # fmt: skip
WHOLE_HEADS = ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "falcon")


def with_keys(case: str, folder: Path, **keys: Any) -> Path:
    folder = made(case, folder)
    config = {**config_in(folder), "rope_parameters": None, **keys}
    return with_config(folder, config)


def rotary(folder: Path) -> Rotary:
    found = Checkpoint(folder).config.architecture.rotary
    assert found is not None
    return found


def test_a_context_outside_the_mapping_is_read_and_overrides_one_inside_it(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case, scaling in SCALED:
        with subtests.test(case, kind=scaling["rope_type"]):
            home = tmp_path / f"{case}_{scaling['rope_type']}"
            inside = rotary(with_keys(case, home, rope_scaling={**scaling, CONTEXT: 16}))
            other = {**scaling, CONTEXT: 40}
            for mapping in (scaling, other):
                found = rotary(with_keys(case, home, rope_scaling=mapping, **{CONTEXT: 16}))
                assert found == inside
            assert rotary(with_keys(case, home, rope_scaling=other)) != inside


def test_a_part_of_a_head_is_refused_where_transformers_turns_it_whole(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case in WHOLE_HEADS:
        half = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}
        nested = {"full_attention": half, "sliding_attention": half}
        mapping: dict[str, Any] = nested if case == "gemma3" else half
        with subtests.test(case):
            error = refused(with_keys(case, tmp_path, rope_parameters=mapping))
            assert (error.reason, error.at) == ("unknown_value", "partial_rotary_factor")
    error = refused(with_keys("llama", tmp_path, partial_rotary_factor=0.5))
    assert error.at == "partial_rotary_factor"


def test_a_part_of_an_odd_width_is_refused_as_the_config_has_it(tmp_path: Path) -> None:
    rope = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.9}
    error = refused(with_keys("gpt_neox", tmp_path, rope_parameters=rope))
    assert (error.at, error.values["value"]) == ("partial_rotary_factor", "0.9")


def test_proportional_positions_leave_the_last_pairs_unturned(tmp_path: Path) -> None:
    mapping = {"rope_type": "proportional", "rope_theta": 1e4, "partial_rotary_factor": 0.7,
               "factor": 2.0}  # fmt: skip
    for case in ("llama", "gpt_neox"):
        found = rotary(with_keys(case, tmp_path, rope_parameters=mapping))
        width = 2 * len(found.frequencies or ())
        turning = int(0.7 * width // 2)
        expected = [1e4 ** (-2 * i / width) / 2 if i < turning else 0.0 for i in range(width // 2)]
        assert found.frequencies == pytest.approx(expected)
        assert found.columns is None
        assert 0 < turning < width // 2


def test_a_cap_of_scores_is_refused_where_transformers_ignores_it(tmp_path: Path) -> None:
    error = refused(with_keys("gemma3", tmp_path, attn_logit_softcapping=50.0))
    assert (error.reason, error.at) == ("unknown_value", "attn_logit_softcapping")
