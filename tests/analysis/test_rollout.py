"""Attention rollout against plain loops, and on heads whose way is known."""

from __future__ import annotations

from itertools import product
from typing import get_args

import numpy as np
import pytest

from attnscope.analysis.rollout import Fusion, rollout, without_lowest
from tests.attention import plain
from tests.questions import ask


def slowly(
    layers: list[np.ndarray], fusion: Fusion = "mean", discard: float = 0.0
) -> list[plain.Matrix]:
    """The definition of the paper and its variants, in lists."""
    n = layers[0].shape[1]
    total = [[float(i == j) for j in range(n)] for i in range(n)]
    maps = []
    for weights in layers:
        heads = weights.tolist()
        mixed = []
        for i in range(n):
            columns = list(zip(*(head[i] for head in heads), strict=True))
            fused = [max(each) if fusion == "max" else sum(each) / len(each) for each in columns]
            there = sorted((j for j in range(n) if fused[j]), key=lambda j: (fused[j], j))
            for j in there[: round(discard * len(there) - 0.5 + 1e-6)]:
                fused[j] = 0
            row = [fused[j] + (i == j) for j in range(n)]
            mixed.append([one / sum(row) for one in row])
        total = plain.times(mixed, total)
        maps.append(total)
    return maps


def weights_of(
    model: dict[str, object], text: list[str] | str, **options: object
) -> list[np.ndarray]:
    trace = ask({"text": text, "model": {"source": "seeded", **model}, **options})
    return [stages["weights"][0] for stages in trace.layers]


@pytest.mark.parametrize("causal", [True, False])
def test_rollout_equals_plain_loops(causal: bool) -> None:
    layers = weights_of({"num_layers": 4, "block": "residual"}, "a b c d e f", causal=causal)
    for fusion, discard in product(get_args(Fusion), (0, 0.5, 0.9)):
        both = zip(
            rollout(layers, fusion, discard), slowly(layers, fusion, discard), strict=True
        )  # fmt: skip
        for ours, theirs in both:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


def test_the_lowest_are_a_share_of_the_weights_that_a_row_has() -> None:
    fused = np.array([[0.4, 0.1, 0.1, 0.4], [0.6, 0.4, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    wanted = np.array([[0.4, 0, 0, 0.4], [0.6, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(without_lowest(fused, 0.5), wanted)
    hundred = np.arange(1, 101)[None] / 5050
    assert (without_lowest(hundred, 0.29) > 0).sum() == 71


def test_every_row_is_shared_out_and_no_query_hears_of_a_later_token() -> None:
    for total in rollout(weights_of({"num_layers": 3, "block": "pre_norm"}, "a b c d e")):
        np.testing.assert_allclose(total.sum(axis=1), 1, rtol=1e-14)
        assert not np.triu(total, 1).any()


def test_padding_and_queries_that_see_nothing_keep_their_own_row() -> None:
    trace = ask({"text": ["a b", "a b c d"], "blocked": [[1, 0], [1, 1]]})
    (total,) = rollout([trace.layers[0]["weights"][0]])
    np.testing.assert_array_equal(total[1:], np.eye(4)[1:])


def test_two_layers_of_induction_bring_the_first_word_home() -> None:
    """The last A asks B (layer 1), and B knows of A (layer 0): a quarter of a half each."""
    body = {"text": "A B c A", "model": {"source": "crafted", "name": "induction"}}
    maps = list(rollout(stages["weights"][0] for stages in ask(body).layers))
    np.testing.assert_allclose(maps[1][3], [0.25, 0.25, 0.25, 0.25], atol=0.01)
