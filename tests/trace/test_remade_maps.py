"""Maps that are made when they are looked at are those that were made at once, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnscope.analysis.ablations import ablate_heads
from attnscope.analysis.contributions import contributions
from attnscope.analysis.decode import decode, step_ends
from attnscope.analysis.gradients import RowNorm, gradients
from attnscope.attention.architecture import Parameters
from attnscope.attention.attend import MAPS, WHOLE_ROWS
from attnscope.attention.recomputed_stages import KEPT, KEPT_STAGES, RecomputedStages, StageCache
from attnscope.errors import UnknownStage
from attnscope.families.layers import Layers
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import explain
from attnscope.trace.trace import Trace, answer
from tests.families.asking import ask
from tests.families.cases import TEXT, made
from tests.questions import COVERING, patterned_question, random_question
from tests.questions import ask as ask_body

CASES = ("gpt2", "gemma2", "qwen2_window", "bert")


def without_maps(whole: Trace) -> Trace:
    """The answer to the same question, whose maps are made when they are looked at."""
    return answer(replace(whole.plan, large_maps=0))


@pytest.fixture(params=CASES)
def both(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Trace, Trace]:
    """With all of its maps, and with none."""
    whole = ask(made(request.param, tmp_path), [TEXT, TEXT[:9]])
    return whole, without_maps(whole)


def test_every_stage_is_the_same(both: tuple[Trace, Trace]) -> None:
    whole, remade = both
    assert whole.checks.max_row_sum_error == remade.checks.max_row_sum_error
    assert whole.checks.fully_masked_rows == remade.checks.fully_masked_rows
    assert remade.checks.non_finite == 0
    for one, other in zip(whole.layers, remade.layers, strict=True):
        assert isinstance(other, RecomputedStages)
        assert not set(MAPS) & other.kept.keys()
        assert set(one) == set(other)
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], name)


def test_a_trace_keeps_what_says_the_rest(both: tuple[Trace, Trace]) -> None:
    _, remade = both
    stay = [a for layer in remade.layers for a in layer.kept.values()]
    assert remade.bytes - KEPT == remade.start.bytes + sum(
        a.nbytes for a in {id(a): a for a in stay}.values()
    )
    assert remade.bytes <= remade.plan.bytes + remade.start.bytes
    assert all(layer.kept.keys() <= KEPT_STAGES for layer in remade.layers)


def test_layers_of_a_checkpoint_are_read_once(
    both: tuple[Trace, Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = both
    read, one = [], Layers._one

    def counted(layers: Layers, i: int) -> Parameters:
        read.append(i)
        return one(layers, i)

    monkeypatch.setattr(Layers, "_one", counted)
    without_maps(whole)
    assert len(read) <= len(whole.layers) + 1  # the tests' type checks read one more


def test_maps_are_kept_while_there_is_room(both: tuple[Trace, Trace]) -> None:
    _, remade = both
    first = remade.layers[0]["weights"]
    assert remade.layers[0]["weights"] is first
    cache = StageCache(most_bytes=2 * first.nbytes)
    for layer in (0, 1):
        cache.put(layer, {"weights": first})
    assert cache.get(0, "weights") is first
    cache.put(2, {"weights": first})
    assert cache.get(1, "weights") is None  # used longest ago
    assert cache.get(0, "weights") is cache.get(2, "weights") is first
    larger = {name: np.resize(first, (3, *first.shape)) for name in ("scores", "weights")}
    cache.put(3, larger)
    assert cache.get(2, "weights") is None
    assert cache.get(3, "scores") is larger["scores"]


def test_what_is_made_of_a_trace_is_the_same(both: tuple[Trace, Trace]) -> None:
    whole, remade = both
    row = whole.plan.n - 1
    for name in MAPS:
        explanations = [explain(one, name, CellPlace(1, 2, 0, row, 3)) for one in both]
        assert explanations[0] == explanations[1]
    objective = RowNorm(kind="row_norm", row=row, at="block_output")
    first, second = (gradients(one, objective).trace.layers[0] for one in both)
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], name)
    if whole.plan.model.unembedding is None:
        return
    assert ablate_heads(whole, 0, row, 5) == ablate_heads(remade, 0, row, 5)
    assert contributions(whole, 0, row, 5) == contributions(remade, 0, row, 5)
    steps = [list(decode(one, 0, 0, step_ends(one.plan, 0, 3))) for one in both]
    apart = [max(step.difference for step in one) for one in steps]
    assert apart[1] == pytest.approx(apart[0], abs=5e-6)


def test_sums_of_rows_are_no_stage(both: tuple[Trace, Trace]) -> None:
    with pytest.raises(UnknownStage):
        explain(both[1], "row_sums", CellPlace(0, 0, 0, 0, 0))


def test_of_large_maps_two_are_kept_and_give_the_others_bit_for_bit() -> None:
    bodies = [random_question(seed) for seed in COVERING]
    bodies += [patterned_question(3), {"text": "a b c", "scale": 1e308}]
    for body in bodies:
        whole = ask_body(body)
        two = answer(replace(whole.plan, small_maps=0))
        assert two.checks == whole.checks, body
        row, col = whole.plan.n - 1, whole.plan.keys(0) - 1
        for at, (one, other) in enumerate(zip(whole.layers, two.layers, strict=True)):
            assert isinstance(other, RecomputedStages)
            assert list(other) == list(one)
            assert set(one) - other.kept.keys() == {"scaled_scores", "masked_scores"}
            for name in one:
                np.testing.assert_array_equal(one[name], other[name], f"{name} of {body}")
            rows = other.rows("masked_scores", 0, slice(1, None))
            np.testing.assert_array_equal(rows, one["masked_scores"][0, :, 1:])
            place = CellPlace(at, 0, 0, row, col)
            # As text, since NaN differs from itself.
            assert str(explain(two, "weights", place)) == str(explain(whole, "weights", place))


def test_what_might_overflow_is_looked_at(tmp_path: Path) -> None:
    whole = ask(made("gpt2", tmp_path), TEXT, scale=3e38)
    hot = without_maps(whole)
    assert hot.checks == replace(whole.checks, max_reference_error=None)
    assert hot.checks.non_finite > 0


def test_of_rows_too_long_to_hold_the_sums_are_known() -> None:
    model = {"source": "seeded", "d_model": 16, "num_heads": 4, "num_kv_heads": 2, "num_layers": 2}
    keys = WHOLE_ROWS + 1
    body = {"text": ["a b c", "d"], "context": ["a " * keys, "d e"], "causal": False}
    planned = replace(ask_body({**body, "dtype": "float32", "model": model}).plan, long=False)
    whole = answer(planned)
    long = answer(replace(planned, large_maps=0, model=replace(planned.model, shared=True)))
    assert long.checks.non_finite == 0
    assert long.checks.fully_masked_rows == whole.checks.fully_masked_rows
    assert long.checks.max_row_sum_error < 1e-6
    rows, cols = slice(0, whole.plan.n), slice(0, keys)
    for dense, layer in zip(whole.layers, long.layers, strict=True):
        assert isinstance(layer, RecomputedStages)
        assert set(layer) == set(dense)
        np.testing.assert_allclose(layer["output"], dense["output"], 1e-5, 1e-5)
        weights = layer.factored().block("weights", 1, 0, rows, cols)
        np.testing.assert_allclose(weights, dense["weights"][1, 0], 1e-5, 1e-5)
