"""The canonical naming: shapes by name, arrays by name."""

from __future__ import annotations

import numpy as np

from attnscope.attention.architecture import TENSORS, Parameters, Shape

SHAPE = Shape(num_heads=6, num_kv_heads=2, d_model=10, d_k=3, d_v=5)


def test_every_tensor_has_its_shape() -> None:
    assert {name: SHAPE.of(name) for name in TENSORS} == {
        "w_q": (10, 18), "w_k": (10, 6), "w_v": (10, 10), "w_o": (30, 10),
        "b_q": (18,), "b_k": (6,), "b_v": (10,), "b_o": (10,),
    }  # fmt: skip
    assert SHAPE.of("w_o", out=4) == (30, 4)
    assert SHAPE.of("b_o", out=4) == (4,)
    assert SHAPE.queries_per_kv_head == 3


def test_only_the_tensors_that_are_there_are_named() -> None:
    tensors = {name: np.ones(SHAPE.of(name)) for name in ("w_q", "w_k", "w_v", "b_k")}
    arrays = Parameters(**tensors).arrays()
    assert list(arrays) == ["w_q", "w_k", "w_v", "b_k"]
    assert all(arrays[name] is tensors[name] for name in arrays)


def test_the_dtype_changes_for_all_and_costs_nothing_when_it_is_the_same() -> None:
    p = Parameters(*(np.ones(SHAPE.of(name)) for name in ("w_q", "w_k", "w_v")))
    assert {a.dtype for a in p.astype(np.float32).arrays().values()} == {np.dtype(np.float32)}
    assert p.astype(np.float64).w_q is p.w_q
