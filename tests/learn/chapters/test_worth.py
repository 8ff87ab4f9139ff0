"""What a head is worth: what the chapter says of echo is so on the shipped weights."""

from __future__ import annotations

from app.analysis.ablations import dropped, log_probability
from app.analysis.contributions import contributions
from app.analysis.predictions import next_or_likeliest
from app.analysis.score_parts import score_parts
from app.learn.chapters.worth import DROPPED
from app.learn.echo import INDUCTION, PREVIOUS, TEXT, asked
from app.learn.exercises import stage, traced


def test_the_previous_token_head_says_little_and_is_missed_all_the_same() -> None:
    trace = traced(asked(TEXT))
    row = trace.plan.n - 1
    piece = next_or_likeliest(trace, 0, row)
    layer, head = PREVIOUS
    said = contributions(trace, 0, row, piece)
    lost = dropped(trace, 0, row, piece)[layer][head] - log_probability(trace, 0, row, piece)
    assert abs(said.heads[layer][head]) < 0.1 * said.logit
    assert lost < -1


def test_most_of_the_score_comes_from_what_the_previous_token_head_wrote() -> None:
    trace = traced(asked(TEXT))
    layer, head = INDUCTION
    row = trace.plan.n - 1
    col = int(trace.layers[layer]["weights"][0, head, row].argmax())
    parts = score_parts(trace, layer, head, 0, row, col)
    columns = dict(zip(parts.key_parts, parts.values.sum(axis=0), strict=True))
    previous = columns.pop(f"L{PREVIOUS[0]}H{PREVIOUS[1]}")
    assert previous > 0.9 * parts.score
    assert max(columns.values()) < 0.3 * previous


def test_a_dropped_head_has_zeros_in_concat() -> None:
    concat = stage(asked(TEXT, drop=DROPPED), "concat", INDUCTION[0])
    d_v = 32
    assert not concat[:, INDUCTION[1] * d_v : (INDUCTION[1] + 1) * d_v].any()
