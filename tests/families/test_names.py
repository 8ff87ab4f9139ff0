"""What tensors became: the names that are listed hold the numbers of those tensors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnscope.families import FAMILIES
from attnscope.families.names import our_names
from attnscope.installed.checkpoint import Checkpoint
from tests.families.cases import CASES, made

BY_KIND = {family.MODEL_TYPE: family for family in FAMILIES}


def test_a_tensor_that_became_one_of_ours_holds_its_numbers(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case in CASES:
        with subtests.test(case):
            model = Checkpoint(made(case, tmp_path))
            tensors = model._now().found.tensors
            names = {ours: name for name, each in model.our_names().items() for ours in each}
            layers = model.weights.layers
            # All layers of ALBERT are the first.
            own = layers[:1] if case.startswith("albert") else layers
            for i, layer in enumerate(own):
                named = {n: a for n, a in layer.arrays().items() if f"layers.{i}.{n}" in names}
                assert named.keys() >= {"w_q", "w_k", "w_v", "w_o", "w_in", "w_out"}
                for name, array in named.items():
                    source = np.sort(tensors[names[f"layers.{i}.{name}"]], axis=None)
                    at = np.searchsorted(source, array.ravel())
                    np.testing.assert_array_equal(source[at], array.ravel())
            assert np.array_equal(tensors[names["embedding"]], model.weights.embedding)


def test_a_matrix_of_three_became_three(tmp_path: Path) -> None:
    names = Checkpoint(made("gpt2_wide", tmp_path)).our_names()
    fused = [f"layers.2.{name}" for name in ("w_q", "w_k", "w_v")]
    assert names["transformer.h.2.attn.c_attn.weight"] == fused
    assert names["transformer.wte.weight"] == ["embedding", "unembedding"]


def test_heads_that_were_put_apart_still_say_where_they_lay(tmp_path: Path) -> None:
    names = Checkpoint(made("falcon_new", tmp_path)).our_names()
    fused = [f"layers.1.{name}" for name in ("w_q", "w_k", "w_v")]
    assert names["transformer.h.1.self_attention.query_key_value.weight"] == fused
    names = Checkpoint(made("phi", tmp_path)).our_names()
    assert names["lm_head.bias"] == ["unembedding_bias"]


def test_what_is_computed_with_before_has_no_name(tmp_path: Path) -> None:
    names = Checkpoint(made("gemma", tmp_path)).our_names()
    assert "model.layers.0.input_layernorm.weight" not in names  # its gain is 1 more
    assert names["model.layers.1.self_attn.q_proj.weight"] == ["layers.1.w_q"]


def test_no_number_is_read_and_no_memory_taken(tmp_path: Path) -> None:
    """Sizes of a model that no machine here could hold."""
    model = Checkpoint(made("gpt2", tmp_path))
    wide = 1 << 20
    sizes = {name: tuple(wide if size == 24 else 3 * wide if size == 72 else size for size in shape)
             for name, shape in model._now().found.sizes.items()}  # fmt: skip
    made_of = model.config.architecture
    shape = replace(made_of.shape, d_model=wide)
    about = replace(model.config, architecture=replace(made_of, shape=shape, num_layers=900))
    assert our_names(BY_KIND["gpt2"], about, sizes) == model.our_names()
