"""Reasons, by chapter: questions whose right answer is one of four statements."""

from __future__ import annotations

from collections.abc import Mapping

CHOICES = 4
# Each question with the place of its true reason. The messages are
# `exercise.reason.<chapter>.<question>`, with `.<place>` the statements, and with `.reply.<place>`
# what is wrong with each of the others.
REASONS: Mapping[str, Mapping[str, int]] = {
    "asking": {"sums_to_one": 2, "first_row": 3, "untrained": 1},
    "two_products": {"inner_size": 3, "ratio": 2, "order": 1},
    "words_and_back": {"lookup": 3, "ids": 1, "twice": 0},
    "next_word": {"shift": 3, "last_row": 2, "own_word": 3},
    "three_matrices": {"own_keys": 2, "own_values": 1, "fused": 3},
    "library": {"every_book": 1, "two_questions": 2, "new_pages": 1},
    "shapes": {"split": 2, "squared": 1, "padding": 2},
    "scores": {"two_ways": 3, "doubled": 2, "long_key": 3},
    "scaling": {"root": 0, "saturated": 1, "no_norm": 0},
    "masks": {"infinity": 1, "before_softmax": 0, "training": 2, "whose_mask": 0},
    "both_ways": {"cache": 0, "gaps": 1, "river": 3},
    "softmax": {"neighbour": 1, "order": 2, "subtract": 0},
    "weighted_sum": {"between": 1, "columns": 3, "equal_rows": 0},
    "heads": {"two_not_one": 1, "w_o": 2, "share_of_one": 3, "whole_row": 1},
    "twenty_lines": {"no_error": 0, "summed": 2, "copies": 1},
    "write_it": {"whole_map": 2, "exchanged": 0, "strict": 1},
    "cross": {"rows": 0, "no_mask": 2, "width": 3, "shares": 2},
    "positions": {"shuffled": 1, "rotary": 0, "table_end": 1},
    "gradients": {"zero_sum": 3, "shape": 0, "residual": 1},
    "training_step": {"against": 3, "too_long": 2, "values_first": 0},
    "layers": {"two_layers": 2, "mixtures": 0, "final_norm": 3},
    "decoder_block": {"once": 0, "mlp": 1, "source": 2},
    "habits": {"random_tokens": 0, "sink": 1, "both_at_once": 2},
    "worth": {"redundant": 1, "indirect": 0, "smaller_sigma": 1},
    "singular_values": {"first_factor": 2, "unseen": 0, "no_way_back": 3},
    "only_m": {"turned": 2, "column": 3, "below_zero": 0, "stretched": 2},
    "initialisation": {"no_two": 3, "inputs": 0, "one_by_one": 1},
    "decoding": {"exact": 0, "no_queries": 1, "shared": 2},
    "costs": {"long_texts": 3, "window": 2, "linear": 0},
    "variants": {"key_bias": 1, "same_count": 3, "mirrored": 1},
}  # fmt: skip
