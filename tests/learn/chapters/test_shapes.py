"""Shapes: the table of the chapter is the shape of the batch it shows."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.learn.chapters.shapes import BATCH
from attnscope.learn.exercises import compute_trace
from attnscope.trace.examples import example
from tests.test_repo import messages

ROWS = {1: "x", 4: "q", 5: "scores", 6: "weights", 7: "head_outputs", 8: "output"}


def test_the_batch_is_the_one_of_the_example() -> None:
    assert example("batch-of-four").question == {**BATCH, "causal": True}
    assert compute_trace(BATCH).plan.words.lengths == [12, 12, 13, 12]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_row_of_the_table_has_the_computed_shape(language: str) -> None:
    trace, texts = compute_trace(BATCH), messages(language)
    shapes = {row: trace.layers[0][name].shape for row, name in ROWS.items()}
    shapes[2] = trace.parameters[0].w_q.shape
    for row, shape in shapes.items():
        written = texts[f"learn.shapes.steps.{row}.1"]
        assert [int(size) for size in written.split("×")] == list(shape)


def test_rows_of_padding_are_zeros_and_its_cells_are_closed() -> None:
    layer = compute_trace(BATCH).layers[0]
    assert not layer["x"][0, 12:].any()
    assert np.isneginf(layer["masked_scores"][0, :, 12:]).all()
    assert np.isneginf(layer["masked_scores"][0, :, :, 12:]).all()
