"""Names and shapes of captured arrays."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.captures.generation_steps import joined_cells, joined_steps
from attnscope.captures.names import layers_of, sizes_of
from attnscope.errors import AttnscopeError


def test_axes_that_are_left_out_are_put_back(subtests: pytest.Subtests) -> None:
    shapes: dict[str, list[tuple[int, ...]]] = {
        "weights": [(2, 3, 4, 5), (2, 1, 3, 4, 5)],
        "q": [(2, 3, 4, 6), (2, 1, 3, 4, 6)],
        "x": [(2, 4, 7), (2, 1, 4, 7)],
        "w_o": [(2, 8, 7)],
    }
    for name, allowed in shapes.items():
        for shape in allowed:
            with subtests.test(name, shape=shape):
                layers = layers_of({name: np.ones(shape)})
                rest = shape[1:] if name == "w_o" else (1, *shape[-len(shape) + 1 :])
                expected = rest if name == "w_o" or len(rest) == len(allowed[0]) else rest[1:]
                assert [one[name].shape for one in layers] == [expected] * 2
    assert layers_of({"weights": np.ones((3, 4, 5))})[0]["weights"].shape == (1, 3, 4, 5)
    one = {"layers.0.weights": np.ones((2, 3, 4, 5))}
    assert sizes_of(layers_of(one)).batch == 2


def test_sizes_come_from_whatever_array_has_them() -> None:
    arrays = {"weights": np.ones((1, 4, 5, 6)), "v": np.ones((1, 2, 6, 3)), "x": np.ones((1, 5, 9))}
    sizes = sizes_of(layers_of(arrays))
    assert (sizes.num_heads, sizes.num_kv_heads, sizes.n, sizes.m) == (4, 2, 5, 6)
    assert (sizes.d_model, sizes.d_k, sizes.d_v) == (9, 0, 3)


def test_a_cache_of_one_size_is_cut_to_the_rows() -> None:
    steps = {
        "attentions.0.0": np.pad(np.ones((1, 1, 2, 2)), ((0, 0), (0, 0), (0, 0), (0, 6))),
        "attentions.1.0": np.pad(np.ones((1, 1, 1, 3)), ((0, 0), (0, 0), (0, 0), (0, 5))),
    }
    joined = joined_steps(steps)["layers.0.weights"]
    assert joined.shape == (1, 1, 3, 3)
    assert joined[0, 0].tolist() == [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    assert joined_cells(steps) == 3 * 8


def test_the_last_step_without_a_cache_has_all_rows() -> None:
    steps = {f"attentions.{i}.0": np.full((1, 1, 2 + i, 2 + i), i) for i in range(3)}
    assert joined_steps(steps)["layers.0.weights"].tolist() == np.full((1, 1, 4, 4), 2).tolist()


def test_shapes_that_do_not_fit_are_refused(subtests: pytest.Subtests) -> None:
    ones = np.ones((1, 2, 3, 3))
    cases: dict[str, dict[str, np.ndarray]] = {
        "capture_axes": {"weights": np.ones((3, 3))},
        "capture_sizes": {"weights": ones, "q": np.ones((1, 2, 4, 3))},
        "capture_layers": {"weights": ones, "q": np.ones((2, 2, 3, 3))},
        "capture_gap": {"layers.0.q": ones[0], "layers.999999999.q": ones[0]},
        "capture_many_heads": {"weights": np.ones((1, 300, 1, 1))},
        "capture_kv_heads": {"q": np.ones((1, 3, 2, 2)), "k": np.ones((1, 2, 2, 2))},
        "capture_w_o": {"weights": ones, "v": ones, "w_o": np.ones((5, 4))},
        "capture_step_keys": {"attentions.0.0": ones, "attentions.1.0": ones[:, :, :1, :2]},
        "capture_step_axes": {"attentions.0.0": ones[0]},
        "capture_step_shape": {"attentions.0.0": ones, "attentions.1.0": ones[:, :1]},
        "capture_step_missing": {"attentions.1.0": ones},
    }
    for reason, arrays in cases.items():
        with subtests.test(reason):
            with pytest.raises(AttnscopeError) as caught:
                sizes_of(layers_of(arrays))
            assert (caught.value.reason, caught.value.at) == (reason, "arrays")
