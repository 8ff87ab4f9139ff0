"""Linear attention as PyTorch computes it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import elu

from attnscope.attention.linear import linear_outputs, linear_weights

TOLERANCES = {"float64": 1e-12, "float32": 1e-5}


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "d_k", "d_v"), [(1, 1, 1), (7, 4, 5), (60, 16, 16), (200, 64, 32)])
def test_weights_and_outputs_are_those_of_torch(
    n: int, d_k: int, d_v: int, causal: bool, dtype: str
) -> None:
    rng = np.random.default_rng(n)
    q, k, v = (rng.normal(size=(n, d)).astype(dtype) for d in (d_k, d_k, d_v))
    allowed = np.tri(n, dtype=bool) if causal else np.ones((n, n), bool)
    features = [elu(torch.tensor(a)) + 1 for a in (q, k)]
    products = (features[0] @ features[1].T).masked_fill(~torch.tensor(allowed), 0)
    weights = products / products.sum(-1, keepdim=True)
    outputs = weights @ torch.tensor(v)
    bound = TOLERANCES[dtype]
    ours, straight = linear_weights(q, k, allowed), linear_outputs(q, k, v, causal=causal)
    assert ours.dtype == straight.dtype == dtype
    np.testing.assert_allclose(ours, weights.numpy(), rtol=bound, atol=bound)
    np.testing.assert_allclose(straight, outputs.numpy(), rtol=bound, atol=bound)
