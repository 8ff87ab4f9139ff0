"""Any block of a factored map is that of the dense map."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from attnscope.attention.architecture import Architecture, Shape
from attnscope.attention.attend import MAPS
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.map import FactoredMap
from attnscope.attention.masks import Mask
from tests.attention.factored import KINDS, MASKS, Kind, tolerance

pytestmark = pytest.mark.slow

Layers = Mapping[str, tuple[Kind, Mask]]
USUAL = {name: (KINDS["usual"], mask) for name, mask in MASKS.items()}
ALL: Layers = USUAL | {
    f"{kind}, {mask}": (KINDS[kind], MASKS[mask])
    for kind, mask in itertools.product(KINDS, ("none", "causal", "given"))
}
# Every mask, every kind with a mask that cuts its rows, and other masks of what is not square.
FEW: Layers = USUAL | {
    name: ALL[name]
    for name in (
        *(f"{kind}, causal" for kind in KINDS if kind != "usual"),
        "grouped, padded, given", "context, given", "short context, none", "relative, none",
    )
}  # fmt: skip
LAYERS = [pytest.param(FEW, id="few"), pytest.param(ALL, marks=pytest.mark.full, id="all")]


def slices(size: int, rng: np.random.Generator) -> slice:
    start, stop = sorted(rng.integers(0, size + 1, 2).tolist())
    return slice(start, stop) if start < stop else slice(0, size)


@pytest.mark.parametrize("layers", LAYERS)
def test_a_block_is_that_of_the_dense_map(layers: Layers, subtests: pytest.Subtests) -> None:
    for name, (kind, mask) in layers.items():
        with subtests.test(name):
            fmap, maps = kind.layer(mask)
            batch, heads, n, m = fmap.shape
            rng = np.random.default_rng(1)
            # Scores are as exact as their size allows, and an exponential as its exponent is.
            within = tolerance(kind) * max(1.0, float(np.abs(maps["scaled_scores"]).max()))
            whole = slice(0, n), slice(0, m)
            for b, h, stage in itertools.product(range(batch), range(heads), MAPS):
                for rows, cols in [whole, *((slices(n, rng), slices(m, rng)) for _ in range(3))]:
                    block, dense = (
                        fmap.block(stage, b, h, rows, cols),
                        maps[stage][b, h][rows, cols],
                    )
                    assert block.dtype == dense.dtype
                    np.testing.assert_allclose(block, dense, within, within, err_msg=stage)
                    np.testing.assert_array_equal(
                        fmap.of_head(b, h).open_cells(rows, cols),
                        np.isfinite(maps["masked_scores"][b, h][rows, cols]),
                    )


def test_closed_cells_that_blocks_may_share_are_those_that_are_not_open(
    subtests: pytest.Subtests,
) -> None:
    for name, mask in MASKS.items():
        with subtests.test(name):
            fmap, _ = KINDS["usual"].layer(mask)
            batch, heads, n, m = fmap.shape
            rng = np.random.default_rng(2)
            for b, h in itertools.product(range(batch), range(heads)):
                one = fmap.of_head(b, h)
                for _ in range(10):
                    rows, cols = slices(n, rng), slices(m, rng)
                    closed = one.closed_cells(rows, cols)
                    np.testing.assert_array_equal(closed.T, ~one.open_cells(rows, cols))
                    assert closed.flags.c_contiguous
                    assert not closed.flags.writeable


@pytest.mark.parametrize("layers", LAYERS)
def test_the_sums_of_a_row_are_those_of_its_masked_scores(
    layers: Layers, subtests: pytest.Subtests
) -> None:
    for name, (kind, mask) in layers.items():
        with subtests.test(name):
            fmap, maps = kind.layer(mask)
            batch, heads, n, _ = fmap.shape
            masked = maps["masked_scores"].astype(np.float64)
            with np.errstate(divide="ignore"):
                peak = np.where(np.isneginf(masked.max(axis=-1)), 0, masked.max(axis=-1))
                expected = peak + np.log(np.exp(masked - peak[..., None]).sum(axis=-1))
            within = tolerance(kind) * max(1.0, float(np.abs(maps["scaled_scores"]).max()))
            for b, h in itertools.product(range(batch), range(heads)):
                for rows in (slice(0, n), slice(n // 3, n)):
                    sums = fmap.row_sums(b, h, rows)
                    with np.errstate(divide="ignore"):
                        lse = sums.peak + np.log(sums.total)
                    np.testing.assert_allclose(lse, expected[b, h][rows], within, within)


def test_weights_of_rows_that_see_nothing_are_exact_zeros() -> None:
    fmap, _ = KINDS["usual"].layer(MASKS["a blocked row"])
    assert (fmap.block("weights", 0, 0, slice(5, 6), slice(0, 300)) == 0).all()
    assert fmap.row_sums(0, 0, slice(5, 6)).total == 0


SCALES = [
    *(("float32", scale, 1e-5) for scale in (1.0, 8.0, 1e2, 1e8)),
    *(("float64", scale, 1e-12) for scale in (1.0, 1e2, 1e8, -1e300)),
]


def test_weights_of_a_row_add_up_to_1_however_large_its_scores(subtests: pytest.Subtests) -> None:
    for dtype, scale, within in SCALES:
        with subtests.test(dtype, scale=scale):
            fmap, _ = Kind(n=1100, heads=(1, 1), dtype=dtype, scale=scale).layer(Mask(causal=True))
            keys = slice(0, 1100)
            for rows in (
                slice(0, 1),
                slice(37, 300),
                slice(500, 530),
                slice(777, 778),
                slice(900, 1100),
            ):
                weights = fmap.block("weights", 0, 0, rows, keys)
                np.testing.assert_allclose(
                    weights.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=within
                )
                assert weights.max() <= 1
            assert fmap.block("weights", 0, 0, slice(0, 1), slice(0, 1)) == 1


def test_a_scale_takes_no_query_out_of_the_range_of_its_type(subtests: pytest.Subtests) -> None:
    """scale × q may be beyond float32 where scale × q kᵀ is not."""
    for scale, size in ((1e30, 1e20), (1e-36, 1.0), (1e6, 1e-3), (0.0, 1.0)):
        with subtests.test(scale=scale):
            q, k = np.random.default_rng(0).standard_normal((2, 1, 1, 600, 8), dtype=np.float32)
            q, k = q * np.float32(size), k / np.float32(scale or 1) / np.float32(size)
            setting = LayerContext(Architecture(Shape(1, 1, 8, 8, 8)), [(600, 600)], Options(scale))
            whole = slice(0, 600)
            scaled = FactoredMap(q, k, setting).block("scaled_scores", 0, 0, whole, whole)
            expected = (q.astype(float) @ k.astype(float).mT * scale)[0, 0]
            np.testing.assert_allclose(scaled, expected, 1e-5, 1e-4)


def test_a_cell_has_the_same_bits_in_any_block(subtests: pytest.Subtests) -> None:
    for name in ("float32", "alibi float32", "capped", "usual", "grouped, padded"):
        with subtests.test(name):
            kind = KINDS[name]
            fmap, _ = replace(kind, n=600, lengths=None, scale=1e6).layer(Mask(causal=True))
            for stage in MAPS:
                whole = fmap.block(stage, 0, 1, slice(0, 600), slice(0, 600))
                for rows, cols in (
                    (slice(511, 514), slice(250, 260)),
                    (slice(3, 4), slice(0, 600)),
                ):
                    block = fmap.block(stage, 0, 1, rows, cols)
                    assert block.tobytes() == whole[rows, cols].tobytes()


def test_sums_are_remembered_and_as_many_as_there_is_room_for() -> None:
    q, k, setting, _ = Kind(n=1100, heads=(1, 1)).parts(Mask(causal=True))
    strips = itertools.count()
    setting = replace(setting, between=lambda: next(strips))
    fmap = FactoredMap(q, k, setting, kept_strips=2)

    def summed(rows: slice) -> int:
        """How many strips a read of these rows sums."""
        before = next(strips)
        fmap.block("weights", 0, 0, rows, slice(0, 9))
        return next(strips) - before - 1

    assert [summed(slice(500, 530)) for _ in range(2)] == [2, 0]
    assert summed(slice(1024, 1100)) == 1
    assert summed(slice(512, 513)) == 0
    assert summed(slice(0, 1)) == 1


def test_a_stage_that_is_no_map_and_half_precision_are_refused() -> None:
    fmap, _ = KINDS["usual"].layer(Mask())
    with pytest.raises(KeyError):
        fmap.block("q", 0, 0, slice(0, 1), slice(0, 1))
    one = np.ones((1, 1, 3, 2), np.float32)
    setting = LayerContext(
        Architecture(Shape(1, 1, 2, 2, 2)), [(3, 3)], Options(0.5, grid="float16")
    )
    with pytest.raises(ValueError, match="half precision"):
        FactoredMap(one, one, setting)
