"""The table of stages is what the computation hands out: names, order, axes, inputs."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from attnscope.attention.architecture import ALL_TENSORS, Parameters
from attnscope.trace.stages import BY_NAME, NAMES, OPERANDS, PARAMETERS, STAGES
from attnscope.trace.trace import Trace
from tests.families.asking import ask as ask_checkpoint
from tests.families.cases import made as checkpoint_of
from tests.families.seq2seq_made import ask_pair, made_pair
from tests.questions import BLOCKS, ask

MODEL = {
    "source": "seeded", "num_heads": 6, "num_kv_heads": 2, "d_model": 7, "d_k": 4, "d_v": 5,
    "bias": True, "num_layers": 2, "block": "residual",
}  # fmt: skip
SIZES = {
    "batch": 2, "query": 4, "key": 4, "head": 6, "kv_head": 2, "d_model": 7, "d_k": 4, "d_v": 5,
    "hidden": 28, "head·d_k": 24, "head·d_v": 30, "kv_head·d_k": 8, "kv_head·d_v": 10,
}  # fmt: skip


WORDS = {"tokens": [["a", "b", "c"], ["d"]], "context_length": 4}
FULL = {**MODEL, "positions": "rotary", "mlp": True}


def trace() -> Trace:
    return ask({**WORDS, "model": MODEL})


def test_the_table_names_what_a_layer_hands_out_in_the_order_of_the_computation() -> None:
    for layer in trace().layers:
        assert tuple(layer) == NAMES
    order = [stage.name for stage in STAGES]
    for stage in STAGES:
        for name in set(stage.inputs) - {"block_output"}:
            assert name in ALL_TENSORS or order.index(name) < order.index(stage.name)


def test_every_array_has_the_axes_of_the_table(subtests: pytest.Subtests) -> None:
    for block in BLOCKS:
        with subtests.test(block):
            answered = ask({**WORDS, "model": {**FULL, "block": block}})
            arrays = {**answered.layers[1], **answered.parameters[1].arrays()}
            assert set(NAMES) <= arrays.keys() <= BY_NAME.keys()
            for name, array in arrays.items():
                assert array.shape == tuple(SIZES[axis] for axis in BY_NAME[name].axes), name


def test_every_parameter_and_operand_of_the_table_is_there_for_some_block(tmp_path: Path) -> None:
    made: set[str] = set()
    for case in ("llama_bias", "gemma3"):
        answered = ask_checkpoint(checkpoint_of(case, tmp_path), "a b")
        made |= answered.layers[0].keys() | answered.parameters[0].arrays().keys()
    made |= ask_pair(made_pair("t5", tmp_path)).parameters[0].arrays().keys()
    for block in BLOCKS:
        answered = ask({**WORDS, "model": {**FULL, "block": block}})
        made |= answered.layers[0].keys() | answered.parameters[0].arrays().keys()
    assert made | {"context", "q_norm_bias", "k_norm_bias"} == BY_NAME.keys()


def test_the_table_names_the_parameters_as_the_mathematics_does() -> None:
    assert [stage.name for stage in PARAMETERS] == [field.name for field in fields(Parameters)]
    assert len(BY_NAME) == len(STAGES) + len(PARAMETERS) + len(OPERANDS)


def test_only_stages_with_a_head_axis_have_one() -> None:
    axes = {name: stage.head_axis for name, stage in BY_NAME.items() if stage.head_axis}
    assert axes == {
        "q": "head", "k": "kv_head", "v": "kv_head", "scores": "head", "scaled_scores": "head",
        "masked_scores": "head", "weights": "head", "head_outputs": "head",
        "unrotated_q": "head", "unrotated_k": "kv_head",
        "unnormed_q": "head", "unnormed_k": "kv_head",
    }  # fmt: skip


def test_only_the_weights_are_drawn_from_zero_to_one() -> None:
    assert [stage.name for stage in STAGES if stage.kind == "weights"] == ["weights"]
    assert all(stage.formula and stage.latex for stage in BY_NAME.values())
    weights = trace().layers[0]["weights"]
    assert (np.abs(weights - 0.5) <= 0.5).all()


def test_what_is_read_of_a_context_is_written_z() -> None:
    holds = {"context", "rotary", "sqrt_d_k", "attention", "b_q", "b_k", "b_v"}
    latex = {n: BY_NAME[n].formula_for(holds).latex for n in ("q", "k", "v", "unrotated_k")}
    assert latex == {
        "q": "Q = R(X W_Q + b_Q)", "k": "K = R(Z W_K + b_K)", "v": "V = Z W_V + b_V",
        "unrotated_k": "Z W_K + b_K",
    }  # fmt: skip
    assert BY_NAME["context"].formula_for(holds).latex == "Z = E"
    assert BY_NAME["context"].formula_for({"context"}).latex == "Z = E + P"


def test_the_words_of_a_variant_stand_one_space_apart() -> None:
    for stage in BY_NAME.values():
        for one in stage.variants:
            assert one.when.split(" ") == (one.when.split() or [""]), stage.name
    assert BY_NAME["q"].formula_for({"rotary", "attention"}).latex == "Q = R(X W_Q)"


BIASED = {
    "b_q": ("q", "unrotated_q", "unnormed_q"), "b_k": ("k", "unrotated_k", "unnormed_k"),
    "b_v": ("v",), "b_o": ("output",), "b_in": ("hidden",), "b_out": ("mlp_output",),
    "b_gate": ("gate",),
}  # fmt: skip


def test_a_bias_stands_in_the_formulas_of_what_it_is_added_to_and_in_no_other(
    subtests: pytest.Subtests,
) -> None:
    around = product(("", "pre_norm normed_input"), ("", "rotary"), ("", "context"))
    for bias, words in product(BIASED, around):
        with subtests.test(bias, words=words):
            holds = set(" ".join(words).split())
            for stage in (*STAGES, *OPERANDS):
                without, made = stage.formula_for(holds), stage.formula_for(holds | {bias})
                assert not re.search(r"\bb_", without.formula + without.latex), stage.name
                assert bool(re.search(r"\+ b_", made.formula + made.latex)) == (
                    stage.name in BIASED[bias]
                ), stage.name


def test_without_a_matrix_the_output_is_what_the_heads_made() -> None:
    assert BY_NAME["output"].formula_for({"unprojected"}).latex == "O = C"
    assert BY_NAME["output"].formula_for({"b_o"}).latex == "O = C W_O + b_O"


def test_where_nothing_is_masked_no_formula_speaks_of_infinity() -> None:
    assert "infty" in BY_NAME["masked_scores"].formula_for({"attention"}).latex
    for stage in STAGES:
        made = stage.formula_for({"unmasked"})
        assert "infty" not in made.latex, stage.name
        assert "∞" not in made.formula, stage.name


def test_the_order_of_the_variants_chooses_nothing(subtests: pytest.Subtests) -> None:
    places, given = ("", "unplaced", "rotary", "alibi later"), ("", "given context_given context")
    scales, biases = ("sqrt_d_k", "none", "number"), ("", "b_q b_k", "b_k b_v b_o", "unprojected")
    for stage in BY_NAME.values():
        with subtests.test(stage.name):
            turned = replace(stage, variants=stage.variants[::-1])
            for words in product(BLOCKS, places, given, ("", "mlp b_in"), scales, biases):
                holds = set(" ".join(words).split())
                assert stage.formula_for(holds) == turned.formula_for(holds), holds


def test_typeset_formulas_speak_no_language() -> None:
    for stage in BY_NAME.values():
        for one in (stage.formula_for(set()), *stage.variants):
            assert r"\text" not in one.latex, stage.name


def test_x_is_the_output_of_the_layer_below_wherever_there_is_one() -> None:
    x = BY_NAME["x"]
    for words in product(("", "given"), ("", "unplaced", "rotary", "alibi")):
        holds = set(" ".join(words).split())
        below = [x.formula_for(holds, layer) for layer in (1, 2)]
        assert {one.formula for one in below} == {"block_output of the layer below"}
        assert {one.latex for one in below} == {r"X = X'_{\ell - 1}"}
        assert "below" not in x.formula_for(holds).formula
    assert x.formula_for({"attention"}).latex == "X = E + P"


def test_given_numbers_are_not_placed_whatever_the_positions() -> None:
    for positions in ("", "unplaced", "rotary", "alibi"):
        holds = {"given", "context_given", *positions.split()}
        latex = [BY_NAME[name].formula_for(holds).latex for name in ("x", "context")]
        assert latex == ["X", "Z"]
