"""One pass tells what the dense map tells, and the same bits whoever does it."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from attnscope.attention.attend import MAPS
from attnscope.attention.level import Level, level_of
from attnscope.attention.masks import Mask
from attnscope.attention.overview import Overview, overview, pieces_of
from tests.attention.factored import KINDS, MASKS, Kind, tolerance
from tests.attention.test_map import LAYERS, Layers

pytestmark = pytest.mark.slow

LONG = Kind(n=1300, heads=(1, 1))


def arrays_of(passed: Overview) -> list[np.ndarray]:
    rows = [] if passed.rows is None else [*passed.rows.sums, *passed.rows[1:]]
    return [*passed.level, *rows]


def near_level(ours: Level, dense: Level, within: float) -> None:
    np.testing.assert_array_equal(ours.cells, dense.cells)
    for name in ("most", "least"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(dense, name), within, within, err_msg=name
        )
    # A sum is as exact as its terms are many.
    count = max(1.0, float(dense.cells.max(initial=1)))
    np.testing.assert_allclose(ours.total, dense.total, within, within * count, err_msg="total")


@pytest.mark.parametrize("layers", LAYERS)
def test_the_level_is_that_of_the_dense_map(layers: Layers, subtests: pytest.Subtests) -> None:
    sides = itertools.cycle((1, 4, 16, 256, 512))
    for name, (kind, mask) in layers.items():
        with subtests.test(name):
            fmap, maps = kind.layer(mask)
            batch, heads, _, _ = fmap.shape
            within = tolerance(kind) * max(1.0, float(np.abs(maps["scaled_scores"]).max()))
            for b, h, stage in itertools.product(range(batch), range(heads), MAPS):
                dense, side = maps[stage][b, h], next(sides)
                opened = np.isfinite(maps["masked_scores"][b, h])
                if stage in ("scores", "scaled_scores"):
                    opened = np.ones_like(opened)
                expected = level_of(dense, opened, side, side)
                if stage == "weights":
                    expected = expected._replace(least=np.where(expected.cells == 0, np.inf, 0))
                passed = overview(fmap, stage, b, h, side)
                near_level(passed.level, expected, within)
                assert (passed.rows is None) == (stage != "weights")
                ends = (expected.least.min(), expected.most.max())
                np.testing.assert_allclose((passed.low, passed.high), ends, within, within)


def rows_of(weights: np.ndarray) -> dict[str, np.ndarray]:
    """The same of dense weights, as one would write it."""
    n, m = weights.shape
    i, j = np.arange(n)[:, None], np.arange(m)
    safe = np.where(weights > 0, weights, 1)
    return {
        "entropy": -(weights * np.log(safe)).sum(axis=1),
        "largest": weights.max(axis=1),
        "distance": (weights * np.abs(i - j)).sum(axis=1),
        "first": weights[:, 0],
        "previous": np.where(j == i - 1, weights, 0).sum(axis=1),
        "own": np.where(j == i, weights, 0).sum(axis=1),
    }


@pytest.mark.parametrize("layers", LAYERS)
def test_the_rows_are_those_of_the_dense_map(layers: Layers, subtests: pytest.Subtests) -> None:
    for what, (kind, mask) in layers.items():
        with subtests.test(what):
            fmap, maps = kind.layer(mask)
            batch, heads, n, m = fmap.shape
            within = tolerance(kind) * max(1.0, float(np.abs(maps["scaled_scores"]).max())) * 10
            for b, h in itertools.product(range(batch), range(heads)):
                rows = overview(fmap, "weights", b, h, 16).rows
                assert rows is not None
                weights = maps["weights"][b, h].astype(np.float64)
                for name, expected in rows_of(weights).items():
                    # Distances are as large as the text is long.
                    far = m + n if name == "distance" else 1
                    np.testing.assert_allclose(
                        getattr(rows, name), expected, within, within * far, err_msg=name
                    )


def test_a_long_map_is_one_map_over_many_strips(subtests: pytest.Subtests) -> None:
    for name in ("none", "causal", "window", "patterns"):
        with subtests.test(name):
            fmap, maps = LONG.layer(MASKS[name])
            for stage in MAPS:
                opened = np.isfinite(maps["masked_scores" if stage == "weights" else stage][0, 0])
                expected = level_of(maps[stage][0, 0], opened, 32, 32)
                if stage == "weights":
                    expected = expected._replace(least=np.where(expected.cells == 0, np.inf, 0))
                near_level(overview(fmap, stage, 0, 0, 32).level, expected, 1e-11)


def test_the_bits_are_the_same_however_many_workers_there_are(subtests: pytest.Subtests) -> None:
    for stage, workers in itertools.product(("weights", "masked_scores"), (1, 2, 5)):
        with subtests.test(stage, workers=workers):
            for kind in (LONG, Kind(n=2100, heads=(1, 1), dtype="float32", size=4.0)):
                fmap, _ = kind.layer(Mask(causal=True))
                usual = overview(fmap, stage, 0, 0, 16)
                with ThreadPoolExecutor(workers) as executor:
                    again = overview(fmap, stage, 0, 0, 16, executor=executor)
                for ours, theirs in zip(arrays_of(usual), arrays_of(again), strict=True):
                    assert ours.tobytes() == theirs.tobytes()


def test_what_rows_sum_up_to_is_the_same_by_a_pass_and_by_blocks() -> None:
    kind = Kind(n=2100, heads=(1, 1), dtype="float32", size=4.0)
    for mask in (Mask(), Mask(causal=True), Mask(window=90)):
        asked, passed = kind.layer(mask)[0], kind.layer(mask)[0]
        rows = overview(passed, "weights", 0, 0, 16).rows
        assert rows is not None
        for ours, theirs in zip(rows.sums, asked.row_sums(0, 0, slice(0, 2100)), strict=True):
            assert ours.tobytes() == theirs.tobytes()
        for ours, theirs in zip(rows.sums, passed.row_sums(0, 0, slice(0, 2100)), strict=True):
            assert ours.tobytes() == theirs.tobytes()


def test_weights_of_a_pass_are_those_of_a_block(subtests: pytest.Subtests) -> None:
    for scale, dtype in itertools.product((1.0, 1e8), ("float32", "float64")):
        with subtests.test(dtype, scale=scale):
            fmap, _ = Kind(n=700, heads=(1, 1), dtype=dtype, scale=scale).layer(Mask(causal=True))
            rows = overview(fmap, "weights", 0, 0, 16).rows
            assert rows is not None
            weights = fmap.block("weights", 0, 0, slice(0, 700), slice(0, 700))
            close: dict[str, Any] = {"rtol": 1e-6 if dtype == "float32" else 1e-13, "atol": 0}
            np.testing.assert_allclose(rows.first, weights[:, 0], **close)
            np.testing.assert_allclose(rows.previous[1:], weights.diagonal(-1), **close)
            np.testing.assert_allclose(rows.own, weights.diagonal(), **close)
            np.testing.assert_allclose(rows.largest, weights.max(axis=1), **close)
            for one in (rows.first, rows.previous, rows.own, rows.largest):
                assert one.max() <= 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_are_right_where_scores_differ_by_more_than_the_type_holds(dtype: str) -> None:
    size, most = (3.2e18, 3.4e38) if dtype == "float32" else (2.3e153, 1.7e308)
    kind = Kind(n=700, heads=(1, 1), dtype=dtype, size=size, scale=1.3)
    fmap, maps = kind.layer(Mask(causal=True))
    scores = maps["scaled_scores"].astype(np.longdouble)
    assert np.isfinite(scores).all()
    assert np.ptp(scores) > most
    rows = overview(fmap, "weights", 0, 0, 16).rows
    assert rows is not None
    expected = rows_of(maps["weights"][0, 0])
    np.testing.assert_allclose(rows.entropy, expected["entropy"], atol=1e-6)
    np.testing.assert_allclose(rows.distance, expected["distance"], rtol=1e-5, atol=1e-3)


def test_no_weight_is_above_1_and_no_entropy_below_0(subtests: pytest.Subtests) -> None:
    for seed in range(4):
        with subtests.test(seed=seed):
            fmap, _ = Kind(n=700 + seed, heads=(1, 1), dtype="float32").layer(Mask(window=1))
            passed = overview(fmap, "weights", 0, 0, 16)
            assert passed.rows is not None
            assert passed.high <= 1
            assert passed.level.most.max() <= 1
            assert passed.rows.entropy.min() >= 0


def test_progress_is_reported_in_this_thread_and_may_end_the_pass() -> None:
    fmap, _ = LONG.layer(Mask())
    progress: list[tuple[int, int]] = []
    overview(fmap, "weights", 0, 0, 16, tick=lambda done, of: progress.append((done, of)))
    assert progress == [(1, 3), (2, 3), (3, 3)]

    def leave(done: int, of: int) -> None:
        raise InterruptedError(done)

    with pytest.raises(InterruptedError, match="1"):
        overview(fmap, "weights", 0, 0, 16, tick=leave)


def test_a_side_that_is_no_power_of_two_is_refused(subtests: pytest.Subtests) -> None:
    fmap, _ = KINDS["usual"].layer(Mask())
    for side in (0, 3, 24, -2):
        with subtests.test(side=side), pytest.raises(ValueError, match="power of two"):
            overview(fmap, "weights", 0, 0, side)


def test_a_stage_that_is_no_map_is_refused() -> None:
    fmap, _ = KINDS["usual"].layer(Mask())
    with pytest.raises(KeyError):
        overview(fmap, "q", 0, 0, 16)


def test_pieces_are_whole_strips_and_not_too_many(subtests: pytest.Subtests) -> None:
    for n in (1, 511, 512, 513, 512 * 128 + 1, 131_072):
        with subtests.test(n=n):
            pieces = pieces_of(n)
            assert {piece.start % 512 for piece in pieces} == {0}
            assert [piece.stop for piece in pieces] == [*(piece.start for piece in pieces[1:]), n]
            assert len(pieces) <= 128
