"""What a head is worth: what the chapter says of echo is so on the shipped weights."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from attnscope.analysis.ablations import dropped, log_probability
from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import likeliest, next_or_likeliest
from attnscope.analysis.score_parts import score_parts
from attnscope.attention.unembed import log_softmax
from attnscope.learn import BY_NAME
from attnscope.learn.chapters.worth import MISSED, SURE, change
from attnscope.learn.chapters.worth_values import came, head_values, heads_of, pieces_of
from attnscope.learn.echo import PREVIOUS, TEXT, asked
from attnscope.learn.exercises import stage, traced
from attnscope.learn.head_ablation import (
    LAYER,
    between,
    changes,
    directly,
    expected,
    losses,
    missed_least,
    prediction,
    trace_of,
)


def test_the_head_of_the_chapter_is_the_one_that_its_layer_misses_most() -> None:
    trace = traced(asked(TEXT))
    row = trace.plan.n - 1
    without = dropped(trace, 0, row, next_or_likeliest(trace, 0, row))[LAYER]
    assert (LAYER, without.index(min(without))) == MISSED
    assert came() == " Darcy"
    assert prediction((MISSED[1],)).p < 0.5 * prediction().p
    left = expected((MISSED[1],))
    assert next(iter(left)) == came()
    assert max(p for name, p in left.items() if name != came()) < 0.3 * left[came()]


def test_three_of_the_four_heads_of_the_layer_look_at_the_same_piece() -> None:
    weights = stage(asked(TEXT), "weights", LAYER)[:, -1]
    assert [int(head) for head in np.flatnonzero(weights.argmax(-1) != 3)] == [missed_least()]


def test_what_is_opened_in_explore_is_the_head_dropped_at_the_last_row() -> None:
    figure = next(one for one in BY_NAME["worth"].figures if one.name == "dropped")
    assert figure.question["drop"] == [list(MISSED)]
    assert figure.look == {"layer": LAYER, "head": MISSED[1], "after": trace_of().plan.n - 1}


def test_a_chance_is_that_of_the_softmax_over_all_pieces() -> None:
    for head, lost in enumerate(losses()):
        one = prediction((head,))
        trace = traced(asked(TEXT, drop=[[LAYER, head]]))
        p = math.exp(likeliest(trace, 0, trace.plan.n - 1, 1)[0].log_probability)
        assert one.p == pytest.approx(p, rel=1e-4)
        assert math.log(one.p / prediction().p) == pytest.approx(lost, abs=1e-4)
    assert prediction().logit == pytest.approx(directly().logit, abs=1e-3)
    assert np.isclose(
        log_softmax(np.array([[prediction().logit, prediction().others]]))[0, 0],
        math.log(prediction().p),
    )


def test_without_a_head_that_speaks_for_the_piece_the_norm_makes_it_likelier() -> None:
    direct, least, missed = directly().heads[LAYER], missed_least(), MISSED[1]
    assert missed == direct.index(max(direct))
    assert 0.5 < direct[least] == min(direct)
    whole, without, lost = prediction(), prediction((least,)), prediction((missed,))
    assert max(without.sigma, lost.sigma) < whole.sigma
    assert without.logit > whole.logit > whole.logit - direct[least]
    assert without.p > whole.p
    assert lost.lead < 0 < whole.lead < without.lead


def test_either_of_two_heads_can_go_and_not_both() -> None:
    low, high = between()
    for head in (low, high):
        left = expected((head,))
        assert next(iter(left)) == came()
        assert left[came()] > 0.4 * prediction().p
    assert prediction((low, high)).p < 0.1 * prediction().p
    apart, together = (
        float(head_values()[name].replace("−", "-")) for name in ("apart", "together")
    )
    assert together < 2 * apart < 0


def test_tables_and_words_tell_the_same() -> None:
    assert pieces_of()[0] == ["␣Darcy", head_values()["chance"], head_values()["missed_chance"]]
    rows = {row[0]: row for row in heads_of()}
    assert rows[head_values()["missed"]][-1] == head_values()["missed_chance"]
    assert rows[head_values()["least"]][1] == head_values()["least_direct"]
    assert rows[", ".join(map(str, between()))][-1] == head_values()["both_chance"]
    assert not any(re.search("-", text) for text in head_values().values())


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(20), marks=pytest.mark.full)])
def test_the_model_is_sure_where_it_is_asked_what_a_head_is_worth(seeds: range) -> None:
    for seed in seeds:
        made = change(np.random.default_rng(seed))
        before, after = (float(str(made.values[name])) for name in ("before", "after"))
        assert before >= SURE
        assert after < before
        head = int(str(made.values["head"]))
        trace = traced(asked(str(made.values["sentence"])))
        assert changes(trace)[LAYER][head] == min(changes(trace)[LAYER])
        assert abs(float(made.answer) - min(changes(trace)[LAYER])) < 0.1 or after == 0.001


def test_the_previous_token_head_says_little_and_is_missed_all_the_same() -> None:
    trace = traced(asked(TEXT))
    row = trace.plan.n - 1
    piece = next_or_likeliest(trace, 0, row)
    layer, head = PREVIOUS
    prediction = contributions(trace, 0, row, piece)
    lost = dropped(trace, 0, row, piece)[layer][head] - log_probability(trace, 0, row, piece)
    assert abs(prediction.heads[layer][head]) < 0.1 * prediction.logit
    assert lost < -1


def test_most_of_the_score_comes_from_what_the_previous_token_head_wrote() -> None:
    trace = traced(asked(TEXT))
    layer, head = MISSED
    row = trace.plan.n - 1
    col = int(trace.layers[layer]["weights"][0, head, row].argmax())
    parts = score_parts(trace, layer, head, 0, row, col)
    columns = dict(zip(parts.key_parts, parts.values.sum(axis=0), strict=True))
    previous = columns.pop(f"L{PREVIOUS[0]}H{PREVIOUS[1]}")
    assert previous > 0.9 * parts.score
    assert max(columns.values()) < 0.3 * previous


def test_a_dropped_head_has_zeros_in_concat() -> None:
    concat = stage(asked(TEXT, drop=[list(MISSED)]), "concat", LAYER)
    d_v = 32
    assert not concat[:, MISSED[1] * d_v : (MISSED[1] + 1) * d_v].any()
