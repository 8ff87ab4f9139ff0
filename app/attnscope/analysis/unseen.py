"""The part of tokens that lies in a null space, and principal components (Pearson 1901)."""

from __future__ import annotations

import numpy as np

from attnscope.analysis.schema import RealRows, Rows, Vector, described, doc
from attnscope.analysis.spectrum import Factored

DRAWN = 2
MOST_PRODUCTS = 2e9  # about a second


@described
class NullSpace:
    """Null space of x → x W, and the tokens' share in it."""

    dimensions: int = doc("Rows of the matrix − its rank.")
    share: float = doc("Part of the tokens' squared lengths that lies in it.")
    shares: Vector = doc("Share of each token.")
    directions: Rows = doc("[direction][row of the matrix]: at most two, with most of that part.")
    tokens: RealRows = doc("[token][direction]: x along them.")


@described
class PrincipalComponents:
    """At most two principal components of the tokens."""

    shares: Vector = doc("Part of the variance along each.")
    directions: Rows = doc("[direction][column of x].")
    tokens: RealRows = doc("[token][direction]: x less its mean, along them.")


def measurable(rows: np.ndarray) -> bool:
    return rows.size * min(rows.shape) <= MOST_PRODUCTS and bool(np.isfinite(rows).all())


def null_space(matrix: Factored, rows: np.ndarray) -> NullSpace | None:
    """Null space of a matrix [d, k], for rows [n, d]."""
    if not measurable(rows):
        return None
    w = matrix.dense().astype(np.float64)
    u, values, _ = np.linalg.svd(w, full_matrices=False)
    tolerance = values[0] * (max(w.shape) * np.finfo(matrix.left.dtype).eps)
    u = u[:, values > tolerance]
    x, size = _scaled(rows)
    rest = x - (x @ u) @ u.T
    dimensions = len(w) - u.shape[1]
    directions = _leading(rest)[1][:dimensions]
    lost, whole = (rest**2).sum(axis=1), (x**2).sum(axis=1)
    return NullSpace(
        dimensions, _share(lost.sum(), whole.sum()),
        np.divide(lost, whole, out=np.zeros_like(lost), where=whole > 0),
        directions, rest @ directions.T * size,
    )  # fmt: skip


def principal(rows: np.ndarray) -> PrincipalComponents | None:
    if not measurable(rows):
        return None
    x, size = _scaled(rows)
    centred = x - x.mean(axis=0)
    values, directions = _leading(centred)
    total = (centred**2).sum()
    shares = np.array([_share(value**2, total) for value in values])
    return PrincipalComponents(shares, directions, centred @ directions.T * size)


def _scaled(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Divide by the largest magnitude, so that squares do not overflow."""
    x = rows.astype(np.float64)
    size = float(np.abs(x).max(initial=0)) or 1.0
    return x / size, size


def _leading(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, values, vt = np.linalg.svd(rows, full_matrices=False)
    significant = values[:DRAWN] > max(rows.shape) * np.finfo(np.float64).eps
    values, directions = values[:DRAWN][significant], vt[:DRAWN][significant]
    peaks = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    return values, directions * np.where(peaks < 0, -1.0, 1.0)[:, None]


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0
