"""The recipe of docs/house.md for a family that is Llama with another norm: one file with these
names, here a namespace, and its name in FAMILIES."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attnscope import families
from attnscope.analysis.gradients import RowNorm, gradients
from attnscope.analysis.predictions import unembedding_of
from attnscope.families import llama_base
from attnscope.families.keys import read_keys
from attnscope.families.llama_base import LlamaVariant
from attnscope.families.model import ModelConfig, Sizes
from tests.families.asking import ask
from tests.families.cases import TEXT
from tests.families.llama_made import config_of, llama_tensors
from tests.families.made import checkpoint
from tests.families.test_refused import refused

NORMS = ("input_layernorm", "post_attention_layernorm")
BIASES = dict(zip(("norm_bias", "mlp_norm_bias"), (f"{norm}.bias" for norm in NORMS), strict=True))
KIND = LlamaVariant("centred", {**llama_base.VECTORS, **BIASES})


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, llama_base.Keys)
    return KIND.about(keys, keys.architecture(norm="layer"), sizes)


CENTRED = SimpleNamespace(
    MODEL_TYPE="centred", Keys=llama_base.Keys, about=about, convert=KIND.convert
)


def test_a_llama_with_another_norm_is_a_file_and_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "FAMILIES", (*families.FAMILIES, CENTRED))
    config = {**config_of("llama"), "model_type": "centred"}
    tensors, draw = llama_tensors(config), np.random.default_rng(0)
    places = [f"model.layers.{i}.{norm}" for i in range(2) for norm in NORMS]
    for at in (*places, "model.norm"):
        tensors[f"{at}.bias"] = draw.normal(size=24).astype(np.float32)
    trace = ask(checkpoint(tmp_path / "centred", config, tensors), TEXT, dtype="float64")
    assert trace.checks.max_reference_error is not None
    assert trace.checks.max_reference_error < 1e-12
    layer, at = trace.layers[1], "model.layers.1.input_layernorm"
    x = layer["x"]
    apart = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
    expected = apart * tensors[f"{at}.weight"] + tensors[f"{at}.bias"]
    np.testing.assert_allclose(layer["normed_x"], expected, atol=1e-12)
    last = unembedding_of(trace.plan)
    assert last.norm == "layer"
    np.testing.assert_array_equal(last.norm_bias, tensors["model.norm.bias"])
    row = gradients(trace, RowNorm(kind="row_norm", row=1)).trace.layers[0]
    assert np.isfinite(row["x"]).all()


def test_a_bias_of_a_norm_that_is_not_among_the_vectors_is_refused(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    config = config_of("llama")
    for bias in ("model.norm.bias", "model.layers.1.input_layernorm.bias"):
        with subtests.test(bias):
            tensors = llama_tensors(config)
            tensors[bias] = tensors["model.norm.weight"].copy()
            error = refused(checkpoint(tmp_path / bias, config, tensors))
            assert (error.reason, error.at) == ("extra_tensors", bias)
