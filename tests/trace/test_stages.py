"""The table of stages is what the computation hands out: names, order, axes, inputs."""

from __future__ import annotations

import numpy as np

from app.attention.parameters import TENSORS
from app.trace.run import Trace
from app.trace.stages import BY_NAME, NAMES, PARAMETERS, STAGES
from tests.questions import ask

MODEL = {
    "source": "seeded", "num_heads": 6, "num_kv_heads": 2, "d_model": 7, "d_k": 3, "d_v": 5,
    "bias": True, "num_layers": 2, "block": "residual",
}  # fmt: skip
SIZES = {
    "batch": 2, "query": 4, "key": 4, "head": 6, "kv_head": 2, "d_model": 7, "d_k": 3, "d_v": 5,
    "head·d_k": 18, "head·d_v": 30, "kv_head·d_k": 6, "kv_head·d_v": 10,
}  # fmt: skip


def trace() -> Trace:
    return ask({"tokens": [["a", "b", "c"], ["d"]], "context_length": 4, "model": MODEL})


def test_the_table_names_what_a_layer_hands_out_in_the_order_of_the_computation() -> None:
    for layer in trace().layers:
        assert tuple(layer) == NAMES
    order = [stage.name for stage in STAGES]
    for stage in STAGES:
        for name in set(stage.inputs) - {"block_output"}:
            assert name in TENSORS or order.index(name) < order.index(stage.name)


def test_every_stage_and_parameter_has_the_axes_of_the_table() -> None:
    answered = trace()
    arrays = {**answered.layers[1], **answered.parameters[1].arrays()}
    assert arrays.keys() == BY_NAME.keys()
    for name, array in arrays.items():
        assert array.shape == tuple(SIZES[axis] for axis in BY_NAME[name].axes), name


def test_the_table_names_the_parameters_as_the_mathematics_does() -> None:
    assert tuple(stage.name for stage in PARAMETERS) == TENSORS
    assert len(BY_NAME) == len(STAGES) + len(PARAMETERS)


def test_only_stages_with_a_head_axis_have_one() -> None:
    axes = {name: stage.head_axis for name, stage in BY_NAME.items() if stage.head_axis}
    assert axes == {
        "q": "head", "k": "kv_head", "v": "kv_head", "scores": "head", "scaled_scores": "head",
        "masked_scores": "head", "weights": "head", "head_outputs": "head",
    }  # fmt: skip


def test_only_the_weights_are_drawn_from_zero_to_one() -> None:
    assert [stage.name for stage in STAGES if stage.kind == "weights"] == ["weights"]
    assert all(stage.formula and stage.latex for stage in BY_NAME.values())
    weights = trace().layers[0]["weights"]
    assert (np.abs(weights - 0.5) <= 0.5).all()
