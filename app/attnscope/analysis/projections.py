"""Identities and principal directions of a layer's projections.

    bilinear   S = (x w_qk cᵀ + x W_Q b_Kᵀ + b_Q W_Kᵀ cᵀ + b_Q b_Kᵀ) × scale / temperature
    fused      x [W_Q W_K W_V] = [x W_Q, x W_K, x W_V]
    symmetry   W_Q = W_K and b_Q = b_K make S = Sᵀ if c = x

c is x in self-attention. The softmax cancels the second and last terms, which are constant in a
row, so b_Q is the only bias that affects weights (without rotary positions).
"""

from __future__ import annotations

import numpy as np

from attnscope.analysis.schema import Real, RealRows, Rows, Vector, described, doc
from attnscope.analysis.spectrum import Factored
from attnscope.attention.architecture import Parameters
from attnscope.attention.layer_context import Options
from attnscope.trace.trace import Trace

DRAWN = 2


@described
class BilinearForm:
    """S = x w_qk cᵀ and the bias terms, compared with the scores."""

    max_error: float | None = doc(
        "Largest |S − scores × scale / temperature|; null with rotary positions, where w_qk turns "
        "with the distance."
    )
    terms: dict[str, Real] = doc(
        "Largest |number| of each term: x_w_qk_x, x_w_q_b_k, b_q_w_k_x, b_q_b_k."
    )


@described
class FusedProduct:
    """One fused product against separate ones."""

    tensors: tuple[str, ...] = doc("w_q, w_k, w_v; if there is a context, only w_k and w_v.")
    columns: int = doc("Columns of the fused matrix.")
    max_difference: Real = doc("Largest |fused − apart|.")


@described
class Directions:
    """First two singular directions, and the tokens' coordinates."""

    singular_values: Vector = doc("Singular value of each direction, largest first.")
    left: Rows = doc("[direction][row of the matrix].")
    right: Rows = doc("[direction][column of the matrix].")
    tokens_left: RealRows = doc(
        "[token][direction]: input · left. The input is x; for w_k, w_v and w_vo the context, if "
        "any; for w_o the head's outputs."
    )
    tokens_right: RealRows = doc(
        "[token][direction]: (input W) · right; for w_qk c · right, where c are the rows that keys "
        "are made from."
    )


def rows_of(trace: Trace, layer: int, batch: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Inputs of w_q and, in cross-attention, the context; without padding."""
    stages, (queries, keys) = trace.layers[layer], trace.plan.setting.at(layer).lengths[batch]
    x = stages.get("normed_x", stages["x"])[batch, :queries]
    context = stages.get("context")
    return x, None if context is None else context[batch, :keys]


def bilinear(
    x: np.ndarray,
    context: np.ndarray,
    matrices: dict[str, Factored],
    biases: tuple[np.ndarray | None, np.ndarray | None],
    scores: np.ndarray,
    options: Options,
    *,
    turned: bool = False,
) -> BilinearForm:
    """`biases`: b_q, b_k. `turned`: whether q and k are rotated."""
    x, context = x.astype(np.float64), context.astype(np.float64)
    w_q, w_k = (matrices[name].left.astype(np.float64) for name in ("w_q", "w_k"))
    b_q, b_k = (np.zeros(w_q.shape[1]) if b is None else b.astype(np.float64) for b in biases)
    factor = options.scale / options.temperature
    with np.errstate(all="ignore"):
        terms = {
            "x_w_qk_x": x @ (w_q @ w_k.T) @ context.T,
            "x_w_q_b_k": (x @ (w_q @ b_k))[:, None],
            "b_q_w_k_x": ((b_q @ w_k.T) @ context.T)[None, :],
            "b_q_b_k": np.atleast_2d(b_q @ b_k),
        }
        found = sum(terms.values(), np.zeros_like(scores, dtype=np.float64)) * factor
        error = np.abs(found - scores.astype(np.float64) * factor).max()
        largest = {name: float(np.abs(term * factor).max()) for name, term in terms.items()}
    return BilinearForm(None if turned else float(error), largest)


def fused(x: np.ndarray, context: np.ndarray | None, p: Parameters) -> FusedProduct:
    tensors = ("w_q", "w_k", "w_v") if context is None else ("w_k", "w_v")
    rows = x if context is None else context
    each = [getattr(p, name) for name in tensors]
    with np.errstate(all="ignore"):
        together = rows @ np.concatenate(each, axis=1)
        apart = np.concatenate([rows @ w for w in each], axis=1)
        difference = float(np.abs(together - apart).max())
    return FusedProduct(tensors, together.shape[1], difference)


def asymmetry(scores: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        return float(np.abs(scores - scores.T).max())


def directions(name: str, matrix: Factored, rows: np.ndarray, context: np.ndarray) -> Directions:
    """`rows` [n, d] are inputs of the matrix."""
    values, left, right = _leading(matrix)
    rows = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        tokens_left = rows @ left.T
        tokens_right = (
            context.astype(np.float64) @ right.T if name == "w_qk" else tokens_left * values
        )
    return Directions(values, left, right, tokens_left, tokens_right)


def _leading(matrix: Factored) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest entry of each left vector is positive."""
    left = matrix.left.astype(np.float64)
    if matrix.right is None:
        u, values, vt = np.linalg.svd(left, full_matrices=False)
    else:
        q_left, r_left = np.linalg.qr(left)
        q_right, r_right = np.linalg.qr(matrix.right.astype(np.float64).T)
        u, values, vt = np.linalg.svd(r_left @ r_right.T, full_matrices=False)
        u, vt = q_left @ u, vt @ q_right.T
    u, values, vt = u[:, :DRAWN].T, values[:DRAWN], vt[:DRAWN]
    peaks = u[np.arange(len(u)), np.abs(u).argmax(axis=1)]
    signs = np.where(peaks < 0, -1.0, 1.0)[:, None]
    return values, np.ascontiguousarray(u * signs), np.ascontiguousarray(vt * signs)
