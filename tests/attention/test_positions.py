"""Positions, against sines and cosines one by one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from attnscope.attention.positions import Relative, alibi_slopes, buckets, rotate, sinusoidal
from tests.attention import plain
from tests.questions import Body, ask


def test_positions_equal_plain_loops(subtests: pytest.Subtests) -> None:
    for n, d_model in ((1, 1), (7, 8), (300, 5), (4096, 2)):
        with subtests.test(n=n):
            ours = sinusoidal(n, d_model)
            np.testing.assert_allclose(ours, plain.sinusoidal(n, d_model), rtol=0, atol=1e-12)


def test_the_first_position_is_zeros_and_ones_by_turns() -> None:
    np.testing.assert_array_equal(sinusoidal(3, 6)[0], [0, 1, 0, 1, 0, 1])


def test_a_position_does_not_depend_on_how_many_follow() -> None:
    np.testing.assert_array_equal(sinusoidal(9, 10)[:4], sinusoidal(4, 10))


def test_a_rotation_equals_plain_loops_and_turns_back(subtests: pytest.Subtests) -> None:
    for n, d_k in ((1, 2), (9, 6), (300, 64)):
        with subtests.test(n=n):
            a = np.random.default_rng(0).normal(size=(2, 3, n, d_k))
            turned = rotate(a)
            for b, h in np.ndindex(2, 3):
                np.testing.assert_allclose(
                    turned[b, h], plain.rotated(a[b, h].tolist()), atol=1e-12
                )
            np.testing.assert_allclose(rotate(turned, direction=-1), a, atol=1e-14)
            np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(a, axis=-1))
            np.testing.assert_array_equal(turned[:, :, 0], a[:, :, 0])


def test_rotated_products_depend_on_the_distance_alone() -> None:
    rng = np.random.default_rng(1)
    q, k = (np.broadcast_to(rng.normal(size=16), (1, 1, 40, 16)) for _ in range(2))
    scores = (rotate(q) @ rotate(k).swapaxes(-1, -2))[0, 0]
    for apart in range(-39, 40):
        diagonal = np.diagonal(scores, apart)
        np.testing.assert_allclose(diagonal, diagonal[0], rtol=0, atol=1e-12)
    assert np.ptp(scores) > 1


def test_slopes_equal_plain_loops(subtests: pytest.Subtests) -> None:
    for heads in (1, 2, 3, 8, 12, 13, 16):
        with subtests.test(heads=heads):
            slopes = alibi_slopes(heads)
            np.testing.assert_allclose(slopes, plain.slopes(heads), rtol=1e-15)
            assert len(set(slopes)) == heads


def test_slopes_are_those_of_the_paper() -> None:
    np.testing.assert_array_equal(alibi_slopes(8), [2.0**-i for i in range(1, 9)])
    np.testing.assert_array_equal(alibi_slopes(3), [2.0**-4, 2.0**-8, 2.0**-2])


def test_alibi_takes_the_slope_times_the_distance_off_the_scaled_scores() -> None:
    text, model = "a b c d e", {"source": "seeded", "num_heads": 4}
    bare, biased = (
        ask(
            {"text": text, "model": {**model, "positions": each}, "causal": False, "temperature": 2}
        )
        for each in ("none", "alibi")
    )
    places = np.arange(5)
    off = alibi_slopes(4)[:, None, None] * np.abs(places[:, None] - places)
    ours, without = (trace.layers[0]["scaled_scores"][0] for trace in (biased, bare))
    np.testing.assert_allclose(ours, without - off, atol=1e-14)


ORDER = [2, 0, 3, 1]
TOKENS = ["the", "cat", "saw", "fish"]


def straight_and_shuffled(model: Body) -> list[Mapping[str, np.ndarray]]:
    """The last layer of the same tokens in two orders, with no mask."""
    orders = [TOKENS, [TOKENS[i] for i in ORDER]]
    return [ask({"tokens": o, "causal": False, "model": model}).layers[-1] for o in orders]


def permuted(name: str, array: np.ndarray) -> np.ndarray:
    if name in ("scores", "scaled_scores", "masked_scores", "weights"):
        return array[:, :, ORDER][..., ORDER]
    return array[..., ORDER, :]


def test_without_positions_and_mask_shuffled_tokens_shuffle_every_stage(
    subtests: pytest.Subtests,
) -> None:
    for block in ("attention", "pre_norm", "post_norm"):
        with subtests.test(block):
            model = {
                "source": "seeded",
                "positions": "none",
                "block": block,
                "mlp": True,
                "num_layers": 2,
            }
            straight, shuffled = straight_and_shuffled(model)
            for name, array in straight.items():
                np.testing.assert_allclose(
                    shuffled[name], permuted(name, array), atol=1e-12, err_msg=name
                )


def test_with_positions_shuffled_tokens_are_another_question(subtests: pytest.Subtests) -> None:
    for positions in ("sinusoidal", "learned", "rotary", "alibi"):
        with subtests.test(positions):
            straight, shuffled = straight_and_shuffled({"source": "seeded", "positions": positions})
            for name in ("weights", "output"):
                assert np.abs(shuffled[name] - permuted(name, straight[name])).max() > 1e-2


def test_only_sinusoidal_positions_change_x() -> None:
    asked = {
        positions: ask({"text": "a b c", "model": {"source": "seeded", "positions": positions}})
        for positions in ("none", "sinusoidal", "rotary", "alibi")
    }
    bare = asked["none"].layers[0]["x"]
    for positions, trace in asked.items():
        assert (trace.start.position is not None) == (positions == "sinusoidal")
        added = 0 if trace.start.position is None else trace.start.position
        np.testing.assert_array_equal(trace.layers[0]["x"], bare + added)


def test_near_distances_have_buckets_of_their_own_and_far_ones_share() -> None:
    places = np.arange(200)
    behind = buckets(np.array([199]), places, Relative(32, 128))[0][::-1]  # by distance
    np.testing.assert_array_equal(behind[:17], [*range(16), 16])
    assert (np.diff(behind) >= 0).all()
    np.testing.assert_array_equal(behind[[32, 64, 114, 128, 199]], [21, 26, 31, 31, 31])
    assert not buckets(np.array([0]), places, Relative(32, 128)).any()  # keys to come
    both = buckets(np.array([100]), places, Relative(32, 128, both_ways=True))[0]
    np.testing.assert_array_equal(both[[100, 99, 101, 93, 107, 84, 116, 68, 132, 0]],
                                  [0, 1, 17, 7, 23, 10, 26, 12, 28, 15])  # fmt: skip
