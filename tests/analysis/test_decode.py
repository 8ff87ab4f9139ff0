"""Decoding with a cache is the full answer, whatever the model; its bytes are counted."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.decode import cache_bytes, decode, grouping_name, step_ends, variants
from attnscope.errors import InvalidRequest, TooLarge
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace
from tests.matrices import some_and_all
from tests.questions import BLOCKS, ask

TEXT = "one two three four five six seven"


def seeded(**model: Any) -> dict[str, Any]:
    return {"text": TEXT, "model": {"source": "seeded", "d_model": 16, **model}}


def worst(trace: Trace, prefill: int = 0, batch: int = 0) -> float:
    steps = decode(trace, 0, batch, step_ends(trace.plan, batch, prefill))
    return max(step.difference for step in steps)


POSITIONS = ("none", "sinusoidal", "rotary", "alibi")


@pytest.mark.parametrize("rows", some_and_all(BLOCKS, POSITIONS, (0, 3)))
def test_cached_is_full_for_all_blocks_and_positions(
    rows: list[tuple[str, str, int]], subtests: pytest.Subtests
) -> None:
    for block, positions, prefill in rows:
        with subtests.test(f"{block} {positions}", prefill=prefill):
            model = {"block": block, "positions": positions, "num_layers": 2}
            trace = ask(seeded(**model, mlp=block != "attention", num_kv_heads=2, bias=True))
            assert worst(trace, prefill) < 1e-12


def test_cached_is_full_under_other_masks_and_scales(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        {"window": 2},
        {"blocked": [[3, 1], [2, 0]]},
        {"scale": "none", "temperature": 0.5},
    ]
    for options in cases:
        with subtests.test(options=options):
            assert worst(ask({**seeded(num_layers=2), **options})) < 1e-12


def test_a_prefill_may_take_one_token_or_all(subtests: pytest.Subtests) -> None:
    for prefill in (1, 6, 7):
        with subtests.test(prefill=prefill):
            assert worst(ask(seeded(positions="rotary")), prefill) < 1e-12


def test_cached_is_full_for_crafted_heads(subtests: pytest.Subtests) -> None:
    for name in ("previous_token", "first_token", "same_token", "all"):
        with subtests.test(name):
            assert worst(ask({"text": TEXT, "model": {"source": "crafted", "name": name}})) < 1e-12


def test_each_text_of_a_batch_is_decoded_to_its_own_end() -> None:
    trace = ask({"text": ["one two three", "one"], "context_length": 5})
    assert [step_ends(trace.plan, b, 0) for b in (0, 1)] == [[1, 2, 3], [1]]
    assert max(worst(trace, batch=b) for b in (0, 1)) < 1e-12


def test_a_step_makes_its_own_rows_and_keeps_the_others() -> None:
    trace = ask(seeded(num_layers=2, num_kv_heads=2))
    steps = list(decode(trace, 1, 0, step_ends(trace.plan, 0, 3)))
    assert [(step.start, step.end) for step in steps] == [(0, 3), (3, 4), (4, 5), (5, 6), (6, 7)]
    for before, after in pairwise(steps):
        assert (after.stages["k"][:, : after.start] == before.stages["k"]).all()
        assert after.stages["q"].shape == (4, 1, 4)
        assert after.stages["weights"].shape == (4, 1, after.end)
        assert after.stages["v"].shape == (2, after.end, 4)
    full = trace.layers[1]["weights"][0]
    assert steps[-1].stages["weights"] == pytest.approx(full[:, 6:], abs=1e-12)


def test_the_cache_grows_by_the_same_bytes_each_step() -> None:
    trace = ask(seeded(num_layers=3, num_kv_heads=2))
    steps = list(decode(trace, 0, 0, step_ends(trace.plan, 0, 0)))
    one = 3 * 2 * (4 + 4) * 8
    assert [step.cache_bytes for step in steps] == [one * rows for rows in range(1, 8)]
    held = sum(step.nbytes for step in (steps[-1].stages["k"], steps[-1].stages["v"]))
    assert steps[-1].cache_bytes == 3 * held


def test_mha_gqa_and_mqa_stand_side_by_side() -> None:
    trace = ask({**seeded(num_heads=8, num_kv_heads=2), "dtype": "float32"})
    found = variants(trace.plan, 0, [1, 7])
    assert [(one.name, one.num_kv_heads, one.own) for one in found] == [
        ("mha", 8, False), ("gqa", 4, False), ("gqa", 2, True), ("mqa", 1, False),
    ]  # fmt: skip
    assert [one.bytes[1] for one in found] == [
        cache_bytes(trace.plan, n, 7, 0) for n in (8, 4, 2, 1)
    ]
    assert found[0].bytes == [8 * 4 * 4, 7 * 8 * 4 * 4]
    assert grouping_name(1, 1) == "mha"


def refused(body: dict[str, Any], prefill: int = 0) -> str:
    with pytest.raises(InvalidRequest) as error:
        step_ends(ask(body).plan, 0, prefill)
    return error.value.reason


def test_queries_that_see_keys_to_come_cannot_be_decoded() -> None:
    assert refused({"text": TEXT, "causal": False}) == "not_causal"
    assert refused({"text": TEXT, "context": "what is asked"}) == "not_causal"
    assert refused({"text": TEXT}, prefill=8) == "prefill_too_long"
    assert refused({"text": TEXT, "prefix": 3}, prefill=2) == "prefill_below_prefix"


def test_a_prefix_can_be_decoded_once_it_is_there_and_patterns_always() -> None:
    assert worst(ask({**seeded(), "prefix": 3}), prefill=3) < 1e-12
    assert worst(ask({**seeded(), "prefix": 1})) < 1e-12
    patterns = {"window": 2, "global_tokens": 1, "stride": 3, "block_size": 4}
    assert worst(ask({**seeded(), **patterns})) < 1e-12
    trace = ask({**seeded(), "prefix": 99})  # longer than the text: all of it at once
    assert worst(trace, prefill=trace.plan.lengths()[0][0]) < 1e-12


def test_very_many_steps_are_refused() -> None:
    model = {"num_layers": 48, "d_model": 1, "num_heads": 1}
    body = {"x": np.zeros((400, 1)).tolist(), "model": {"source": "seeded", **model}}
    planned = make_plan(
        Question.model_validate(body), Limits(), lambda model_id: pytest.fail(model_id)
    )
    with pytest.raises(TooLarge):
        step_ends(planned, 0, 0)
    assert len(step_ends(planned, 0, 100)) == 301


def test_steps_that_read_a_long_cache_again_and_again_are_refused() -> None:
    model = {"num_layers": 4, "d_model": 2048, "num_heads": 64}
    body = {"tokens": ["a"] * 600, "model": {"source": "seeded", **model}}
    limits = Limits(max_trace_bytes=1 << 40)
    planned = make_plan(
        Question.model_validate(body), limits, lambda model_id: pytest.fail(model_id)
    )
    with pytest.raises(TooLarge) as error:
        step_ends(planned, 0, 0)
    assert error.value.reason == "decode_cache"
    assert len(step_ends(planned, 0, 500)) == 101
