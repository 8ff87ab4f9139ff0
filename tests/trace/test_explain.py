"""A cell explained: its value follows from the operands it names, and they are the real cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

from attnscope.attention.layer_context import MAPS
from attnscope.errors import InvalidRequest, UnknownStage
from attnscope.trace.cell_reader import SHOWN_TERMS, CellPlace, Operand, Step, format_number
from attnscope.trace.explain import Cell, explain
from attnscope.trace.stages import BY_NAME, NAMES
from attnscope.trace.trace import Trace
from tests.attention import plain
from tests.questions import BLOCKS, SEEDS, Body, ask, random_question

SUMS = ("x", "context", "concat", "x_plus_output", "middle", "middle_plus_mlp", "block_output")


@cache
def asked(seed: int) -> tuple[Body, Trace]:
    body = random_question(seed, longest=5)
    return body, ask(body)


def places(trace: Trace, stage: str, rng: Random, count: int = 5) -> list[CellPlace]:
    """Random cells of one stage, over all layers and heads."""
    shape = trace.layers[0][stage].shape
    heads = shape[1] if BY_NAME[stage].head_axis else 1
    return [
        CellPlace(
            rng.randrange(len(trace.layers)), rng.randrange(heads), rng.randrange(shape[0]),
            rng.randrange(shape[-2]), rng.randrange(shape[-1]),
        )
        for _ in range(count)
    ]  # fmt: skip


def stored(trace: Trace, operand: Operand, batch: int) -> float:
    """The cell an operand names, read from the trace directly."""
    if operand.stage in ("cos", "sin"):
        angle = operand.row / 10000 ** (2 * operand.col / trace.plan.model.shape.d_k)
        return float(getattr(math, operand.stage)(angle))
    if operand.stage == "slope":
        return plain.slopes(trace.plan.model.shape.num_heads)[operand.head or 0]
    if operand.stage in ("embedding", "position"):
        array = trace.start.parts[operand.stage][batch]
    elif operand.stage == "given":
        array = np.asarray(trace.plan.question.x)
        array = array[batch] if array.ndim == 3 else array
        if operand.row >= len(array):
            return 0.0  # padding
    elif operand.stage in trace.parameters[0].arrays():
        array = np.atleast_2d(trace.parameters[operand.layer].arrays()[operand.stage])
    else:
        array = trace.layers[operand.layer][operand.stage][batch]
    return float((array if operand.head is None else array[operand.head])[operand.row, operand.col])


def products(step: Step) -> float:
    """The operands of the left times those of the right, and the bias. They stand in this order,
    and are all that was read."""
    assert step.left is not None, f"say in recomputed() how {step.stage} follows"
    assert step.right is not None
    (start, middle), (again, end) = step.left, step.right
    assert (start, again, step.bias or end) == (0, middle, end)
    values = [operand.value for operand in step.operands]
    assert len(values) == end + (step.bias is not None)
    pairs = zip(values[:middle], values[middle:end], strict=True)
    return math.fsum(a * b for a, b in pairs) + (0.0 if step.bias is None else values[step.bias])


def recomputed(step: Step, trace: Trace, place: CellPlace, closed: bool) -> float:
    """The value of a step out of its operands' values alone."""
    values = [operand.value for operand in step.operands]
    options = trace.plan.options
    if step.stage == "scaled_scores":
        slope = values[1] if trace.plan.model.positions == "alibi" else 0.0
        distance = abs(place.row - place.col)
        return values[0] * options.scale / options.temperature - slope * distance
    if step.stage == "masked_scores":
        return -math.inf if closed else values[0]
    if step.stage == "weights":
        return plain.softmax(values)[place.col]
    if step.operands[-1].stage in ("cos", "sin"):
        sign = -1 if place.col % 2 == 0 else 1
        return values[0] * values[2] + sign * values[1] * values[3]
    if step.operands[-1].stage in ("norm_bias", "mlp_norm_bias"):
        *row, gain, bias = values
        ones = [1.0] * len(row)
        (normed,) = plain.normed([row], ones, [0.0] * len(row))
        return normed[place.col] * gain + bias
    if step.stage == "activated":
        relu = trace.plan.model.activation == "relu"
        return max(values[0], 0.0) if relu else plain.gelu(values[0])
    if (
        step.stage == "concat"
        and step.operands[0].head in trace.plan.setting.at(place.layer).dropped
    ):
        return 0.0
    if step.stage in SUMS:
        return math.fsum(values)
    if step.stage == "output" and "w_o" not in trace.parameters[0].arrays():
        return values[0]
    return products(step)


