"""Layers: what the paragraph about norms says of many of them."""

from __future__ import annotations

from attnscope.learn.chapters.layers import growth


def test_only_post_norm_keeps_the_rows_from_growing() -> None:
    size = {name: float(growths) for name, growths in growth().items()}
    assert size["post_norm_first"] == size["post_norm_last"] == 1
    assert size["pre_norm_last"] > 2 * size["pre_norm_first"]
    assert size["sublayer_norm_last"] > 2 * size["sublayer_norm_first"]
