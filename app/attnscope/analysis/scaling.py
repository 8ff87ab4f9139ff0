"""Effects of the scale on the softmax: if q and k are N(0, 1), q · k has variance d_k (Vaswani et
al. 2017, section 3.2.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from attnscope.analysis.schema import Real, described, doc
from attnscope.attention.ops import BLOCK_ROWS, capped, softmax
from attnscope.errors import TooLarge

WIDTHS = tuple(2**power for power in range(11))
FACTORS = tuple(2.0**power for power in range(-6, 7))
MOST_PAIRS = 1 << 14  # half a second
SAMPLES = 256  # queries
BLOCK_NUMBERS = 1 << 21  # numbers of k drawn at once
TAG = 0x7363616C


@described
class SoftmaxFigures:
    """Softmax statistics under one scale; null if they overflow."""

    variance: Real = doc("Of the open scores.")
    entropy: Real = doc("Of a row of weights, in nats; mean over the rows.")
    largest: Real = doc("Largest weight of a row; mean over the rows.")
    jacobian: Real = doc("Frobenius norm of diag(a) − a aᵀ of a row; mean over the rows.")


@described
class WidthFigures:
    """One d_k, scaled or not."""

    d_k: int = doc("Width of q and k.")
    scaled: bool = doc("Whether the scores are divided by √d_k.")
    predicted_variance: float = doc("1 with the scale, d_k without.")
    figures: SoftmaxFigures = doc("Of drawn q and k.")


def figures_by_width(seed: int, n: int, samples: int) -> list[WidthFigures]:
    """Raises TooLarge beyond MOST_PAIRS."""
    if n * samples > MOST_PAIRS:
        raise TooLarge("laboratory", estimate=f"{n * samples:,}", limit=f"{MOST_PAIRS:,}")
    found = []
    for d_k in WIDTHS:
        scores = draw_scores(seed, n, samples, d_k)
        for scaled in (True, False):
            factor = 1 / math.sqrt(d_k) if scaled else 1.0
            predicted = 1.0 if scaled else float(d_k)
            found.append(WidthFigures(d_k, scaled, predicted, softmax_figures([scores * factor])))
    return found


def draw_scores(
    seed: int, n: int, samples: int, d_k: int, *, block_numbers: int = BLOCK_NUMBERS
) -> np.ndarray:
    """Unscaled q · k [samples, n]."""
    rng = Generator(PCG64(SeedSequence([seed, TAG, d_k])))
    q = rng.standard_normal((samples, d_k))
    step = max(1, block_numbers // (n * d_k))
    scores = np.empty((samples, n))
    for i in range(0, samples, step):
        here = q[i : i + step]
        k = rng.standard_normal((len(here), n, d_k))
        scores[i : i + step] = np.einsum("sc,snc->sn", here, k)
    return scores


def sweep_scale(
    scaled: np.ndarray, scores: np.ndarray, allowed: np.ndarray, scale: float, own: float,
    cap: float | None = None,
) -> list[tuple[float, SoftmaxFigures]]:  # fmt: skip
    """Multiply the scale of a map [n, m] by FACTORS and `own`; return (factor, figures).

    `scale` includes 1/temperature. Position terms are not multiplied. With a `cap`, which applies
    to the multiplied scores, there may be no position terms.
    """
    rows = allowed.any(axis=1)
    scaled, scores, allowed = (a[rows] for a in (scaled, scores, allowed))

    def blocks(factor: float) -> Iterator[np.ndarray]:
        for i in range(0, len(scaled), BLOCK_ROWS):
            here = slice(i, i + BLOCK_ROWS)
            plain = scores[here].astype(np.float64)
            if cap is None or factor == 1:
                other = scaled[here] + (factor - 1) * scale * plain
            else:
                other = capped(factor * scale * plain, cap)
            yield np.where(allowed[here], other, -np.inf)

    with np.errstate(over="ignore", invalid="ignore"):
        return [(f, softmax_figures(blocks(f))) for f in sorted({*FACTORS, own})]


def softmax_figures(blocks: Iterator[np.ndarray] | list[np.ndarray]) -> SoftmaxFigures:
    """`blocks`: masked scores [rows, m]; each row has an open cell."""
    sums = np.zeros(3)
    moments = np.zeros(3)
    rows = 0
    for block in blocks:
        seen = block[block != -np.inf]
        moments += len(seen), seen.sum(), np.square(seen).sum()
        weights = softmax(block)
        sums += [column.sum() for column in _row_figures(weights)]
        rows += len(block)
    if rows == 0:
        return SoftmaxFigures(0.0, 0.0, 0.0, 0.0)
    count, total, squares = moments
    variance = max(0.0, squares / count - (total / count) ** 2)
    entropy, largest, jacobian = (float(value) for value in sums / rows)
    return SoftmaxFigures(float(variance), entropy, largest, jacobian)


def _row_figures(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Entropy, maximum and ‖diag(a) − a aᵀ‖ = √(Σ a² − 2 Σ a³ + (Σ a²)²) of each row a."""
    logs = np.log(np.where(weights > 0, weights, 1.0))
    squares = np.square(weights)
    sum_of_squares, sum_of_cubes = squares.sum(axis=-1), (squares * weights).sum(axis=-1)
    norm = np.sqrt(np.maximum(0.0, sum_of_squares - 2 * sum_of_cubes + sum_of_squares**2))
    return -(weights * logs).sum(axis=-1), weights.max(axis=-1), norm
