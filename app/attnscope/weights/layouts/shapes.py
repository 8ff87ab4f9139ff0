from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, isqrt

import numpy as np

from attnscope.attention.architecture import Shape
from attnscope.errors import ShapeMismatch

MAX_HEADS = 256
LISTED = 24  # items in an error


def shape_of(arrays: Mapping[str, np.ndarray], num_heads: int, at: str = "weights") -> Shape:
    """d_k = columns of w_q / num_heads; num_kv_heads = columns of w_k / d_k; d_v = columns of w_v /
    num_kv_heads. Raises ShapeMismatch."""
    fitting = fitting_heads(arrays, at)
    d_model = len(arrays["w_q"])
    q_width, k_width, v_width = _widths(arrays)
    if num_heads not in fitting:
        raise ShapeMismatch(
            "heads_do_not_fit", at="num_heads", num_heads=num_heads, q_width=q_width,
            k_width=k_width, v_width=v_width, fitting=listed(fitting),
        )  # fmt: skip
    d_k = q_width // num_heads
    num_kv_heads = k_width // d_k
    shape = Shape(num_heads, num_kv_heads, d_model, d_k, v_width // num_kv_heads)
    _check_rest(arrays, shape, at)
    return shape


def fitting_heads(arrays: Mapping[str, np.ndarray], at: str = "weights") -> list[int]:
    """Numbers of heads that fit. Raises ShapeMismatch if none does."""
    _check_matrices(arrays, at)
    q_width, k_width, v_width = _widths(arrays)
    if q_width % k_width:
        raise ShapeMismatch("groups_do_not_fit", at=f"{at}.w_k", q_width=q_width, k_width=k_width)
    fewest = q_width // k_width
    if fewest > MAX_HEADS:
        raise ShapeMismatch(
            "too_many_heads", at=f"{at}.w_k", q_width=q_width, k_width=k_width, fewest=fewest,
            most=MAX_HEADS,
        )  # fmt: skip
    counts = (fewest * kv_heads for kv_heads in _divisors(gcd(k_width, v_width)))
    return [num_heads for num_heads in counts if num_heads <= MAX_HEADS]


def listed(items: Sequence[object], most: int = LISTED) -> str:
    return ", ".join(map(str, items[:most])) + (", …" if len(items) > most else "")


def check_stack(shape: Shape, layers: Sequence[Mapping[str, np.ndarray]]) -> None:
    """Raises ShapeMismatch if layers differ, or an output does not fit the next layer."""
    for layer, arrays in enumerate(layers):
        if _described(arrays) != _described(layers[0]):
            raise ShapeMismatch(
                "layers_differ", at="weights", layer=layer, found=_described(arrays),
                expected=_described(layers[0]),
            )  # fmt: skip
        width = arrays["w_o"].shape[1] if "w_o" in arrays else shape.num_heads * shape.d_v
        if len(layers) > 1 and width != shape.d_model:
            raise ShapeMismatch(
                "layers_do_not_chain", at="weights", layer=layer, width=width,
                d_model=shape.d_model,
            )  # fmt: skip


def _divisors(n: int) -> list[int]:
    small = [d for d in range(1, isqrt(n) + 1) if n % d == 0]
    return sorted({*small, *(n // d for d in small)})


def _widths(arrays: Mapping[str, np.ndarray]) -> tuple[int, int, int]:
    return arrays["w_q"].shape[1], arrays["w_k"].shape[1], arrays["w_v"].shape[1]


def _check_matrices(arrays: Mapping[str, np.ndarray], at: str) -> None:
    for name, array in arrays.items():
        if array.ndim != (axes := 2 if name.startswith("w_") else 1):
            raise ShapeMismatch(
                "axes", at=f"{at}.{name}", tensor=name, found=list(array.shape), axes=axes
            )
    d_model = len(arrays["w_q"])
    for name in ("w_k", "w_v"):
        if (rows := len(arrays[name])) != d_model:
            raise ShapeMismatch(
                "rows", at=f"{at}.{name}", tensor=name, rows=rows, other="w_q", expected=d_model
            )


def _check_rest(arrays: Mapping[str, np.ndarray], shape: Shape, at: str) -> None:
    if "b_o" in arrays and "w_o" not in arrays:
        raise ShapeMismatch("bias_alone", at=f"{at}.b_o")
    out = arrays["w_o"].shape[1] if "w_o" in arrays else None
    for name, array in arrays.items():
        if array.shape != (expected := shape.of(name, out)):
            raise ShapeMismatch(
                "tensor", at=f"{at}.{name}", tensor=name, found=list(array.shape),
                expected=list(expected),
            )  # fmt: skip


def _described(arrays: Mapping[str, np.ndarray]) -> str:
    return ", ".join(f"{name} {list(array.shape)}" for name, array in sorted(arrays.items()))
