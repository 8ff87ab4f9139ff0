"""A text that goes on: each piece is what the whole text up to it would say comes next."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnscope.analysis.continuation import Sampling, check_room, continue_text, continued
from attnscope.analysis.predictions import likeliest
from attnscope.errors import InvalidRequest, TooManyTokens
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import answer
from tests.installed.asking import TEXT, echo, no_upload
from tests.questions import ask
from tests.shapes import unchecked as unchecked

pytestmark = pytest.mark.slow


def pieces_of(question: Question) -> list[str | None]:
    tokens = make_plan(question, Limits(), no_upload).words.tokens
    assert tokens is not None
    return tokens[0]


def test_greedy_takes_the_likeliest_of_the_whole_text_each_time() -> None:
    trace = echo()
    ids, logs = continue_text(trace, 6, Sampling())
    for step in range(6):
        so_far = answer(make_plan(continued(trace.plan, ids[:step]), Limits(), no_upload))
        (best,) = likeliest(so_far, 0, so_far.plan.n - 1, 1)
        assert best.id == ids[step]
        assert logs[step] == pytest.approx(best.log_probability, abs=1e-4)


def test_a_seed_draws_the_same_and_another_draws_another() -> None:
    trace = echo()
    hot = [continue_text(trace, 12, Sampling(1.5, seed))[0] for seed in (3, 3, 4)]
    assert hot[0] == hot[1] != hot[2]


def test_the_draws_follow_the_probabilities() -> None:
    trace = echo("Emma")
    first = [continue_text(trace, 1, Sampling(1.0, seed))[0][0] for seed in range(400)]
    for one in likeliest(trace, 0, trace.plan.n - 1, 3):
        chance = math.exp(one.log_probability)
        spread = 4 * math.sqrt(chance * (1 - chance) / 400) + 1e-3
        assert abs(first.count(one.id) / 400 - chance) < spread


def test_top_k_draws_among_the_likeliest_alone() -> None:
    trace = echo()
    allowed = {one.id for one in likeliest(trace, 0, trace.plan.n - 1, 2)}
    drawn = {continue_text(trace, 1, Sampling(5.0, seed, 2))[0][0] for seed in range(30)}
    assert drawn <= allowed


@pytest.mark.parametrize("temperature", [5e-324, 1e-308, 1e-3])
def test_the_smallest_temperatures_draw_the_likeliest(temperature: float) -> None:
    trace = echo()
    assert continue_text(trace, 6, Sampling(temperature, 1)) == continue_text(trace, 6, Sampling())


def test_the_whole_text_is_asked_as_text_where_it_splits_alike() -> None:
    trace = echo(TEXT)
    ids, _ = continue_text(trace, 4, Sampling())
    whole = continued(trace.plan, ids)
    names = trace.plan.model.pieces.names
    assert pieces_of(whole) == [*trace.plan.words.tokens[0], *[names[i] for i in ids]]
    apart = [trace.plan.model.pieces.ids[one] for one in ("H", "a", "r", "r", "y")]
    assert continued(trace.plan, apart).text is None
    assert pieces_of(continued(trace.plan, apart))[-5:] == ["H", "a", "r", "r", "y"]


def test_there_is_room_up_to_the_context_and_no_further() -> None:
    trace = echo()
    limit, length = trace.plan.model.context, trace.plan.words.lengths[0]
    ids, logs = continue_text(trace, limit - length, Sampling(1.0, 1))
    assert len(ids) == len(logs) == limit - length
    assert np.isfinite(logs).all()
    check_room(trace.plan, limit - length)
    with pytest.raises(TooManyTokens) as refused:
        check_room(trace.plan, limit - length + 1)
    assert refused.value.values["room"] == limit - length


def test_the_piece_for_what_is_not_known_is_never_written() -> None:
    model = {"source": "installed", "name": "addition"}
    trace = ask({"text": "1+2=", "model": model})
    ids, _ = continue_text(trace, 5, Sampling(100.0, 0))
    for seed in range(40):
        ids += continue_text(trace, 5, Sampling(100.0, seed))[0]
    assert set(ids) == set(range(14)) - {trace.plan.model.pieces.unknown}


@pytest.mark.parametrize("beyond", [-1, 1, 3, 40])
def test_within_a_prefix_each_piece_is_the_likeliest_after_the_text_so_far(beyond: int) -> None:
    trace = echo(prefix=echo().plan.n + beyond)
    ids, logs = continue_text(trace, 4, Sampling())
    for step in range(4):
        so_far = answer(make_plan(continued(trace.plan, ids[:step]), Limits(), no_upload))
        (best,) = likeliest(so_far, 0, so_far.plan.n - 1, 1)
        assert best.id == ids[step]
        assert logs[step] == pytest.approx(best.log_probability, abs=1e-4)


def test_what_sees_keys_to_come_cannot_go_on() -> None:
    with pytest.raises(InvalidRequest):
        check_room(echo(causal=False).plan, 1)


def test_a_text_longer_than_the_model_is_refused_with_its_end() -> None:
    with pytest.raises(TooManyTokens) as refused:
        echo("Emma " * 200)
    end = refused.value.values["end"]
    assert isinstance(end, int)
    assert len(echo(("Emma " * 200)[:end]).plan.words.tokens[0]) == refused.value.values["limit"]
