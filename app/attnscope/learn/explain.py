"""Exercises in the reader's own words: a sentence to write, and a model answer to compare."""

from __future__ import annotations

from collections.abc import Mapping

from attnscope.learn.parts import Exercise

# The messages are `exercise.own.<chapter>.<name>`, and with `.model` the model answer.
EXPLAIN: Mapping[str, tuple[str, ...]] = {
    "asking": ("row", "column"),
    "two_products": ("product", "powers"),
    "words_and_back": ("table", "position"),
    "next_word": ("logits", "difference"),
    "three_matrices": ("roles", "both"),
    "library": ("mix", "labels"),
    "shapes": ("axes", "scores"),
    "scores": ("dot", "symmetric"),
    "scaling": ("why", "temperature"),
    "masks": ("minus_infinity", "causal"),
    "both_ways": ("cache", "autoregressive"),
    "softmax": ("steps", "differences"),
    "weighted_sum": ("mixture", "bounds"),
    "heads": ("several", "w_o"),
    "twenty_lines": ("transpose", "summed"),
    "write_it": ("softmax", "output"),
    "cross": ("sources", "translation"),
    "positions": ("order", "rotary"),
    "gradients": ("meaning", "saturation"),
    "training_step": ("loop", "no_teacher"),
    "layers": ("residual", "induction"),
    "decoder_block": ("three", "two_caches"),
    "habits": ("induction", "evidence"),
    "worth": ("dropping", "direct"),
    "singular_values": ("rank", "three_steps"),
    "only_m": ("only", "bilinear"),
    "initialisation": ("variance", "relu"),
    "decoding": ("cache", "training"),
    "costs": ("growth", "price"),
    "variants": ("grouped", "key_bias"),
}  # fmt: skip


def explanation(chapter: str, seed: int) -> Exercise:
    """One of a chapter's questions, by turns."""
    names = EXPLAIN[chapter]
    task = f"exercise.own.{chapter}.{names[seed % len(names)]}"
    return Exercise("own_words", f"{task}.model", task=task, open=True, name="own_words")
