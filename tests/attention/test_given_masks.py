"""A mask that is written out closes its cells in the heads it speaks of, whatever computes them."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.decode import decode, step_ends
from attnscope.attention.masks import Mask
from attnscope.errors import InvalidRequest, ShapeMismatch
from attnscope.trace.formula_words import formula_words
from attnscope.trace.parse_question import given_mask
from attnscope.trace.question import Question
from tests.questions import ask

TOKENS = [["a", "b", "c", "d"], ["e", "f"]]
MODEL = {"source": "seeded", "d_model": 8, "num_heads": 2, "num_layers": 2}
SIZES = (2, 2, 4, 4)  # batch, heads, queries, keys


def drawn(*shape: int) -> list[Any]:
    return list(np.random.default_rng(len(shape)).integers(0, 2, shape).tolist())


def question(**fields: object) -> Question:
    return Question.model_validate(fields)


SHAPES = {
    "one for all": (4, 4),
    "of keys": (2, 1, 4),
    "of a batch row": (2, 1, 4, 4),
    "of a head": (2, 2, 4, 4),
}


def test_a_given_mask_closes_its_cells_and_the_others_close_theirs(
    subtests: pytest.Subtests,
) -> None:
    for causal, shape in product((True, False), SHAPES.values()):
        with subtests.test(causal=causal, shape=shape):
            body = {"tokens": TOKENS, "model": MODEL, "causal": causal}
            mask = drawn(*shape)
            trace, usual = ask({**body, "mask": mask}), ask(body)
            every = given_mask(np.array(mask, bool), "mask", SIZES)
            opened = np.broadcast_to(every, SIZES) & np.isfinite(usual.layers[0]["masked_scores"])
            for stages in trace.layers:
                np.testing.assert_array_equal(np.isfinite(stages["masked_scores"]), opened)
                np.testing.assert_array_equal(stages["weights"] > 0, opened)
            assert trace.checks.max_reference_error is not None
            assert trace.checks.max_reference_error < 1e-12
            assert trace.checks.fully_masked_rows == int((~opened.any(-1)).any(1).sum())


def test_true_and_false_are_1_and_0_and_the_same_question() -> None:
    mask = drawn(4, 4)
    said = [[bool(cell) for cell in row] for row in mask]
    one, other = (question(tokens=TOKENS, mask=each) for each in (mask, said))
    assert one.id() == other.id() != question(tokens=TOKENS).id()
    assert one.plain()["mask"] == mask


def test_a_mask_of_ones_closes_nothing() -> None:
    body = {"tokens": [["a", "b"]], "causal": False}
    trace = ask({**body, "mask": [[1, 1], [1, 1]]})
    assert "unmasked" in formula_words(trace.plan)
    np.testing.assert_array_equal(trace.layers[0]["weights"], ask(body).layers[0]["weights"])


def test_over_many_rows_a_mask_is_laid_strip_by_strip() -> None:
    n = 300
    mask = np.random.default_rng(0).integers(0, 2, (1, 2, n, n))
    x = np.random.default_rng(1).normal(size=(n, 8)).tolist()
    model = {"source": "seeded", "d_model": 8, "num_heads": 2}
    trace = ask({"x": x, "model": model, "causal": False, "mask": mask.tolist()})
    np.testing.assert_array_equal(trace.layers[0]["weights"] > 0, mask == 1)


def test_step_by_step_a_batch_row_keeps_its_own_mask() -> None:
    trace = ask({"tokens": TOKENS, "model": MODEL, "mask": drawn(2, 2, 4, 4)})
    for step in decode(trace, 1, 1, step_ends(trace.plan, 1, 0)):
        assert step.difference < 1e-12


def test_of_text_is_the_mask_of_one_batch_row() -> None:
    mask = Mask(given=np.array(drawn(2, 2, 4, 4), bool))
    rows = np.arange(4)
    for batch in range(2):
        alone = mask.of_text(batch)
        for head in range(2):
            np.testing.assert_array_equal(
                alone.may_attend(rows, rows, (4, 4), 0, head),
                mask.may_attend(rows, rows, (4, 4), batch, head),
            )


def test_a_mask_that_does_not_fit_is_refused_by_its_axis(subtests: pytest.Subtests) -> None:
    cases = [
        ((3, 4), "query"), ((1, 4), "query"), ((4, 5), "key"), ((3, 1, 4), "batch"),
        ((2, 1, 3), "key"), ((2, 3, 4, 4), "head"), ((1, 2, 4, 4), "batch"),
    ]  # fmt: skip
    for shape, axis in cases:
        with subtests.test(shape=shape):
            with pytest.raises(ShapeMismatch) as refused:
                ask({"tokens": TOKENS, "model": MODEL, "mask": drawn(*shape)})
            assert (refused.value.at, refused.value.values["axis"]) == ("mask", axis)


def test_a_mask_of_other_numbers_is_refused(subtests: pytest.Subtests) -> None:
    for mask in ([[0, 2]], [[0.5, 1]], [[-1, 0]]):
        with subtests.test(mask=mask):
            with pytest.raises(InvalidRequest) as refused:
                question(tokens=TOKENS, mask=mask)
            assert refused.value.reason == "not_0_or_1"


def test_what_is_no_mask_is_refused(subtests: pytest.Subtests) -> None:
    masks: list[Any] = [[0, 1], [], [[]], "mask", [[True, None]], [[["x"]]], [[[[[1]]]]]]
    for mask in masks:
        with subtests.test(mask=mask):
            with pytest.raises((InvalidRequest, ShapeMismatch)) as refused:
                question(tokens=TOKENS, mask=mask)
            assert refused.value.at == "mask"


def test_lists_within_lists_without_end_are_refused() -> None:
    deep: list[Any] = [True]
    for _ in range(900):
        deep = [deep]
    with pytest.raises((InvalidRequest, ShapeMismatch)):
        question(tokens=TOKENS, mask=deep)


@pytest.mark.parametrize("context", [None, [["g"], ["h", "i", "j"]]])
def test_padding_of_keys_alone_leaves_padded_queries_open(context: object) -> None:
    body = {"tokens": TOKENS, "model": MODEL, "causal": False}
    if context is not None:
        body = {**body, "context_tokens": context}
    trace, usual = ask({**body, "padding": "keys"}), ask(body)
    for b, (queries, keys) in enumerate(trace.plan.lengths()):
        opened = np.isfinite(trace.layers[0]["masked_scores"][b])
        assert opened[:, :, :keys].all()
        assert not opened[:, :, keys:].any()
        real, before = (one.layers[-1]["output"][b, :queries] for one in (trace, usual))
        np.testing.assert_array_equal(real, before)
    assert trace.checks.fully_masked_rows == 0
    assert trace.checks.max_reference_error is not None
    assert trace.checks.max_reference_error < 1e-12


@pytest.mark.parametrize("queries", [1, 4000])
def test_a_block_of_a_given_mask_costs_a_block(queries: int) -> None:
    opened = np.random.default_rng(0).random((1, 1, queries, 4000)) < 0.5
    opened[..., 300:600] = True
    mask, lengths = Mask(given=opened), (4000, 4000)
    rows, cols = slice(100, 356), slice(280, 290)
    places = np.arange(rows.start, rows.stop), np.arange(cols.start, cols.stop)
    mask.may_attend(*places, lengths)  # makes the checks of shapes
    mask.block_state(rows, cols, lengths)
    tracemalloc.start()
    try:
        found, state = mask.may_attend(*places, lengths), mask.block_state(rows, cols, lengths)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 100_000  # whole rows are ten times as many bytes
    own = opened[0, 0, 0 if queries == 1 else rows]
    np.testing.assert_array_equal(found, np.broadcast_to(own[..., cols], found.shape))
    assert state == "partly"
    assert mask.block_state(rows, slice(310, 400), lengths) == "open"


def test_places_of_a_given_mask_need_not_be_next_to_each_other() -> None:
    opened = np.random.default_rng(0).random((1, 1, 50, 60)) < 0.5
    rows, cols = np.array([3, 4, 9, 40]), np.array([0, 2, 59])
    for given, of in ((opened, rows), (opened[:, :, :1], np.zeros(4, int))):
        found = Mask(given=given).may_attend(rows, cols, (50, 60))
        np.testing.assert_array_equal(found, given[0, 0][np.ix_(of, cols)])
