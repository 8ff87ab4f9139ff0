"""What attention costs: what the chapter says of its tables is what they hold."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.analysis import costs
from attnscope.attention.architecture import Shape
from attnscope.learn.chapters import costs as chapter
from attnscope.learn.chapters import costs_values as computed
from attnscope.learn.echo import CHINESE, ENGLISH, Echo
from attnscope.learn.exercises import compute_trace


def test_counts_are_written_in_full_or_by_three_digits(subtests: pytest.Subtests) -> None:
    cases = [
        (0, "0"),
        (9_999_999, "9,999,999"),
        (10**7, "1.00\u00a0×\u00a010⁷"),
        (6.66e15, "6.66\u00a0×\u00a010¹⁵"),
    ]
    for number, text in cases:
        with subtests.test(number=number):
            assert computed.count(number) == text


def test_the_stages_write_as_many_numbers_as_they_have() -> None:
    model = {"source": "seeded", "d_model": 32, "num_heads": 4, "num_kv_heads": 2}
    trace = compute_trace({"tokens": ["a", "b", "c"], "model": model})
    found = costs.stages(trace.plan.model.shape, costs.Work.whole(3))
    for name in computed.STAGES:
        assert found[name].written == trace.layers[0][name].size


def test_projections_lead_below_twice_d_and_maps_above() -> None:
    shares = {row[0]: int(row[-1].removesuffix(" %")) for row in computed.length_rows()}
    assert shares["512"] < 50
    assert shares["4,096"] > 50
    assert computed.crossings()["crossing"] == "1,024"


def test_a_step_with_a_cache_multiplies_what_it_reads_about_once() -> None:
    ratios = {name: float(ratio) for name, ratio in computed.reading().items()}
    assert ratios["step"] < 2
    assert ratios["once"] > 20


@pytest.mark.parametrize("echo", [ENGLISH, CHINESE])
def test_a_trained_head_is_softer_with_linear_attention(echo: Echo) -> None:
    found = {name: float(value) for name, value in computed.linear_weights(echo).items()}
    assert found["linear"] <= found["most"] < 0.5 * found["softmax"]


def test_self_attention_costs_more_than_layers_without_maps_at_every_length_named() -> None:
    for n in computed.LENGTHS:
        attention, recurrent, convolutional, restricted = costs.layer_kinds(
            n, computed.BASE.d_model, computed.NEAR, computed.KERNEL
        )
        for other in (recurrent, convolutional):
            assert attention.multiplications > other.multiplications
        assert attention.multiplications >= restricted.multiplications


def test_the_answer_on_scores_is_n_squared_for_each_of_the_heads_numbers(
    subtests: pytest.Subtests,
) -> None:
    for seed in range(6):
        with subtests.test(seed=seed):
            exercise = chapter.map_products(np.random.default_rng(seed))
            n, heads, d_k = (int(exercise.values[name]) for name in ("n", "heads", "d_k"))
            assert exercise.answer == n * n * heads * d_k


def test_where_maps_lead_both_multiply_as_much(subtests: pytest.Subtests) -> None:
    for seed in range(12):
        with subtests.test(seed=seed):
            values = (found := chapter.where_maps_lead(np.random.default_rng(seed))).values
            h, kv, d_k, d = (int(values[name]) for name in ("heads", "kv_heads", "d_k", "d_model"))
            assert isinstance(found.answer, float)
            assert found.answer * 2 * h * d_k == d * (2 * h * d_k + 2 * kv * d_k)


@pytest.mark.parametrize("d", [4, 32])
def test_sums_save_once_the_text_is_longer_than_a_head_is_wide(d: int) -> None:
    shape = Shape(2, 2, 2 * d, d, d)
    for n, sign in ((d - 1, -1), (d, 0), (d + 1, 1)):
        work = costs.Work.whole(n)
        found = costs.stages(shape, work)
        maps = sum(found[name].multiplications for name in costs.MAPS)
        sums = costs.total(costs.linear(shape, work).values()).multiplications
        assert np.sign(maps - sums) == sign
