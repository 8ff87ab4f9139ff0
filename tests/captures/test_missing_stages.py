"""What follows from captured arrays."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.attention.masks import Mask
from attnscope.captures.missing_stages import Completed, Stages, complete, is_causal
from attnscope.captures.names import layers_of, sizes_of

N = 6


def weights_of(masked: np.ndarray) -> np.ndarray:
    e = np.exp(masked - masked.max(-1, keepdims=True))
    whole: np.ndarray = e / e.sum(-1, keepdims=True)
    return whole


def completed(arrays: dict[str, np.ndarray]) -> Completed:
    layers = layers_of(arrays)
    sizes = sizes_of(layers)
    mask = Mask(causal=is_causal(layers, sizes, context=False))
    return complete(Stages(layers[0]), sizes, mask, [(sizes.n, sizes.m)])


def sliding() -> dict[str, np.ndarray]:
    """q and k, and the weights of a causal window of 2 over them."""
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 3, N, 4))
    rows, cols = np.indices((N, N))
    there = (cols <= rows) & (rows - cols < 2)
    masked = np.where(there, q @ k.swapaxes(1, 2) / 2, -np.inf)
    return {"q": q, "k": k, "weights": weights_of(masked), "masked_scores": masked}


def test_the_mask_is_read_from_weights_that_are_0() -> None:
    arrays = sliding()
    masked = arrays.pop("masked_scores")
    found = completed(arrays)
    assert found.error is not None
    assert found.error < 1e-12
    assert found.mask.causal
    assert np.array_equal(np.isneginf(found.stages["masked_scores"][0]), np.isneginf(masked))
    assert found.mask.closed_by(4, 1, (N, N)) == ["mask"]


def test_the_mask_is_read_from_masked_scores() -> None:
    arrays = sliding()
    del arrays["weights"]
    found = completed(arrays)
    assert found.mask.closed_by(4, 1, (N, N)) == ["mask"]
    lowest = np.maximum(arrays["masked_scores"], np.finfo(np.float32).min)
    same = completed({**arrays, "masked_scores": lowest})
    assert np.array_equal(same.stages["weights"], found.stages["weights"])


def test_a_weight_too_small_for_its_type_is_not_closed() -> None:
    scores = np.array([[[0.0, 0.0], [-400.0, 0.0]]], np.float32)
    weights = weights_of(scores)
    assert weights[0, 1, 0] == 0
    found = completed({"scaled_scores": scores, "weights": weights})
    assert found.mask.is_open_everywhere(2, 2, [(2, 2)])
    assert np.array_equal(found.stages["masked_scores"][0], scores)


def test_a_difference_is_that_of_the_map_that_is_wrong() -> None:
    arrays = sliding()
    arrays["scores"] = arrays["q"] @ arrays["k"].swapaxes(1, 2)
    arrays["scores"][0, 3, 2] += 0.5
    for left_out in ("masked_scores", "scaled_scores"):
        found = completed({name: one for name, one in arrays.items() if name != left_out})
        assert found.error == pytest.approx(0.5)
    found = completed(arrays)
    assert found.error == pytest.approx(0.5)
    assert "scores" not in found.computed
    assert "weights" in found.computed


def test_a_scale_that_was_given_takes_the_place_of_the_root_of_d_k() -> None:
    arrays = sliding()
    arrays["q"] /= 2
    del arrays["masked_scores"]
    found = completed({name: one[None] for name, one in arrays.items()} | {"scale": np.ones(1)})
    assert found.error is not None
    assert found.error < 1e-12
    assert np.array_equal(found.stages["scaled_scores"], found.stages["scores"])
    assert "scale" not in found.stages


def test_rows_of_padding_are_not_compared() -> None:
    arrays = sliding()
    arrays["weights"][:, 4:] = 1 / N  # what a program left there
    layers = layers_of(arrays)
    found = complete(Stages(layers[0]), sizes_of(layers), Mask(causal=True), [(4, 4)])
    assert found.error is not None
    assert found.error < 1e-12
