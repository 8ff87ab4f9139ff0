"""The calls of BertViz."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import attnscope
from attnscope import head_view, model_view

pytestmark = pytest.mark.usefixtures("client")
LAYERS = [
    np.tril(np.ones((1, 3, 4, 4))) / np.arange(1, 5)[:, None]
] * 2  # as transformers gives them
CROSS = [np.full((1, 3, 2, 4), 0.25)] * 2
TOKENS = ["The", "Ġcat", "▁sat", "Ġ"]


def test_a_head_view_and_a_model_view_open_their_tabs() -> None:
    view = head_view(LAYERS, TOKENS, layer=1, heads=[2, 0])
    assert (view.tab, view.layer, view.head) == ("lines", 1, 2)
    assert view.trace.tokens == [["The", " cat", " sat", " "]]
    view = model_view(tuple(LAYERS), TOKENS, None, False, display_mode="light", include_layers=[1])
    assert (view.tab, view.layer, view.head) == ("heads", 1, 0)
    assert view.trace.tokens == [TOKENS]


def test_an_encoder_a_decoder_and_what_is_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    displayed: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda *views: displayed.extend(views))
    view = model_view(
        encoder_attention=LAYERS, cross_attention=CROSS, encoder_tokens=TOKENS,
        decoder_tokens=["Die", "Katze"],
    )  # fmt: skip
    assert [each.trace.shape["n"] for each in (*displayed, view)] == [4, 2]
    assert view.trace.context_tokens == [["The", " cat", " sat", " "]]


def test_what_is_missing_is_said() -> None:
    wrong: list[dict[str, Any]] = [
        {}, {"attention": LAYERS}, {"tokens": TOKENS},
        {"cross_attention": CROSS, "decoder_tokens": ["Die", "Katze"]},
    ]  # fmt: skip
    for given in wrong:
        with pytest.raises(attnscope.Problem, match="Give attention with tokens"):
            head_view(**given)
