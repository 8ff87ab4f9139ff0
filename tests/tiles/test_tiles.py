"""Tiles and pictures say what the maps themselves say."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from attnscope.attention.attend import MAPS
from attnscope.errors import Unknown
from attnscope.storage.cache import Cache
from attnscope.tiles.picture import (
    CLOSED,
    STEPS,
    TILE,
    Address,
    count_levels,
    eight_bits,
    squares_of,
    squares_within,
)
from attnscope.tiles.picture_cache import MapPlace, PictureCache
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.stage_map import Extent, Picture, Reduce
from attnscope.trace.trace import Trace, answer
from tests.matrices import some_and_all

LONG = " ".join(f"w{i * i % 83}" for i in range(613))
MODEL = {"source": "seeded", "seed": 3, "d_model": 16, "num_heads": 2}
QUESTIONS: dict[str, dict[str, Any]] = {
    "open": {"text": LONG, "causal": False},
    "causal": {"text": LONG},
    "windows": {"text": LONG, "causal": False, "window": 5, "global_tokens": 2},
    "blocks": {"text": [LONG, LONG[:500]], "block_size": 40, "blocked": [[5, 0], [0, 0]]},
    "context": {"text": LONG[:300], "context": LONG, "causal": False},
}


def trace_of(name: str) -> Trace:
    question = Question.model_validate({**QUESTIONS[name], "model": MODEL})
    return answer(make_plan(question, Limits(), lambda *_: None))


def gallery() -> PictureCache:
    return PictureCache(Cache(1 << 30))


def plainly(
    numbers: np.ndarray, there: np.ndarray, side: int, reduce: Reduce, stage: str
) -> np.ndarray:
    """All cells of a square along two axes of their own, NaN where there is none."""
    n, m = numbers.shape
    edges = ((0, -n % side), (0, -m % side))
    cells = np.pad(np.where(there, numbers, np.nan), edges, constant_values=np.nan)
    squares = cells.reshape(-(-n // side), side, -(-m // side), side)
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # squares without an open cell
        if reduce == "max":
            out = np.nanmax(squares, axis=(1, 3))
        elif stage == "weights":
            all_cells = np.pad(numbers, edges, constant_values=np.nan).reshape(squares.shape)
            return np.nanmean(all_cells, axis=(1, 3))
        else:
            out = np.nanmean(squares, axis=(1, 3))
    return np.where(np.isnan(out), -np.inf if stage == "masked_scores" else 0.0, out)


def tiles_are_the_dense_map(name: str, stage: str) -> None:
    trace = trace_of(name)
    at = MapPlace(stage, 0, 1, trace.plan.batch - 1)
    numbers = trace.layers[0][stage][at.batch, at.head]
    there = trace.layers[0]["masked_scores"][at.batch, at.head] != -np.inf
    there = there if stage in ("masked_scores", "weights") else np.ones_like(there)
    levels = count_levels(*numbers.shape)
    for z in range(levels):
        side = 1 << (levels - 1 - z)
        shape = [-(-count // side) for count in numbers.shape]
        for reduce in ("mean", "max"):
            whole = plainly(numbers, there, side, reduce, stage)
            for row, col in np.ndindex(*(-(-count // TILE) for count in shape)):
                squares = squares_of(numbers.shape, Address(z, row, col))
                picture = trace.reduce(*at[:3], squares, reduce, at.batch)
                here = np.s_[row * TILE : (row + 1) * TILE, col * TILE : (col + 1) * TILE]
                np.testing.assert_allclose(picture.values, whole[here], rtol=1e-6, atol=1e-6)
        with pytest.raises(Unknown):
            squares_of(numbers.shape, Address(z, -(-shape[0] // TILE), 0))
    with pytest.raises(Unknown):
        squares_of(numbers.shape, Address(levels, 0, 0))


@pytest.mark.parametrize("rows", some_and_all(list(QUESTIONS), MAPS))
def test_tiles_are_the_dense_map(rows: list[tuple[str, str]], subtests: pytest.Subtests) -> None:
    for name, stage in rows:
        with subtests.test(f"{name} {stage}"):
            tiles_are_the_dense_map(name, stage)


@pytest.mark.parametrize("stage", ["q", "masked_scores", "weights", "output"])
def test_a_picture_is_within_half_a_step_of_the_numbers(stage: str) -> None:
    trace = trace_of("causal")
    picture_cache, at = gallery(), MapPlace(stage, 0, 0, 0)
    numbers = trace.block(stage, 0, 0)
    squares = squares_within(numbers.shape, 200)
    bits, extent = picture_cache.bits(trace, at, squares, "strongest")
    shown = picture_cache.picture(trace, at, squares, "strongest")
    there = np.isfinite(numbers) & ((stage != "weights") | (np.tri(*numbers.shape) > 0))
    assert (extent.low, extent.high) == (numbers[there].min(), numbers[there].max())
    step = (extent.high - extent.low) / STEPS
    seen = bits != CLOSED
    np.testing.assert_array_equal(~seen, shown.closed)
    back = extent.low + bits * step
    assert np.abs(back - shown.values)[seen].max() <= step / 2 * (1 + 1e-6)
    assert bits[seen].max() == STEPS
    assert max(bits.shape) <= 200


def test_by_the_root_small_weights_are_told_apart() -> None:
    trace = trace_of("causal")
    picture_cache, at = gallery(), MapPlace("weights", 0, 0, 0)
    squares = squares_within(trace.plan.shape_of("weights"), 1024)
    bits, extent = picture_cache.bits(trace, at, squares, "strongest", "root")
    shown = picture_cache.picture(trace, at, squares, "strongest").values
    seen = bits != CLOSED
    part = np.sqrt((shown - extent.low)[seen] / (extent.high - extent.low))
    assert np.abs(bits[seen] / STEPS - part).max() <= 0.5 / STEPS * (1 + 1e-6)
    even, _ = picture_cache.bits(trace, at, squares, "strongest")
    assert len(np.unique(bits)) > len(np.unique(even))


def test_thumbnails_are_the_pictures_of_every_head() -> None:
    trace = trace_of("blocks")
    bits, extent = gallery().head_thumbnails(trace, 1, 64, "even")
    assert bits.shape == (1, 2, 39, 39)
    for head in (0, 1):
        squares = squares_within(trace.plan.shape_of("weights"), 64)
        picture = trace.reduce("weights", 0, head, squares, "max", 1)
        np.testing.assert_array_equal(bits[0, head], eight_bits(picture, extent))


def test_numbers_that_overflowed_are_closed_or_at_the_ends() -> None:
    trace = trace_of("open")
    numbers = trace.layers[0]["scores"][0, 0]
    numbers[0, 0], numbers[1, 1], numbers[2, 2] = np.nan, np.inf, -np.inf
    picture_cache, at = gallery(), MapPlace("scores", 0)
    bits, extent = picture_cache.bits(trace, at, squares_within((613, 613), 1024), "mean")
    assert np.isfinite(extent).all()
    assert [bits[i, i] for i in range(3)] == [CLOSED, STEPS, 0]


@pytest.mark.parametrize("size", [1.7e308, 1e-320, 5e-324])
def test_eight_bits_tell_numbers_apart_at_both_ends_of_float64(size: float) -> None:
    """The width of the extent overflows, or one over it does."""
    values = np.array([[-size, 0, size]])
    picture = Picture(values, np.zeros(values.shape, bool))
    np.testing.assert_array_equal(eight_bits(picture, Extent(-size, size)), [[0, 127, 254]])
