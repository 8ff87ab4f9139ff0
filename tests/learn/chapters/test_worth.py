"""What a head contributes: what the chapter says of echo and echo-zh is so on their weights."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from attnscope.analysis.ablations import ablate_heads, log_probability
from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import next_or_likeliest
from attnscope.analysis.score_parts import score_parts
from attnscope.attention.unembed import log_softmax
from attnscope.learn import BY_NAME
from attnscope.learn.chapters.worth import MISSED, SURE, WORTH_ZH, change
from attnscope.learn.chapters.worth_values import (
    came,
    head_values,
    heads_of,
    pieces_of,
    redundant,
)
from attnscope.learn.echo import ENGLISH, Echo, echo_question
from attnscope.learn.exercises import LANGUAGE, compute_trace, stage
from attnscope.learn.head_ablation import (
    LAYER,
    changes,
    direct_contributions,
    least_missed_head,
    losses,
    prediction,
    token_probabilities,
    trace_of,
)

BOTH = pytest.mark.parametrize("echo", [ENGLISH, WORTH_ZH], ids=["en", "zh"])


def without(echo: Echo) -> dict[str, float]:
    """What is expected without the head that is missed most."""
    return token_probabilities(echo, (MISSED[1],))


@BOTH
def test_the_head_of_the_chapter_is_the_one_that_its_layer_misses_most(echo: Echo) -> None:
    trace = compute_trace(echo.asked())
    row = trace.plan.n - 1
    lost = ablate_heads(trace, 0, row, next_or_likeliest(trace, 0, row))[LAYER]
    assert (LAYER, lost.index(min(lost))) == MISSED
    assert prediction(echo, (MISSED[1],)).p < 0.5 * prediction(echo).p


def test_the_english_piece_stays_the_likeliest_and_the_chinese_one_does_not() -> None:
    assert (came(ENGLISH), came(WORTH_ZH)) == (" Darcy", "深")
    left = without(ENGLISH)
    assert next(iter(left)) == came(ENGLISH)
    assert max(p for name, p in left.items() if name != came(ENGLISH)) < 0.3 * left[came(ENGLISH)]
    assert next(iter(without(WORTH_ZH))) == head_values(WORTH_ZH)["next_piece"] == "。"


def test_three_or_all_of_the_four_heads_of_the_layer_look_at_the_same_piece() -> None:
    weights = stage(ENGLISH.asked(), "weights", LAYER)[:, -1]
    others = [int(head) for head in np.flatnonzero(weights.argmax(-1) != 3)]
    assert others == [least_missed_head(ENGLISH)]
    assert (stage(WORTH_ZH.asked(), "weights", LAYER)[:, -1].argmax(-1) == 2).all()


def test_what_is_opened_in_explore_is_the_head_dropped_at_the_last_row() -> None:
    figure = next(one for one in BY_NAME["worth"].figures if one.name == "dropped")
    for echo, fields, look in ((ENGLISH, figure.question, figure.look),
                               (WORTH_ZH, figure.zh, figure.zh["look"])):  # fmt: skip
        layer, head = MISSED
        assert fields["drop"] == [[layer, head]]
        assert look == {"layer": layer, "head": head, "after": trace_of(echo).plan.n - 1}


@BOTH
def test_a_chance_is_that_of_the_softmax_over_all_pieces(echo: Echo) -> None:
    for head, lost in enumerate(losses(echo)):
        p = token_probabilities(echo, (head,))[came(echo)]
        assert prediction(echo, (head,)).p == pytest.approx(p, rel=1e-4)
        change = math.log(prediction(echo, (head,)).p / prediction(echo).p)
        assert change == pytest.approx(lost, abs=1e-4)
    assert prediction(echo).logit == pytest.approx(direct_contributions(echo).logit, abs=1e-3)
    logits = np.array([[prediction(echo).logit, prediction(echo).others]])
    assert np.isclose(log_softmax(logits)[0, 0], math.log(prediction(echo).p))


@BOTH
def test_without_a_head_that_speaks_for_the_piece_the_norm_makes_it_likelier(echo: Echo) -> None:
    direct, least, most = (
        direct_contributions(echo).heads[LAYER],
        least_missed_head(echo),
        MISSED[1],
    )
    assert direct[least] > 0.5
    whole, left = prediction(echo), prediction(echo, (least,))
    lost = prediction(echo, (most,))
    assert left.sigma < whole.sigma
    assert (lost.sigma < whole.sigma) == (echo == ENGLISH)  # in Chinese the norm makes it worse
    assert left.logit > whole.logit > whole.logit - direct[least]
    assert left.p > whole.p
    assert lost.lead < 0 < whole.lead < left.lead


def test_in_english_the_head_that_says_most_is_not_the_one_missed_most() -> None:
    values = head_values(ENGLISH)
    most, missed_one = int(values["most"]), MISSED[1]
    direct = direct_contributions(ENGLISH).heads[LAYER]
    assert direct[most] == max(direct) > direct[missed_one]
    assert prediction(ENGLISH, (most,)).p > prediction(ENGLISH, (missed_one,)).p
    assert MISSED[1] == int(head_values(WORTH_ZH)["most"])


@BOTH
def test_either_of_two_heads_can_go_and_not_both(echo: Echo) -> None:
    for head in redundant(echo):
        left = token_probabilities(echo, (head,))
        assert next(iter(left)) == came(echo)
        assert left[came(echo)] > 0.4 * prediction(echo).p
    assert prediction(echo, redundant(echo)).p < 0.4 * prediction(echo).p
    apart, together = (
        float(head_values(echo)[name].replace("−", "-")) for name in ("apart", "together")
    )
    assert together < 2 * apart < 0
    assert min(direct_contributions(echo).heads[LAYER]) > 0


@BOTH
def test_tables_and_words_say_the_same(echo: Echo) -> None:
    values = head_values(echo)
    piece = came(echo).replace(" ", "␣")
    assert pieces_of(echo)[0] == [piece, values["chance"], values["missed_chance"]]
    rows = {row[0]: row for row in heads_of(echo)}
    assert rows[values["missed"]][-1] == values["missed_chance"]
    assert rows[values["least"]][1] == values["least_direct"]
    assert rows[", ".join(map(str, redundant(echo)))][-1] == values["both_chance"]
    assert not any(re.search("-", text) for text in values.values())


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(20), marks=pytest.mark.full)])
def test_the_model_is_sure_where_it_is_asked_what_a_head_is_worth(seeds: range) -> None:
    for seed in seeds:
        made = change(np.random.default_rng(seed))
        before, after = (float(str(made.values[name])) for name in ("before", "after"))
        assert before >= SURE
        assert after < before
        head = int(str(made.values["head"]))
        trace = compute_trace(echo_question(str(made.values["sentence"])))
        assert changes(trace)[LAYER][head] == min(changes(trace)[LAYER])
        assert abs(float(made.answer) - min(changes(trace)[LAYER])) < 0.1 or after == 0.001


def test_in_chinese_too_the_model_is_sure_where_it_is_asked() -> None:
    before = LANGUAGE.set("zh")
    made = [change(np.random.default_rng(seed)) for seed in range(3)]
    LANGUAGE.reset(before)
    assert min(float(str(each.values["before"])) for each in made) >= SURE
    assert all(each.question and each.question["model"]["name"] == "echo-zh" for each in made)


@BOTH
def test_the_previous_token_head_says_little_and_is_missed_all_the_same(echo: Echo) -> None:
    trace = compute_trace(echo.asked())
    row = trace.plan.n - 1
    piece = next_or_likeliest(trace, 0, row)
    layer, head = echo.previous
    prediction = contributions(trace, 0, row, piece)
    lost = ablate_heads(trace, 0, row, piece)[layer][head] - log_probability(trace, 0, row, piece)
    assert abs(prediction.heads[layer][head]) < 0.1 * prediction.logit
    assert lost < -1


@BOTH
def test_most_of_the_score_comes_from_what_the_previous_token_head_wrote(echo: Echo) -> None:
    trace = compute_trace(echo.asked())
    layer, head = MISSED
    row = trace.plan.n - 1
    col = int(trace.layers[layer]["weights"][0, head, row].argmax())
    parts = score_parts(trace, layer, head, 0, row, col)
    columns = dict(zip(parts.key_parts, parts.values.sum(axis=0), strict=True))
    previous = columns.pop(f"L{echo.previous[0]}H{echo.previous[1]}")
    assert previous > 0.85 * parts.score
    assert max(columns.values()) < 0.3 * previous


def test_a_dropped_head_has_zeros_in_concat() -> None:
    layer, head = MISSED
    concat = stage(ENGLISH.asked(drop=[[layer, head]]), "concat", layer)
    d_v = 32
    assert not concat[:, head * d_v : (head + 1) * d_v].any()
