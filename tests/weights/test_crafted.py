"""Hand-made heads do what their names say, in sentences of every length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import cast

import numpy as np
import pytest

from attnscope.attention.architecture import Architecture
from attnscope.attention.attend import attend
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.weights.crafted import (
    BEFORE,
    HALF,
    HEADS,
    NAMES,
    POSITION,
    SHARPNESS,
    TOKEN,
    Crafted,
    block_of,
    embed_tokens,
    layers_of,
    positions,
    shape_of,
)
from tests.questions import ask

MANY = [f"word{i % 40}" for i in range(200)]
ECHO = ["the", "cat", "saw", "the", "dog", "and", "the", "cat", "ran"]


def stages_of(name: Crafted, tokens: list[str], causal: bool = True) -> dict[str, np.ndarray]:
    x = (embed_tokens(tokens) + positions(len(tokens)))[None]
    shape = shape_of(name)
    stages: dict[str, np.ndarray] = {}
    options = Options(1 / np.sqrt(shape.d_k), 1.0, Mask(causal))
    lengths = [(len(tokens), len(tokens))]
    (parameters,) = layers_of(name)
    attend(x, parameters, LayerContext(Architecture(shape), lengths, options), stages.__setitem__)
    return stages


def weights_of(name: Crafted, tokens: list[str], causal: bool = True) -> np.ndarray:
    return stages_of(name, tokens, causal)["weights"][0, 0]


@pytest.mark.parametrize("causal", [True, False])
def test_previous_token_looks_at_the_previous_token(causal: bool) -> None:
    weights = weights_of("previous_token", MANY, causal)
    for i in range(1, len(MANY)):
        assert weights[i, i - 1] > 0.999
    if causal:
        assert weights[0, 0] == 1


@pytest.mark.parametrize("causal", [True, False])
def test_first_token_looks_at_the_first_token(causal: bool) -> None:
    assert (weights_of("first_token", MANY, causal)[:, 0] > 0.999).all()


@pytest.mark.parametrize("tokens", [ECHO, MANY])
def test_same_token_shares_equally_among_the_same(tokens: list[str]) -> None:
    weights = weights_of("same_token", tokens)
    for i, token in enumerate(tokens):
        same = [j for j in range(i + 1) if tokens[j] == token]
        np.testing.assert_allclose(weights[i, same], 1 / len(same), atol=1e-3)
        others = [j for j in range(len(tokens)) if j not in same]
        assert weights[i, others].sum() < 1e-3


def test_uniform_gives_every_open_key_the_same() -> None:
    weights = weights_of("uniform", ECHO)
    for i in range(len(ECHO)):
        np.testing.assert_allclose(weights[i, : i + 1], 1 / (i + 1), rtol=1e-15)
    np.testing.assert_allclose(weights_of("uniform", ECHO, causal=False), 1 / 9, rtol=1e-15)


def test_all_is_one_head_of_each_kind() -> None:
    together = stages_of("all", ECHO)
    assert shape_of("all").num_heads == len(HEADS) == 4
    outputs = []
    for h, name in enumerate(HEADS):
        alone = stages_of(cast("Crafted", name), ECHO)
        for stage in ("scores", "weights", "head_outputs"):
            np.testing.assert_allclose(together[stage][0, h], alone[stage][0, 0], atol=1e-12)
        outputs.append(alone["output"])
    np.testing.assert_allclose(together["output"], sum(outputs), atol=1e-12)


def test_the_output_is_a_copy_of_the_tokens_looked_at() -> None:
    copied = stages_of("previous_token", ECHO)["output"][0]
    np.testing.assert_allclose(copied[1:, TOKEN], embed_tokens(ECHO)[:-1, TOKEN], atol=2e-3)
    np.testing.assert_array_equal(copied[:, POSITION], 0)


def test_tokens_are_unit_vectors_in_the_first_half_and_positions_stand_in_the_second() -> None:
    x = embed_tokens(ECHO)
    np.testing.assert_allclose(np.linalg.norm(x[:, TOKEN], axis=1), 1, rtol=1e-15)
    assert not x[:, POSITION].any()
    assert not positions(5)[:, TOKEN].any()


def test_the_nearest_wrong_position_is_0_68_below_the_right_one() -> None:
    """The figure that SHARPNESS rests on, for as many positions as a text may have tokens."""
    p = positions(4096)[:, POSITION]
    products = p @ p[0]
    right, wrong = products[0], products[1:].max()
    assert right == pytest.approx(HALF / 2, rel=1e-12)
    assert 0.68 < right - wrong < 0.69
    # It depends on the distance alone: a rotation of each pair.
    np.testing.assert_allclose(p[100:105] @ p[100], products[:5], atol=1e-9)
    assert np.exp(-SHARPNESS * (right - wrong)) < np.exp(-13.5)


def test_every_crafted_model_fits_its_shape() -> None:
    for name in NAMES:
        layers = layers_of(name)
        assert (len(layers), block_of(name)) == (
            (2, "residual") if name == "induction" else (1, "attention")
        )
        for parameters in layers:
            for tensor, array in parameters.arrays().items():
                assert array.shape == shape_of(name).of(tensor)


def induction(tokens: list[str]) -> Sequence[Mapping[str, np.ndarray]]:
    return ask({"tokens": tokens, "model": {"source": "crafted", "name": "induction"}}).layers


def decoded(rows: np.ndarray, vocabulary: list[str]) -> list[str]:
    """The token whose vector has the largest product with each row."""
    vectors = embed_tokens(vocabulary)[:, TOKEN]
    return [vocabulary[i] for i in (rows[:, TOKEN] @ vectors.T).argmax(axis=1)]


def test_induction_completes_what_came_before(subtests: pytest.Subtests) -> None:
    for at, length in product((0, -2, 1), (2, 3, 8, 40)):
        with subtests.test(at=at, length=length):
            words = [f"word{i}" for i in range(length)]
            at %= length - 1
            last = induction([*words, words[at]])[1]
            weights = last["weights"][0, 0, -1]
            assert weights[at + 1] > 0.99
            for stage in ("output", "block_output"):
                assert decoded(last[stage][0, -1:], words) == [words[at + 1]]


def test_the_first_layer_of_induction_remembers_who_stood_before() -> None:
    first, second = induction(ECHO)
    assert decoded(second["x"][0][:, BEFORE], ECHO)[1:] == ECHO[:-1]
    for i in range(1, len(ECHO)):
        assert first["weights"][0, 0, i, i - 1] > 0.999


def test_induction_shares_between_all_that_followed() -> None:
    weights = induction(["a", "b", "c", "a", "d", "e", "a"])[1]["weights"][0, 0, -1]
    np.testing.assert_allclose(weights[[1, 4]].sum(), 1, atol=0.02)


def test_induction_completes_a_word_that_repeats_itself() -> None:
    last = induction(["x", "a", "a", "a"])[1]
    assert decoded(last["output"][0, -1:], ["x", "a"]) == ["a"]
