"""Products in blocks are the same products, over one core or many."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.attention import products, thread_pool
from attnscope.attention.products import project, project_each

ROWS = products.BLOCK_ROWS


def test_a_projection_is_a_product_and_a_bias() -> None:
    x, w = np.array([[[1.0, 2.0]]]), np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]])
    np.testing.assert_array_equal(project(x, w, None), [[[1, 2, 8]]])
    np.testing.assert_array_equal(project(x, w, np.array([1.0, 0.0, -8.0])), [[[2, 2, 0]]])


@pytest.mark.parametrize(("d_in", "d_out"), [(5, 3), (100, 80)], ids=["one core", "all cores"])
@pytest.mark.parametrize("rows", [ROWS - 1, ROWS, ROWS + 1, 300])
def test_a_long_projection_in_blocks_is_the_same_product(rows: int, d_in: int, d_out: int) -> None:
    rng = np.random.default_rng(rows)
    x, w = rng.normal(size=(2, rows, d_in)), rng.normal(size=(d_in, d_out))
    b = rng.normal(size=d_out)
    kept = x.copy(), w.copy(), b.copy()
    assert (2 * rows * d_in * d_out >= products.SPREAD) == (d_in == 100)
    expected = np.einsum("bic,cd->bid", x, w) + b
    np.testing.assert_allclose(project(x, w, b), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(project(x, w, None), expected - b, rtol=1e-12, atol=1e-12)
    for before, after in zip(kept, (x, w, b), strict=True):
        np.testing.assert_array_equal(before, after)


def test_threads_project_to_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(1, 700, 16)), rng.normal(size=(16, 400))
    assert 700 * w.size >= products.SPREAD
    in_one_thread: list[np.ndarray] = []
    # Work inside an item of the pool is not spread again.
    thread_pool.for_each(lambda _: in_one_thread.append(project(x, w, None)), range(2), True)
    for one in in_one_thread:
        np.testing.assert_array_equal(project(x, w, None), one)


def test_several_matrices_are_multiplied_together_as_alone(subtests: pytest.Subtests) -> None:
    for rows in (1, 63, 513):
        with subtests.test(rows=rows):
            rng = np.random.default_rng(rows)
            x, fused = rng.normal(size=(1, rows, 40)), rng.normal(size=(40, 1200))
            b = rng.normal(size=1200)
            parts = [(fused[:, :800], b[:800]), (fused[:, 800:], None), (fused[:, 3:4], b[3:4])]
            for (w, bias), y in zip(parts, project_each(x, parts), strict=True):
                assert y.flags.c_contiguous
                np.testing.assert_array_equal(y, project(x, w, bias))
                expected = np.einsum("bic,cd->bid", x, w) + (0 if bias is None else bias)
                np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-12)


def test_a_matrix_that_lies_turned_gives_the_same_product() -> None:
    rng = np.random.default_rng(4)
    x, w = rng.normal(size=(2, 30, 50)), rng.normal(size=(500, 50)).T
    np.testing.assert_allclose(project(x, w, None), x @ w, rtol=1e-12, atol=1e-12)


def test_what_overflows_in_a_block_is_infinite_without_a_word(
    recwarn: pytest.WarningsRecorder,
) -> None:
    x, w = np.full((1, 2400, 2), 1e30, np.float32), np.full((2, 900), 1e30, np.float32)
    assert 2400 * w.size >= products.SPREAD
    assert np.isinf(project(x, w, None)).all()
    assert not recwarn.list
