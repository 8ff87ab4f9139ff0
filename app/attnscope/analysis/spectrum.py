"""Singular values of projections and of QK and OV circuits (Elhage et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnscope.analysis.schema import Real, Vector, described, doc
from attnscope.attention.architecture import Parameters, Shape
from attnscope.errors import NonFinite, TooLarge

MOST_PRODUCTS = 1e10  # two or three seconds
HEAD_MATRICES = ("w_q", "w_k", "w_v", "w_o", "w_qk", "w_vo")


@described
class Spectrum:
    """Singular values of one matrix, and derived figures."""

    shape: tuple[int, ...] = doc("[rows, columns].")
    singular_values: Vector = doc("min(shape) of them, the largest first.")
    rank: int = doc(
        "Count of values above σ₁ · max(shape) · eps of the dtype, of float32 for 16-bit ones."
    )
    condition_number: Real = doc("σ₁ / σ_min; null: infinite.")
    condition_within_rank: Real = doc("σ₁ / σ_rank; null where all are 0.")
    frobenius_norm: Real = doc("√ of the sum of the squared singular values.")
    determinant: float | None = doc("null where not square, or beyond the range of float64.")
    log_abs_determinant: float | None = doc(
        "ln |determinant|; null where not square, or where the determinant is 0."
    )


@dataclass(frozen=True)
class Factored:
    """left · right, not multiplied out; `right` None: left alone."""

    left: np.ndarray
    right: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.left), (self.left if self.right is None else self.right).shape[1]

    @property
    def products(self) -> int:
        parts = (self.left,) if self.right is None else (self.left, self.right)
        return sum(int(part.size) * min(part.shape) for part in parts)

    @property
    def numbers(self) -> int:
        return int(self.left.size + (0 if self.right is None else self.right.size))

    def dense(self) -> np.ndarray:
        return self.left if self.right is None else self.left @ self.right


def head_matrices(p: Parameters, shape: Shape, head: int) -> dict[str, Factored]:
    """Slices of a head, and their products w_qk and w_vo."""
    kv_head = shape.kv_head_of(head)
    k, v = _span(kv_head, shape.d_k), _span(kv_head, shape.d_v)
    w_q, w_k, w_v = p.w_q[:, _span(head, shape.d_k)], p.w_k[:, k], p.w_v[:, v]
    found = {"w_q": Factored(w_q), "w_k": Factored(w_k), "w_v": Factored(w_v)}
    found["w_qk"] = Factored(w_q, w_k.T)
    if p.w_o is not None:
        w_o = p.w_o[_span(head, shape.d_v)]
        found |= {"w_o": Factored(w_o), "w_vo": Factored(w_v, w_o)}
    return {name: found[name] for name in HEAD_MATRICES if name in found}


def head_bias(bias: np.ndarray | None, head: int, width: int) -> np.ndarray | None:
    return None if bias is None else bias[_span(head, width)]


def _span(head: int, width: int) -> slice:
    return slice(head * width, (head + 1) * width)


def whole_matrices(p: Parameters) -> dict[str, Factored]:
    return {name: Factored(a) for name, a in p.arrays().items() if name in HEAD_MATRICES}


def placeholder_parameters(shape: Shape, out: int, *, output_projection: bool) -> Parameters:
    """Zeros that take no memory, to check costs."""
    names = ("w_q", "w_k", "w_v", "w_o") if output_projection else ("w_q", "w_k", "w_v")
    zero = np.zeros(())
    return Parameters(**{name: np.broadcast_to(zero, shape.of(name, out)) for name in names})


def all_matrices(
    p: Parameters, shape: Shape, heads: Sequence[int], *, tensors: bool
) -> list[Factored]:
    each = [whole_matrices(p) if tensors else {}, *(head_matrices(p, shape, h) for h in heads)]
    return [matrix for matrices in each for matrix in matrices.values()]


def check_cost(matrices: list[Factored]) -> None:
    products = sum(matrix.products for matrix in matrices)
    if products > MOST_PRODUCTS:
        raise TooLarge("spectrum", estimate=f"{products:.1e}", limit=f"{MOST_PRODUCTS:.1e}")


def spectrum(matrix: Factored) -> Spectrum:
    """Raises NonFinite."""
    rows, columns = matrix.shape
    core = _core(matrix)
    if not np.isfinite(core).all():
        raise NonFinite("spectrum", at="layer")
    values = np.zeros(min(rows, columns))
    found = np.linalg.svd(core, compute_uv=False)[: len(values)]
    values[: len(found)] = found
    if not np.isfinite(values).all():
        raise NonFinite("spectrum", at="layer")
    tolerance = values[0] * (max(rows, columns) * np.finfo(matrix.left.dtype).eps)
    rank = int((values > tolerance).sum())
    determinant, log_abs = _determinant(matrix) if rows == columns else (None, None)
    with np.errstate(over="ignore"):
        norm = float(np.hypot.reduce(values))
    return Spectrum(
        (rows, columns), values, rank,
        float(values[0] / values[-1]) if rank == len(values) else np.inf,
        float(values[0] / values[rank - 1]) if rank else np.inf,
        norm, determinant, log_abs,
    )  # fmt: skip


def _core(matrix: Factored) -> np.ndarray:
    """A matrix with the same singular values: `left`, or R₁R₂ᵀ, where left = Q₁R₁ and rightᵀ =
    Q₂R₂ (Golub & Van Loan, 5.2)."""
    left = matrix.left.astype(np.float64)
    if matrix.right is None:
        return left
    right = matrix.right.astype(np.float64)
    with np.errstate(all="ignore"):
        r_left, r_right = (np.asarray(np.linalg.qr(a, mode="r")) for a in (left, right.T))
        core: np.ndarray = r_left @ r_right.T
    return core


def _determinant(matrix: Factored) -> tuple[float, float]:
    """Determinant and log |determinant|."""
    if min(matrix.left.shape) < len(matrix.left):
        return 0.0, -np.inf
    factors = (matrix.left,) if matrix.right is None else (matrix.left, matrix.right)
    if factors[0].shape[0] != factors[0].shape[1]:
        factors = (matrix.dense(),)
    sign, log_abs = 1.0, 0.0
    for factor in factors:
        s, log = _slogdet(factor.astype(np.float64))
        sign, log_abs = sign * s, log_abs + log
    with np.errstate(over="ignore"):
        return sign * float(np.exp(log_abs)), log_abs


def _slogdet(matrix: np.ndarray) -> tuple[float, float]:
    """Sign and log of the determinant, scaled by a power of two against overflow."""
    power = max(0, int(np.frexp(np.abs(matrix).max())[1]) - 512)
    sign, log = np.linalg.slogdet(np.ldexp(matrix, -power))
    return float(sign), float(log) + len(matrix) * power * np.log(2)
