"""The Shape of a layer, worked out of its tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.attention.parameters import Shape
from app.errors import ShapeMismatch


def shape_of(arrays: Mapping[str, np.ndarray], num_heads: int, at: str = "weights") -> Shape:
    """Raises ShapeMismatch, with names and numbers, for tensors that do not fit each other.

    d_k = columns of w_q / num_heads; num_kv_heads = columns of w_k / d_k; d_v = columns of
    w_v / num_kv_heads. `arrays` holds w_q, w_k, w_v at least, named as in parameters.TENSORS.
    """
    for name, array in arrays.items():
        if array.ndim != (axes := 2 if name.startswith("w_") else 1):
            raise ShapeMismatch(
                "axes", at=f"{at}.{name}", tensor=name, found=list(array.shape), axes=axes
            )
    d_model, q_width = arrays["w_q"].shape
    for name in ("w_k", "w_v"):
        if (rows := arrays[name].shape[0]) != d_model:
            raise ShapeMismatch(
                "rows", at=f"{at}.{name}", tensor=name, rows=rows, other="w_q", expected=d_model
            )
    d_k = _share("w_q", q_width, "num_heads", num_heads, at)
    num_kv_heads = _share("w_k", arrays["w_k"].shape[1], "d_k", d_k, at)
    if num_heads % num_kv_heads:
        raise ShapeMismatch(
            "kv_heads", at=f"{at}.w_k", num_heads=num_heads, num_kv_heads=num_kv_heads, d_k=d_k
        )
    d_v = _share("w_v", arrays["w_v"].shape[1], "num_kv_heads", num_kv_heads, at)
    shape = Shape(num_heads, num_kv_heads, d_model, d_k, d_v)
    _check_rest(arrays, shape, at)
    return shape


def check_stack(shapes: Sequence[Shape], tensors: Sequence[Mapping[str, np.ndarray]]) -> None:
    """Raises ShapeMismatch where layers differ, or cannot feed each other."""
    for layer, (shape, arrays) in enumerate(zip(shapes, tensors, strict=True)):
        if shape != shapes[0] or arrays.keys() != tensors[0].keys():
            raise ShapeMismatch(
                "layers_differ", at="weights", layer=layer, found=_told(arrays),
                expected=_told(tensors[0]),
            )  # fmt: skip
        width = arrays["w_o"].shape[1] if "w_o" in arrays else shape.num_heads * shape.d_v
        if len(shapes) > 1 and width != shape.d_model:
            raise ShapeMismatch(
                "layers_do_not_chain", at="weights", layer=layer, width=width,
                d_model=shape.d_model,
            )  # fmt: skip


def _share(tensor: str, columns: int, name: str, parts: int, at: str) -> int:
    if columns % parts:
        raise ShapeMismatch(
            "no_multiple", at=f"{at}.{tensor}", tensor=tensor, columns=columns, name=name,
            parts=parts,
        )  # fmt: skip
    return columns // parts


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


def _told(arrays: Mapping[str, np.ndarray]) -> str:
    return ", ".join(f"{name} {list(array.shape)}" for name, array in sorted(arrays.items()))
