"""A question planned and answered: limits first, then the numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from app.attention.masks import Mask
from app.attention.positions import sinusoidal
from app.errors import AttnscopeError
from app.trace.question import Question
from app.trace.run import Limits, Plan, Trace, plan
from app.weights import embeddings
from tests.questions import Body, ask, cross_question, random_question, written_out

EXPLICIT = {"source": "explicit", "w_q": [[1], [2]], "w_k": [[3], [4]], "w_v": [[5], [6]]}


def planned(limits: Limits | None = None, **body: Any) -> Plan:
    return plan(Question.model_validate(body), limits or Limits(), lambda name: pytest.fail(name))


def held(trace: Trace) -> int:
    """Bytes of every stage and parameter, each counted once."""
    arrays = [a for layer in trace.layers for a in layer.values()]
    arrays += [a for p in trace.parameters for a in p.arrays().values()]
    return sum({id(array): array.nbytes for array in arrays}.values())


def test_the_options_are_read_from_the_question() -> None:
    options = planned(text="a b c", window=2, prefix=1, blocked=[[2, 0], [2, 0]]).options
    assert options.mask == Mask(True, 2, 1, frozenset([(2, 0)]))
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


def test_the_dtype_is_the_models_unless_the_question_says() -> None:
    assert planned(text="a").dtype == "float64"
    trace = ask({"text": ["a b", "c"], "dtype": "float32"})
    arrays = [*trace.layers[0].values(), *trace.parameters[0].arrays().values()]
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("body", "code", "reason", "at"),
    [
        ({"x": [[1, 2, 3]], "model": EXPLICIT}, "shape_mismatch", "x_width", "x"),
        ({"text": "a b", "blocked": [[0, 2]]}, "invalid_request", "blocked_out_of_range",
         "blocked"),
        ({"text": "a b", "blocked": [[2, 0]]}, "invalid_request", "blocked_out_of_range",
         "blocked"),
        ({"tokens": ["a"] * 5000}, "too_many_tokens", "over_limit", None),
        ({"tokens": ["a"] * 4000}, "too_large", "trace", None),
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
        ({"text": "a", "model": {"source": "seeded", "num_heads": 7}}, "shape_mismatch",
         "heads_do_not_divide", "model.num_heads"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_before_it_costs(
    body: dict[str, Any], code: str, reason: str, at: str | None
) -> None:
    with pytest.raises(AttnscopeError) as error:
        planned(**body)
    assert (error.value.code, error.value.reason) == (code, reason)
    assert at is None or error.value.at == at


def test_what_is_too_large_is_told_with_its_size_and_the_limit() -> None:
    with pytest.raises(AttnscopeError) as error:
        planned(Limits(max_trace_bytes=1 << 20), tokens=["a"] * 400)
    assert error.value.reason == "trace"
    assert error.value.values["limit"] == "1 MB"
    wide = {"source": "seeded", "d_model": 8192, "num_heads": 1}
    with pytest.raises(AttnscopeError, match="too_large"):
        planned(text="a", model=wide)


@pytest.mark.parametrize("seed", range(500, 530))
def test_the_estimate_is_near_what_is_held(seed: int) -> None:
    question = cross_question if seed % 2 else random_question
    body = question(seed, longest=40)
    trace = ask(body)
    assert 0.9 * held(trace) <= trace.plan.bytes <= 2.5 * held(trace)


def test_the_estimate_counts_an_output_wider_than_the_model() -> None:
    model = {"source": "explicit", "w_q": [[1]], "w_k": [[1]], "w_v": [[1]], "w_o": [[1] * 2000]}
    trace = ask({"x": [[1]] * 100, "model": model})
    assert trace.plan.bytes >= 0.9 * held(trace)


def test_x_is_used_as_it_is() -> None:
    x = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    trace = ask({"x": x, "model": EXPLICIT, "context_length": 3})
    assert trace.position is None
    np.testing.assert_array_equal(trace.layers[0]["x"][:, :2], x)
    np.testing.assert_array_equal(trace.layers[0]["x"][:, 2], 0)


def test_words_become_embedding_plus_position_and_padding_stays_zero() -> None:
    trace = ask({"text": ["a b c", "b"], "model": {"source": "seeded", "seed": 4}})
    assert trace.position is not None
    position = sinusoidal(3, 64)
    first, second = trace.layers[0]["x"]
    np.testing.assert_array_equal(first, embeddings.seeded("abc", 4, 64) + position)
    np.testing.assert_array_equal(second[0], embeddings.seeded("b", 4, 64)[0] + position[0])
    assert not second[1:].any()
    assert not trace.position[1, 1:].any()


def test_a_text_in_a_padded_batch_is_answered_as_if_alone() -> None:
    model = {"source": "seeded", "num_layers": 2, "block": "residual"}
    batch = ask({"text": ["a much longer sentence is here", "猫 eats"], "model": model})
    alone = ask({"text": "猫 eats", "model": model})
    for together, single in zip(batch.layers, alone.layers, strict=True):
        for name, array in single.items():
            if name in ("scores", "scaled_scores", "masked_scores", "weights"):
                ours = together[name][1, :, :2, :2]
            else:
                ours = together[name][1, ..., :2, :]
            np.testing.assert_allclose(ours, array[0], rtol=0, atol=1e-12, err_msg=name)


def test_tokens_without_positions_and_mask_may_change_places() -> None:
    model = {"source": "seeded", "positions": "none"}
    straight = ask({"tokens": ["a", "b", "c"], "model": model, "causal": False}).layers[0]
    turned = ask({"tokens": ["c", "a", "b"], "model": model, "causal": False}).layers[0]
    order = [2, 0, 1]
    np.testing.assert_allclose(
        turned["weights"], straight["weights"][:, :, order][..., order], atol=1e-14
    )
    np.testing.assert_allclose(turned["output"], straight["output"][:, order], atol=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "alibi"])
@pytest.mark.parametrize(
    "asked",
    [
        {"text": "The animal didn't cross the street."},
        {"text": ["猫 eats", "a much longer sentence"], "context_length": 30,
         "tokenizer": "characters"},
        {"text": "a b c", "context": "d e"},
        {"x": [[0.5 * row - column for column in range(12)] for row in range(3)]},
        {"text": "a b", "context_x": [[1.0] * 12, [2.0] * 12, [-1.0] * 12]},
    ],
)  # fmt: skip
def test_weights_written_out_give_every_number_bit_for_bit(
    asked: Body, positions: str, dtype: str
) -> None:
    model = {"source": "seeded", "seed": 7, "d_model": 12, "num_heads": 6, "num_kv_heads": 2,
             "d_k": 4, "d_v": 5, "bias": True, "positions": positions}  # fmt: skip
    body = {**asked, "model": model, "dtype": dtype}
    explicit = written_out(body)
    for text in ({}, {"text": "another sentence altogether"} if "text" in asked else {}):
        seeded, written = ask({**body, **text}), ask({**explicit, **text})
        (stages,), (same) = seeded.layers, written.layers[0]
        assert list(same) == list(stages)
        for name, array in stages.items():
            np.testing.assert_array_equal(same[name], array, err_msg=name)
        assert written.plan.bytes == seeded.plan.bytes
        assert written.plan.question.holds() == seeded.plan.question.holds()


def test_what_a_trace_takes_in_memory_is_counted_in_full() -> None:
    trace = ask({"text": "a b c d"})
    assert trace.bytes >= held(trace) + trace.embedding.nbytes
    assert trace.elapsed_ms > 0
    assert math.isfinite(trace.elapsed_ms)
