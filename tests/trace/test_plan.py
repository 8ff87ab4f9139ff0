"""A question planned and answered: limits first, then the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.attention.masks import Mask
from attnscope.errors import AttnscopeError
from attnscope.trace.formula_words import formula_words
from attnscope.trace.plan import Limits, Plan, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace
from tests.families.asking import ask as ask_checkpoint
from tests.families.cases import made
from tests.questions import Body, ask, cross_question, random_question

EXPLICIT = {"source": "explicit", "w_q": [[1], [2]], "w_k": [[3], [4]], "w_v": [[5], [6]]}
MANY_SMALL_MAPS = {
    "source": "seeded",
    "d_model": 1,
    "d_k": 1,
    "d_v": 1,
    "num_heads": 3,
    "num_layers": 11,
}


def planned(limits: Limits | None = None, **body: Any) -> Plan:
    return make_plan(
        Question.model_validate(body), limits or Limits(), lambda name: pytest.fail(name)
    )


def held(trace: Trace) -> int:
    """Bytes of every stage and parameter, each counted once."""
    arrays = [a for layer in trace.layers for a in layer.values()]
    arrays += [a for p in trace.parameters for a in p.arrays().values()]
    return sum({id(array): array.nbytes for array in arrays}.values())


def test_the_readme_says_how_many_tokens_a_trace_of_512_mb_holds() -> None:
    gpt2 = {"source": "seeded", "num_layers": 12, "num_heads": 12, "d_model": 768}
    fit: list[tuple[int, Body]] = [
        (2000, {}),
        (4000, {"model": {"source": "seeded", "num_heads": 1}}),
        (200, {"model": gpt2}),
        (2800, {"dtype": "float32"}),
        (4096, {"model": {"source": "seeded", "num_heads": 1}, "dtype": "float32"}),
    ]
    for tokens, body in fit:
        whole = planned(text="a " * tokens, **body)
        assert whole.n == tokens
        assert not whole.long
    assert planned(text="a " * 4096).long
    assert planned(text="a " * 4097, model={"source": "seeded", "num_heads": 1}).long


def test_a_long_text_says_how_many_of_its_tokens_have_whole_maps(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        {"model": {"source": "seeded"}},
        {"model": {"source": "seeded", "num_heads": 1, "d_model": 8}},
        {"model": {"source": "seeded", "num_heads": 8, "num_layers": 4, "mlp": True}},
        {"model": {"source": "seeded"}, "dtype": "float32"},
    ]
    for body in cases:
        with subtests.test(body=body):
            long = planned(text="a " * 5000, **body)
            assert long.long
            fits = long.whole_tokens
            assert 0 < fits <= 4096
            shorter = planned(text="a " * fits, **body)
            assert (shorter.long, shorter.whole_tokens) == (False, 0)
            assert planned(text="a " * (fits + max(2, fits // 200)), **body).long


def test_a_text_with_whole_maps_says_how_many_tokens_could_be_derived() -> None:
    large = planned(text="a " * 1900)
    fits = large.gradient_tokens
    assert (large.long, large.whole_tokens) == (False, 0)
    assert 0 < fits < 1900
    assert planned(text="a " * fits).gradient_tokens == 0
    assert planned(text="a " * (fits + 10)).gradient_tokens == fits
    assert planned(text="a " * 5000).gradient_tokens == 0


def test_fewer_tokens_help_nothing_beside_a_long_context() -> None:
    one = {"source": "seeded", "num_heads": 1}
    assert planned(text="a", context="a " * 5000, model=one).whole_tokens == 0


def test_the_options_are_read_from_the_question() -> None:
    options = planned(text="a b c", window=2, prefix=1, blocked=[[2, 0], [2, 0]]).options
    assert options.mask == Mask(True, 1, frozenset([(2, 0)]), window=2)
    assert (options.scale, options.temperature) == (0.25, 1.0)
    assert planned(text="a", causal=False).options.mask == Mask()
    assert planned(text="a", scale="none", temperature=2).options.scale == 1
    assert planned(text="a", scale=-0.3).options.scale == -0.3


def test_with_a_context_nothing_is_causal_and_n_is_not_m() -> None:
    asked = planned(text=["a b", "c"], context=["d e f", "g"], blocked=[[1, 2]])
    assert asked.options.mask == Mask(blocked=frozenset([(1, 2)]))
    assert (asked.n, asked.m, asked.lengths()) == (2, 3, [(2, 3), (1, 1)])
    assert planned(text="a", context="b c", causal=False).options.mask == Mask()
    assert (planned(text="a b").n, planned(text="a b").m) == (2, 2)


def test_the_biases_there_are_choose_the_formulas(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({}, set()),
        ({"model": {"source": "seeded", "bias": True}}, {"b_q", "b_k", "b_v", "b_o"}),
        (
            {"model": {"source": "seeded", "bias": True, "mlp": True, "block": "pre_norm"}},
            {"b_q", "b_k", "b_v", "b_o", "b_in", "b_out", "pre_norm", "normed_input", "mlp"},
        ),
        (
            {"model": {"source": "seeded", "bias": True, "output_projection": False}},
            {"b_q", "b_k", "b_v", "unprojected"},
        ),
        ({"model": {**EXPLICIT, "b_k": [1]}}, {"b_k", "unplaced", "unprojected"}),
        ({"model": {**EXPLICIT, "w_o": [[1, 2]], "b_o": [1, 2]}}, {"b_o", "unplaced"}),
    ]
    for body, words in cases:
        with subtests.test(body=body):
            plan = planned(text="a b", **body)
            assert formula_words(plan) - {"attention", "sqrt_d_k"} == words
            drawn = {
                name for one in plan.model.layers() for name in one.arrays() if name[:2] == "b_"
            }
            assert drawn == plan.model.biases


def test_unmasked_is_what_neither_an_option_nor_padding_masks(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({"text": "a b", "causal": False}, True),
        ({"text": "a b", "causal": False, "prefix": 1}, True),
        ({"text": ["a b", "c d"], "causal": False}, True),
        ({"text": ["a b", "c"], "context": ["d e", "f g"]}, False),
        ({"text": ["a b", "c d"], "context": ["d e", "f g"]}, True),
        ({"text": ["a b", "c d"], "context": ["d e", "f"]}, False),
        ({"text": ["a b", "c"], "causal": False}, False),
        ({"text": "a b", "causal": False, "context_length": 3}, False),
        ({"text": "a b", "causal": False, "window": 1}, False),
        ({"text": "a b", "causal": False, "blocked": [[0, 1]]}, False),
        ({"text": "a b"}, False),
    ]
    for body, is_open in cases:
        with subtests.test(body=body):
            assert ("unmasked" in formula_words(planned(**body))) == is_open
            closed = [np.isneginf(layer["masked_scores"]).any() for layer in ask(body).layers]
            assert any(closed) != is_open


def test_the_dtype_is_the_models_unless_the_question_says() -> None:
    assert planned(text="a").dtype == "float64"
    trace = ask({"text": ["a b", "c"], "dtype": "float32"})
    arrays = [*trace.layers[0].values(), *trace.parameters[0].arrays().values()]
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}


REFUSED: list[Any] = [
    ({"x": [[1, 2, 3]], "model": EXPLICIT}, "shape_mismatch", "x_width", "x"),
    ({"text": "a b", "blocked": [[0, 2]]}, "invalid_request", "blocked_out_of_range",
     "blocked"),
    ({"text": "a b", "blocked": [[2, 0]]}, "invalid_request", "blocked_out_of_range",
     "blocked"),
    ({"tokens": ["a"] * 131_073}, "too_many_tokens", "over_limit", None),
    ({"tokens": ["a"] * 4000, "model": {"source": "seeded", "block": "decoder"},
      "context": "b"}, "too_large", "question", None),
    ({"text": ["a"] * 4096, "model": MANY_SMALL_MAPS}, "too_large", "maps", "text"),
    ({"text": "a b", "context": "c", "blocked": [[0, 1]]}, "invalid_request",
     "blocked_out_of_range", "blocked"),
    ({"text": ["a", "b"], "context": "c"}, "shape_mismatch", "batch_sizes", "context"),
    ({"text": "a", "context_tokens": [["c"], ["d"]]}, "shape_mismatch", "batch_sizes",
     "context_tokens"),
    ({"text": "a", "context_x": [[1, 2, 3]]}, "shape_mismatch", "x_width", "context_x"),
    ({"text": "a", "context": "c", "causal": True}, "invalid_request", "mask_with_context",
     "causal"),
    ({"text": "a", "context": "c", "window": 2}, "invalid_request", "mask_with_context",
     "window"),
    ({"text": "a", "context": "c", "prefix": 1}, "invalid_request", "mask_with_context",
     "prefix"),
    ({"text": "a b", "global_tokens": [0, 2]}, "invalid_request", "no_such_token",
     "global_tokens"),
    ({"text": "a", "context": "c", "global_tokens": 1}, "invalid_request", "mask_with_context",
     "global_tokens"),
    ({"text": "a", "context": "c", "stride": 1}, "invalid_request", "mask_with_context",
     "stride"),
    ({"text": "a", "context": "c", "block_size": 1}, "invalid_request", "mask_with_context",
     "block_size"),
    ({"text": "a", "model": {"source": "seeded", "num_heads": 7}}, "shape_mismatch",
     "heads_do_not_divide", "model.num_heads"),
]  # fmt: skip


def test_what_cannot_be_answered_is_refused_before_it_costs(subtests: pytest.Subtests) -> None:
    for body, code, reason, at in REFUSED:
        with subtests.test(body=body):
            with pytest.raises(AttnscopeError) as error:
                planned(**body)
            assert (error.value.code, error.value.reason) == (code, reason)
            assert at is None or error.value.at == at


def test_what_is_too_large_is_refused_with_its_size_and_the_limit() -> None:
    with pytest.raises(AttnscopeError) as error:
        planned(Limits(max_trace_bytes=1 << 20), tokens=["a"] * 400, dtype="float16")
    assert error.value.reason == "question"
    assert error.value.values["limit"] == "1 MB"
    wide = {"source": "seeded", "d_model": 8192, "num_heads": 1}
    with pytest.raises(AttnscopeError, match="too_large"):
        planned(text="a", model=wide)


def test_the_estimate_is_near_what_is_held(subtests: pytest.Subtests) -> None:
    for seed in range(500, 530):
        with subtests.test(seed=seed):
            question = cross_question if seed % 2 else random_question
            body = question(seed, longest=40)
            trace = ask(body)
            assert 0.9 * held(trace) <= trace.plan.bytes <= 2.5 * held(trace)


def test_the_estimate_counts_an_output_wider_than_the_model() -> None:
    model = {"source": "explicit", "w_q": [[1]], "w_k": [[1]], "w_v": [[1]], "w_o": [[1] * 2000]}
    trace = ask({"x": [[1]] * 100, "model": model})
    assert trace.plan.bytes >= 0.9 * held(trace)


def test_the_usual_scale_is_that_of_a_model_that_has_its_own(tmp_path: Path) -> None:
    folder = made("gemma2", tmp_path)
    null, said, other = (ask_checkpoint(folder, "a", scale=one).plan
                         for one in (None, "sqrt_d_k", 8**-0.5))  # fmt: skip
    assert null.id == said.id != other.id
    assert null.options.scale == said.options.scale == 5**-0.5
    assert (null.scaling, other.scaling, other.options.scale) == ("number", "number", 8**-0.5)
