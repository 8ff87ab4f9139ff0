"""Foreign names under ours, cut and turned."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from attnscope.errors import BadMapping
from attnscope.weights.formats import WeightsFile
from attnscope.weights.layouts.mapping import apply_mapping

FUSED = np.arange(24.0).reshape(4, 6)
FILE = WeightsFile({"attn.w": FUSED}, {"attn.w": "float16"}, {"num_heads": "2"})


def test_a_name_stands_for_a_whole_tensor_in_memory_of_its_own() -> None:
    mapped = apply_mapping('{"w_q": "attn.w"}', FILE)
    np.testing.assert_array_equal(mapped.arrays["w_q"], FUSED)
    assert not np.shares_memory(mapped.arrays["w_q"], FUSED)
    assert mapped.dtypes == {"w_q": "float16"}
    assert mapped.metadata == {"num_heads": "2"}


def test_a_slice_is_cut_first_and_turned_then() -> None:
    cut = {"tensor": "attn.w", "slice": [None, [2, 4]], "transpose": True}
    mapped = apply_mapping(json.dumps({"layers.0.w_k": cut}).encode(), FILE)
    np.testing.assert_array_equal(mapped.arrays["layers.0.w_k"], FUSED[:, 2:4].T)
    assert mapped.arrays["layers.0.w_k"].flags.c_contiguous


CANNOT_BE_FOLLOWED: list[Any] = [
    ("{", "not_json"),
    ("[" * 100_000, "not_json"),
    (b"\xff\xfe\xff", "not_json"),
    ("[]", "not_an_object"),
    ("{}", "not_an_object"),
    (" " * 2**21, "too_long"),
    ('{"w_q": "attn.w", "w_q": "attn.w"}', "named_twice"),
    ('{"wq": "attn.w"}', "unknown_target"),
    ('{"layers.01.w_q": "attn.w"}', "unknown_target"),
    ('{"w_q": "attn"}', "missing_tensor"),
    ('{"w_q": 3}', "no_tensor"),
    ('{"w_q": null}', "no_tensor"),
    ('{"w_q": {"transpose": true}}', "no_tensor"),
    ('{"w_q": {"tensor": "attn.w", "scale": 2}}', "unknown_field"),
    ('{"w_q": {"tensor": "attn.w", "transpose": 1}}', "transpose_no_bool"),
    ('{"w_q": {"tensor": "attn.w", "slice": [0, 2]}}', "slice_range"),
    ('{"w_q": {"tensor": "attn.w", "slice": [[0, 2]]}}', "slice_axes"),
    ('{"w_q": {"tensor": "attn.w", "slice": "all"}}', "slice_axes"),
    ('{"w_q": {"tensor": "attn.w", "slice": [null, [0, 7]]}}', "slice_range"),
    ('{"w_q": {"tensor": "attn.w", "slice": [null, [-2, 3]]}}', "slice_range"),
    ('{"w_q": {"tensor": "attn.w", "slice": [null, [3, 3]]}}', "slice_range"),
    ('{"w_q": {"tensor": "attn.w", "slice": [null, [false, true]]}}', "slice_range"),
    ('{"w_q": {"tensor": "attn.w", "slice": [null, [0, 1, 2]]}}', "slice_range"),
]


def test_a_mapping_that_cannot_be_followed_says_why(subtests: pytest.Subtests) -> None:
    for mapping, reason in CANNOT_BE_FOLLOWED:
        with subtests.test(mapping=mapping):
            with pytest.raises(BadMapping) as error:
                apply_mapping(mapping, FILE)
            assert error.value.reason == reason
            assert error.value.at is not None
            assert error.value.at.startswith("mapping")
