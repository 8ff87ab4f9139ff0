"""Predicted and measured variance of each tensor, and parameter counts.

The variance of n drawn numbers has the standard error σ² √((κ − 1)/n), where κ is the
kurtosis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

import numpy as np

from attnscope.analysis.schema import Real, described, doc
from attnscope.attention.architecture import Parameters, Shape
from attnscope.errors import TooLarge
from attnscope.weights.schemes import SCHEMES, Init, Share, source_of, stream

MATRICES = ("w_q", "w_k", "w_v", "w_o")
MOST_DRAWN = 1e8  # about a second
MOST_PRODUCTS = 4e9  # one or two seconds


@dataclass(frozen=True)
class Theory:
    """Variance of a [rows, columns] matrix; exact if `kurtosis` is None."""

    variance: Callable[[int, int], float]
    kurtosis: float | None


THEORY: dict[Init, Theory] = {
    "xavier_uniform": Theory(lambda rows, columns: 2 / (rows + columns), 1.8),
    "xavier_normal": Theory(lambda rows, columns: 2 / (rows + columns), 3.0),
    "kaiming_uniform": Theory(lambda rows, columns: 2 / rows, 1.8),
    "kaiming_normal": Theory(lambda rows, columns: 2 / rows, 3.0),
    "normal": Theory(lambda rows, columns: 0.0004, 3.0),
    "orthogonal": Theory(lambda rows, columns: 1 / max(rows, columns), None),
    "identity": Theory(lambda rows, columns: 1 / max(rows, columns), None),
}
BIAS = Theory(lambda rows, columns: 1 / (3 * rows), 1.8)  # uniform in ±1/√rows of its matrix


@described
class TensorVariance:
    """Variance of one tensor about 0."""

    name: str = doc("w_q, w_k, w_v, w_o or a bias.")
    shape: tuple[int, ...] = doc("Sizes.")
    predicted: float | None = doc("By the scheme; null where no scheme drew it.")
    measured: Real = doc("Mean square of its numbers.")
    standard_error: float | None = doc(
        "One σ of `measured` over draws; null where exact or not drawn."
    )


@described
class StageMeanSquare:
    """Mean square of a stage of one text."""

    stage: str = doc("x (what the projections read), q, k or v.")
    predicted: float | None = doc("d_model · E x² · E w² + E b²; null for x and undrawn w.")
    measured: Real = doc("Mean of the squares.")


@described
class ParameterCounts:
    """Numbers in the parameters of one layer."""

    name: str = doc("one_head, multi_head, grouped (as asked), multi_query, share_qk, share_qkv.")
    num_heads: int = doc("Heads.")
    num_kv_heads: int = doc("Key/value heads.")
    d_k: int = doc("Width of q and k, per head.")
    projections: int = doc("Of W_Q, W_K, W_V: 3 d_model² for multi_head with h · d_k = d_model.")
    biases: int = doc("b_q, b_k, b_v, where there are biases.")
    output: int = doc("w_o, where there is one.")
    output_bias: int = doc("b_o, where there is one.")
    total: int = doc("All four together.")


def own_variances(p: Parameters, init: Init | None) -> list[TensorVariance]:
    """`init`: the scheme that drew the tensors, or None."""
    arrays = p.arrays()
    found = []
    for name, array in arrays.items():
        matrix = arrays.get(f"w{name[1:]}")
        if matrix is None:
            continue
        theory = None if init is None else BIAS if array.ndim == 1 else THEORY[init]
        found.append(_variance(name, array, matrix.shape, theory))
    return found


def drawn_variances(
    shape: Shape, out: int, seed: int, layer: int, init: Init, share: Share = "none"
) -> list[TensorVariance]:
    """`out`: columns of w_o; 0: no w_o."""
    found = []
    for name in MATRICES if out else MATRICES[:-1]:
        size, letter = shape.of(name, out), name.removeprefix("w_")
        matrix = SCHEMES[init](stream(seed, layer, f"w_{source_of(letter, share)}"), *size)
        found.append(_variance(name, matrix, size, THEORY[init]))
    return found


def check_cost(shape: Shape, out: int, inits: Sequence[Init]) -> None:
    sizes = [shape.of(name, out) for name in MATRICES]
    drawn = len(inits) * sum(rows * columns for rows, columns in sizes)
    if drawn > MOST_DRAWN:
        raise TooLarge("initialisation", estimate=f"{drawn:.1e}", limit=f"{MOST_DRAWN:.1e}")
    products = sum(rows * columns * min(rows, columns) for rows, columns in sizes)
    if "orthogonal" in inits and products > MOST_PRODUCTS:
        estimate, limit = f"{products:.1e}", f"{MOST_PRODUCTS:.1e}"
        raise TooLarge("initialisation_orthogonal", estimate=estimate, limit=limit)


def _variance(
    name: str, array: np.ndarray, matrix: tuple[int, ...], theory: Theory | None
) -> TensorVariance:
    measured = _mean_square(array)
    if theory is None:
        return TensorVariance(name, array.shape, None, measured, None)
    predicted = theory.variance(*matrix)
    error = None
    if theory.kurtosis is not None:
        error = predicted * math.sqrt((theory.kurtosis - 1) / array.size)
    return TensorVariance(name, array.shape, predicted, measured, error)


def stage_mean_squares(
    x: np.ndarray, keys: np.ndarray, stages: dict[str, np.ndarray], tensors: list[TensorVariance]
) -> list[StageMeanSquare]:
    """Mean squares, predicted by E q² = d_model · E x² · E w² + E b².

    `x` [n, d_model] is the input of w_q, `keys` that of w_k and w_v.
    """
    predicted = {tensor.name: tensor.predicted for tensor in tensors}
    found = [StageMeanSquare("x", None, _mean_square(x))]
    for stage, read in (("q", x), ("k", keys), ("v", keys)):
        of_w, of_b = predicted[f"w_{stage}"], predicted.get(f"b_{stage}")
        expected = (
            None if of_w is None else read.shape[1] * _mean_square(read) * of_w + (of_b or 0.0)
        )
        found.append(StageMeanSquare(stage, expected, _mean_square(stages[stage])))
    return found


def _mean_square(array: np.ndarray) -> float:
    with np.errstate(over="ignore"):
        return float(np.mean(np.square(array, dtype=np.float64)))


def parameter_counts(
    shape: Shape, biases: Set[str], out: int | None = None
) -> list[ParameterCounts]:
    """`out`: columns of w_o; 0: no w_o; None: d_model."""
    d, h = shape.d_model, shape.num_heads
    one = Shape(1, 1, d, d, d)
    own = Shape(h, h, d, shape.d_k, shape.d_v)
    single = Shape(h, 1, d, shape.d_k, shape.d_v)
    return [
        _counts_of("one_head", one, biases, out),
        _counts_of("multi_head", own, biases, out),
        _counts_of("grouped", shape, biases, out),
        _counts_of("multi_query", single, biases, out),
        _counts_of("share_qk", own, biases, out, "qv"),
        _counts_of("share_qkv", own, biases, out, "q"),
    ]


def _counts_of(
    name: str, shape: Shape, present: Set[str], out: int | None, letters: str = "qkv"
) -> ParameterCounts:
    """`present`: names of biases. `letters`: projections with own matrices."""

    def bias(letters: str) -> int:
        names = (f"b_{letter}" for letter in letters)
        return sum(math.prod(shape.of(name, out)) for name in names if name in present)

    projections = sum(math.prod(shape.of(f"w_{letter}")) for letter in letters)
    biases, output, output_bias = bias(letters), math.prod(shape.of("w_o", out)), bias("o")
    total = projections + biases + output + output_bias
    return ParameterCounts(
        name, shape.num_heads, shape.num_kv_heads, shape.d_k,
        projections, biases, output, output_bias, total,
    )  # fmt: skip