def follows_from_its_operands(seed: int, stage: str) -> None:
    body, trace = asked(seed)
    for place in places(trace, stage, Random(stage)):
        cell = explain(trace, stage, place)
        array = trace.layers[place.layer][stage][place.batch]
        array = array[place.head] if BY_NAME[stage].head_axis else array
        assert cell.value == array[place.row, place.col]
        assert cell.steps[-1].stage == stage
        assert cell.steps[-1].value == cell.value
        length = trace.plan.words.lengths[place.batch]
        closed = not plain.is_open(body, place.row, place.col, length, length)
        for step in cell.steps:
            assert step.operands
            for operand in step.operands:
                assert operand.value == stored(trace, operand, place.batch)
            expected = recomputed(step, trace, place, closed)
            np.testing.assert_allclose(step.value, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_value_follows_from_the_operands(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed, stage in product(seeds, NAMES):
        with subtests.test(stage, seed=seed):
            follows_from_its_operands(seed, stage)


def explains_every_operand(block: str, positions: str) -> None:
    model = {"source": "seeded", "num_heads": 3, "num_kv_heads": 1, "d_model": 12, "bias": True,
             "num_layers": 2, "mlp": True, "block": block, "positions": positions,
             "activation": "relu" if positions == "alibi" else "gelu"}  # fmt: skip
    trace = ask({"tokens": [["a", "b", "c"], ["d", "e"]], "model": model})
    made: set[str] = set()
    for stage in trace.layers[0]:
        for place in places(trace, stage, Random(stage)):
            cell = explain(trace, stage, place)
            made |= {operand.stage for step in cell.steps for operand in step.operands}
            for operand in cell.steps[-1].operands:
                assert operand.value == stored(trace, operand, place.batch)
            closed = place.col > place.row or place.row >= trace.plan.words.lengths[place.batch]
            expected = recomputed(cell.steps[-1], trace, place, closed)
            np.testing.assert_allclose(cell.value, expected, rtol=1e-12, atol=1e-12)
    assert set(trace.layers[0]) - {"x", "block_output"} <= made


def test_every_operand_is_explained_in_its_turn(subtests: pytest.Subtests) -> None:
    for block, positions in product(BLOCKS, ("rotary", "alibi")):
        with subtests.test(block, positions=positions):
            explains_every_operand(block, positions)


def test_a_turned_query_shows_its_pair_and_its_angle() -> None:
    model = {"source": "seeded", "positions": "rotary", "num_heads": 2, "d_model": 8}
    trace = ask({"text": "a b c", "model": model})
    steps = explain(trace, "q", CellPlace(0, 1, 0, 2, 3)).steps
    assert [step.stage for step in steps] == ["unrotated_q", "unrotated_q", "q"]
    assert [step.value for step in steps[:2]] == [o.value for o in steps[2].operands[:2]]
    even, odd, sin, cos = steps[2].operands
    assert (even.col, odd.col, sin.stage, cos.stage) == (2, 3, "sin", "cos")
    assert steps[0].left == (0, 8)
    assert steps[2].left is None, "one product is taken off the other: no row times a column"
    assert sin.value == pytest.approx(math.sin(2 / 100), rel=1e-15)


def test_the_bias_of_a_distance_is_written_out() -> None:
    trace = ask({"text": "a b c", "model": {"source": "seeded", "positions": "alibi"}})
    step = explain(trace, "scaled_scores", CellPlace(0, 1, 0, 2, 0)).steps[-1]
    assert " − 0.0625 × |2 − 0| " in step.expression
    assert [operand.stage for operand in step.operands] == ["scores", "slope"]


def names_its_masks(seed: int) -> None:
    body, trace = asked(seed)
    for stage in ("masked_scores", "weights"):
        for place in places(trace, stage, Random(1), count=12):
            length = trace.plan.words.lengths[place.batch]
            is_open = plain.is_open(body, place.row, place.col, length, length)
            cell = explain(trace, stage, place)
            assert (cell.closed_by == []) == is_open
            if not is_open:
                assert cell.value == (-math.inf if stage == "masked_scores" else 0.0)
    place = places(trace, "scores", Random(2), count=1)[0]
    assert explain(trace, "scores", place).closed_by == []


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_closed_cell_names_its_masks_and_an_open_one_none(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(seed=seed):
            names_its_masks(seed)


@pytest.fixture(scope="module")
def grouped() -> Trace:
    """Three layers, six heads on two key heads, d_k and d_v of their own, two sentences."""
    model = {
        "source": "seeded", "num_heads": 6, "num_kv_heads": 2, "d_model": 12, "d_k": 3, "d_v": 5,
        "num_layers": 3, "bias": True, "block": "residual",
    }  # fmt: skip
    return ask({"tokens": [["a", "b", "c", "d"], ["e", "f"]], "model": model, "window": 2})


def chain(cell: Cell) -> list[str]:
    return [step.stage for step in cell.steps]


def test_a_map_shows_the_whole_way_from_the_scores(grouped: Trace) -> None:
    place = CellPlace(0, 0, 0, 2, 1)
    for at, stage in enumerate(MAPS):
        assert chain(explain(grouped, stage, place)) == list(MAPS[: at + 1])
    assert chain(explain(grouped, "output", place)) == ["output"]


def test_a_score_reads_the_key_head_that_its_group_shares(grouped: Trace) -> None:
    operands = explain(grouped, "scores", CellPlace(1, 5, 0, 3, 2)).steps[0].operands
    assert [(o.stage, o.layer, o.head, o.row, o.col) for o in operands] == [
        *[("q", 1, 5, 3, c) for c in range(3)],
        *[("k", 1, 1, 2, c) for c in range(3)],
    ]
    read = explain(grouped, "head_outputs", CellPlace(0, 2, 0, 1, 4)).steps[0].operands
    assert {o.head for o in read if o.stage == "v"} == {0}
    assert {(o.row, o.col) for o in read if o.stage == "v"} == {(j, 4) for j in range(4)}


def test_a_projection_reads_its_heads_columns_and_its_bias(grouped: Trace) -> None:
    operands = explain(grouped, "k", CellPlace(0, 1, 0, 2, 1)).steps[0].operands
    assert [o.stage for o in operands] == ["x"] * 12 + ["w_k"] * 12 + ["b_k"]
    assert {(o.row, o.col) for o in operands if o.stage == "w_k"} == {(r, 4) for r in range(12)}
    assert (operands[-1].row, operands[-1].col) == (0, 4)


def test_x_leads_back_to_the_layer_below_or_to_word_and_position(grouped: Trace) -> None:
    cell = explain(grouped, "x", CellPlace(2, 0, 1, 1, 7))
    (above,) = cell.steps[0].operands
    assert cell.formula == "block_output of the layer below"
    assert (above.stage, above.layer, above.row, above.col) == ("block_output", 1, 1, 7)
    first = explain(grouped, "x", CellPlace(0, 0, 1, 1, 7)).steps[0].operands
    assert [operand.stage for operand in first] == ["embedding", "position"]


def test_padding_closes_by_name(grouped: Trace) -> None:
    assert explain(grouped, "weights", CellPlace(0, 0, 1, 0, 3)).closed_by == [
        "padded_key", "causal", "window",
    ]  # fmt: skip
    assert explain(grouped, "weights", CellPlace(0, 0, 1, 3, 0)).closed_by == [
        "padded_query", "window",
    ]  # fmt: skip
    nothing = explain(grouped, "weights", CellPlace(0, 0, 1, 3, 0))
    assert (nothing.value, nothing.steps[-1].expression) == (0.0, "0")


def test_a_cell_outside_the_stage_is_refused(grouped: Trace, subtests: pytest.Subtests) -> None:
    cases = [
        ("weights", CellPlace(3, 0, 0, 0, 0), "layer", 2),
        ("weights", CellPlace(-1, 0, 0, 0, 0), "layer", 2),
        ("weights", CellPlace(0, 6, 0, 0, 0), "head", 5),
        ("k", CellPlace(0, 2, 0, 0, 0), "head", 1),
        ("q", CellPlace(0, -1, 0, 0, 0), "head", 5),
        ("x", CellPlace(0, 0, 2, 0, 0), "batch", 1),
        ("x", CellPlace(0, 0, 0, 4, 0), "row", 3),
        ("weights", CellPlace(0, 0, 0, 0, 4), "col", 3),
        ("v", CellPlace(0, 0, 0, 0, 5), "col", 4),
        ("output", CellPlace(0, 0, 0, -1, 0), "row", 3),
    ]
    for stage, place, at, last in cases:
        with subtests.test(stage):
            with pytest.raises(InvalidRequest) as error:
                explain(grouped, stage, place)
            assert (error.value.code, error.value.reason) == ("invalid_request", "out_of_range")
            assert error.value.at == error.value.values["name"] == at
            assert error.value.values["last"] == last


def test_a_stage_that_is_not_there_is_unknown(grouped: Trace, subtests: pytest.Subtests) -> None:
    for stage in ("", "attention", "Weights", "__class__"):
        with subtests.test(stage):
            with pytest.raises(UnknownStage) as error:
                explain(grouped, stage, CellPlace(0, 0, 0, 0, 0))
            assert (error.value.reason, error.value.at) == ("unknown_stage", "stage")


def test_a_parameter_is_a_cell_that_nothing_made(grouped: Trace) -> None:
    cell = explain(grouped, "w_q", CellPlace(1, 0, 0, 3, 17))
    assert cell.value == grouped.parameters[1].w_q[3, 17]
    assert cell.steps == []


def test_the_arithmetic_is_written_with_the_real_numbers() -> None:
    model = {"source": "explicit", "w_q": [[1], [2]], "w_k": [[3], [-1]], "w_v": [[1], [0]]}
    trace = ask({"x": [[1, 2], [0.5, -1]], "model": model, "scale": 0.5, "temperature": 2})
    steps = explain(trace, "weights", CellPlace(0, 0, 0, 1, 0)).steps
    assert [step.expression for step in steps] == [
        "−1.5 × 1 = −1.5",
        "−1.5 × 0.5 ÷ 2 = −0.375",
        "−0.375 + 0 = −0.375",
        "exp(s − max) / Σ = exp(−0.375 − (−0.375)) / 1.5698 ≈ 0.63703",
    ]
    # q = [5, −1.5], k = [1, 2.5]: the other score is −3.75, scaled −0.9375.
    assert steps[-1].value == pytest.approx(1 / (1 + math.exp(-0.5625)), rel=1e-15)
    closed = explain(trace, "masked_scores", CellPlace(0, 0, 0, 0, 1)).steps[-1]
    assert closed.expression.endswith("+ (−∞) = −∞")


def test_a_long_sum_is_abridged_but_its_operands_are_complete() -> None:
    trace = ask({"tokens": ["a"], "model": {"source": "seeded", "d_model": 64}})
    step = explain(trace, "q", CellPlace(0, 0, 0, 0, 0)).steps[0]
    assert step.expression.count("×") == SHOWN_TERMS
    assert f"… ({64 - SHOWN_TERMS} more)" in step.expression
    assert step.short is not None
    first, value = step.short.split(" + … ≈ ")
    assert step.expression.startswith(f"{first} + ")
    assert (first.count("×"), value) == (3, format_number(step.value))
    assert len(step.operands) == 128


def test_numbers_have_five_digits_and_a_true_minus(subtests: pytest.Subtests) -> None:
    cases = [
        (0.0, "0"),
        (-0.0, "0"),
        (-1.5, "−1.5"),
        (1 / 3, "0.33333"),
        (-math.inf, "−∞"),
        (2e-9, "2e−09"),
    ]
    for value, text in cases:
        with subtests.test(value=value):
            assert format_number(value) == text


CROSS = {
    "text": ["a b", "c"], "context": ["d e f", "g"],
    "model": {"source": "seeded", "num_heads": 2, "d_model": 6, "num_layers": 2, "bias": True},
}  # fmt: skip


def test_keys_and_values_are_made_of_the_context(subtests: pytest.Subtests) -> None:
    for (stage, read), layer in product((("q", "x"), ("k", "context"), ("v", "context")), (0, 1)):
        with subtests.test(stage, layer=layer):
            trace = ask(CROSS)
            row = 1 if stage == "q" else 2
            cell = explain(trace, stage, CellPlace(layer, 1, 0, row, 0))
            (step,) = cell.steps
            assert [(o.stage, o.layer, o.row) for o in step.operands[:6]] == [
                (read, layer, row)
            ] * 6
            assert step.value == pytest.approx(products(step), abs=1e-12)
            assert cell.formula == f"{read} w_{stage} + b_{stage}"
            assert cell.value == trace.layers[layer][stage][0, 1, row, 0]


def test_the_context_is_its_embedding_and_its_position() -> None:
    trace = ask(CROSS)
    assert trace.context is not None
    assert trace.context.position is not None
    cell = explain(trace, "context", CellPlace(1, 0, 0, 2, 3))
    embedding, position = cell.steps[0].operands
    assert (embedding.stage, position.stage) == ("embedding", "position")
    assert embedding.value == trace.context.embedding[0, 2, 3]
    assert position.value == trace.context.position[0, 2, 3]
    assert cell.value == embedding.value + position.value


def test_numbers_that_are_given_are_no_embedding() -> None:
    trace = ask({"x": [[3.0] * 64], "context_x": [[2.0] * 64]})
    for stage, latex, value in (("x", "X", 3.0), ("context", "Z", 2.0)):
        cell = explain(trace, stage, CellPlace(0, 0, 0, 0, 5))
        (operand,) = cell.steps[0].operands
        assert (operand.stage, operand.value, cell.latex) == ("given", value, latex)
        assert cell.formula.startswith("given")


def test_a_padded_key_of_the_context_is_closed_and_the_place_must_be_there() -> None:
    trace = ask(CROSS)
    assert explain(trace, "weights", CellPlace(0, 0, 1, 0, 1)).closed_by == ["padded_key"]
    assert explain(trace, "weights", CellPlace(0, 0, 0, 0, 2)).closed_by == []
    with pytest.raises(InvalidRequest):
        explain(trace, "weights", CellPlace(0, 0, 0, 2, 0))
    with pytest.raises(UnknownStage):
        explain(ask({"text": "a"}), "context", CellPlace(0, 0, 0, 0, 0))
