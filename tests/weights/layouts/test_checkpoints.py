"""Attention layers of GPT-2, BERT and Llama, and their kin, by the names of their tensors alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from attnscope.errors import ShapeMismatch, UnknownLayout
from attnscope.weights.formats import WeightsFile
from attnscope.weights.layouts import Recognised, recognise

WIDTH = 8
RANDOM = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape)


def gpt2(prefix: str = "", layers: int = 2) -> dict[str, np.ndarray]:
    return {
        f"{prefix}h.{i}.{name}": normal(*shape)
        for i in range(layers)
        for name, shape in {
            "attn.c_attn.weight": (WIDTH, 3 * WIDTH), "attn.c_attn.bias": (3 * WIDTH,),
            "attn.c_proj.weight": (WIDTH, WIDTH), "attn.c_proj.bias": (WIDTH,),
            "attn.bias": (1, 1, 4, 4), "ln_1.weight": (WIDTH,), "mlp.c_fc.weight": (WIDTH, 32),
        }.items()
    }  # fmt: skip


def linear(pattern: str, names: Mapping[str, int], *, bias: bool) -> dict[str, np.ndarray]:
    made = {pattern.format(i=i, name=f"{name}.weight"): normal(rows, WIDTH)
            for i in range(2) for name, rows in names.items()}  # fmt: skip
    if bias:
        made |= {name.removesuffix("weight") + "bias": normal(len(a)) for name, a in made.items()}
    return made


def bert(prefix: str = "") -> dict[str, np.ndarray]:
    names = ("self.query", "self.key", "self.value", "output.dense")
    pattern = f"{prefix}encoder.layer.{{i}}.attention.{{name}}"
    return linear(pattern, dict.fromkeys(names, WIDTH), bias=True)


def llama(prefix: str = "model.") -> dict[str, np.ndarray]:
    rows = {"q_proj": WIDTH, "k_proj": 4, "v_proj": 4, "o_proj": WIDTH}
    made = linear(f"{prefix}layers.{{i}}.self_attn.{{name}}", rows, bias=False)
    return {**made, f"{prefix}embed_tokens.weight": normal(20, WIDTH)}


def found(arrays: dict[str, np.ndarray], num_heads: int | None) -> Recognised:
    return recognise(WeightsFile(arrays, dict.fromkeys(arrays, "float64"), {}), num_heads)


def test_fused_matrices_of_gpt2_are_cut(subtests: pytest.Subtests) -> None:
    for prefix in ("", "transformer."):
        with subtests.test(prefix):
            arrays = gpt2(prefix)
            recognised = found(arrays, 2)
            assert recognised.layout == "gpt2"
            layer, at = recognised.layers[1], f"{prefix}h.1.attn"
            q, k, v = np.split(arrays[f"{at}.c_attn.weight"], 3, axis=1)
            for matrix, expected in ((layer.w_q, q), (layer.w_k, k), (layer.w_v, v)):
                np.testing.assert_array_equal(matrix, expected)
            assert layer.b_k is not None
            np.testing.assert_array_equal(layer.b_k, arrays[f"{at}.c_attn.bias"][WIDTH:-WIDTH])
            assert layer.w_o is not None
            np.testing.assert_array_equal(layer.w_o, arrays[f"{at}.c_proj.weight"])


def test_linear_layers_of_bert_and_llama_are_transposed(subtests: pytest.Subtests) -> None:
    for prefix in ("", "bert.", "roberta."):
        with subtests.test(prefix):
            arrays = bert(prefix)
            recognised = found(arrays, 2)
            assert recognised.layout == "bert"
            at, layer = f"{prefix}encoder.layer.1.attention", recognised.layers[1]
            np.testing.assert_array_equal(layer.w_k, arrays[f"{at}.self.key.weight"].T)
            np.testing.assert_array_equal(layer.b_o, arrays[f"{at}.output.dense.bias"])
    for prefix in ("", "model."):
        with subtests.test(prefix):
            arrays = llama(prefix)
            recognised = found(arrays, 4)
            shape = recognised.shape
            assert recognised.layout == "llama"
            assert (shape.num_kv_heads, shape.d_k, shape.d_v) == (2, 2, 2)
            query = arrays[f"{prefix}layers.0.self_attn.q_proj.weight"]
            np.testing.assert_array_equal(recognised.layers[0].w_q, query.T)


def test_what_is_not_whole_or_another_model_is_not_taken_for_one(
    subtests: pytest.Subtests,
) -> None:
    wide = gpt2() | {"h.0.attn.c_attn.weight": normal(WIDTH, 2 * WIDTH)}
    without = {name: array for name, array in bert().items() if ".0.attention.self.key" not in name}
    cases = {
        "one key for all queries": wide, "no key": without, "BART": llama("model.encoder."),
        "T5": {"encoder.block.0.layer.0.SelfAttention.q.weight": normal(WIDTH, WIDTH)},
    }  # fmt: skip
    for name, arrays in cases.items():
        with subtests.test(name), pytest.raises(UnknownLayout, match="not_recognised"):
            found(arrays, 2)


def test_heads_and_gaps_are_refused_as_those_of_our_own_names_are() -> None:
    with pytest.raises(ShapeMismatch) as error:
        found(llama(), None)
    assert error.value.reason == "heads_not_given"
    with pytest.raises(ShapeMismatch) as error:
        found(gpt2(), 3)
    assert error.value.reason == "heads_do_not_fit"
    gap = {name.replace("h.1.", "h.2."): array for name, array in gpt2().items()}
    with pytest.raises(UnknownLayout) as missing:
        found(gap, 2)
    assert missing.value.values["layer"] == 1
