"""Cross-attention over REST: a text that asks another, in every reply that tells of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.trace.stages import NAMES, STAGES
from tests.web.api_v1.test_attention import ODD, SIZES, SMALL, TEXT
from tests.web.client import array, ask

CROSS: dict[str, Any] = {
    "text": ["x y", "z"],
    "context": ["The cat sat", "on the mat too"],
    "model": ODD,
}


def test_with_a_context_the_keys_are_its_tokens(client: TestClient) -> None:
    reply = ask(client, **CROSS)
    assert reply["tokens"] == [["x", "y"], ["z", None]]
    assert reply["context_tokens"] == [["The", "cat", "sat", None], ["on", "the", "mat", "too"]]
    assert reply["offsets"][0] == [[0, 1], [2, 3]]
    assert (reply["lengths"], reply["context_lengths"]) == ([2, 1], [3, 4])
    assert (reply["shape"]["n"], reply["shape"]["m"]) == (2, 4)
    sizes = {**SIZES, "query": 2, "key": 4}
    for layer in reply["layers"]:
        assert list(layer) == list(NAMES)
        for stage in STAGES:
            expected = tuple(sizes[axis] for axis in stage.axes)
            assert array(layer[stage.name]).shape == expected, stage.name


def test_with_a_context_only_padding_is_masked(client: TestClient) -> None:
    reply = ask(client, **CROSS)
    masked = np.isnan(array(reply["layers"][0]["masked_scores"]))
    assert not masked[0, :, :, :3].any()
    assert masked[0, :, :, 3].all()
    assert not masked[1, :, 0].any()
    assert masked[1, :, 1].all()
    assert reply["checks"]["fully_masked_rows"] == 1
    assert ask(client, **CROSS, causal=False)["layers"] == reply["layers"]


def test_the_context_is_sent_where_it_is_named(client: TestClient) -> None:
    reply = ask(client, **CROSS, stages=["context", "k"], parameters=True)
    for layer in reply["layers"]:
        context, k = array(layer["context"]), array(layer["k"])
        assert context.shape == (2, 4, 9)
        expected = context[0] @ array(layer["parameters"]["w_k"]) + layer["parameters"]["b_k"]
        np.testing.assert_allclose(k[0], expected.reshape(4, 2, 3).swapaxes(0, 1), atol=1e-14)
    assert reply["layers"][0]["context"] == reply["layers"][1]["context"]


def test_numbers_may_be_asked_about_numbers(client: TestClient) -> None:
    model = {"source": "explicit", "w_q": [[1]], "w_k": [[1]], "w_v": [[10]]}
    reply = ask(
        client, x=[[2]], context_x=[[1], [3]], context_tokens=["a", "b"], model=model, scale="none"
    )
    (layer,) = reply["layers"]
    assert layer["scores"] == [[[[2, 6]]]]
    assert reply["tokens"] is None
    assert reply["context_tokens"] == [["a", "b"]]
    weight = np.exp(6) / (np.exp(2) + np.exp(6))
    assert layer["output"][0][0][0] == pytest.approx(10 + 20 * weight, rel=1e-14)


def test_a_context_may_say_what_the_text_says(client: TestClient) -> None:
    """Asking oneself, without the causal mask, is self-attention."""
    across = ask(client, text=TEXT, context=TEXT, model=SMALL)
    within = ask(client, text=TEXT, causal=False, model=SMALL)
    assert across["layers"] == within["layers"]
    assert across["trace"] != within["trace"]
