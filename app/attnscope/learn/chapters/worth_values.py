from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

from attnscope.learn.arithmetic import decimal
from attnscope.learn.echo import Echo
from attnscope.learn.head_ablation import (
    LAYER,
    Heads,
    direct_contributions,
    format_change,
    least_missed_head,
    losses,
    most_missed_head,
    percent,
    prediction,
    token_probabilities,
)

TOP = 4  # most probable tokens


def pieces_of(echo: Echo) -> list[list[str]]:
    each = token_probabilities(echo), token_probabilities(echo, (most_missed_head(echo),))
    top = dict.fromkeys(piece for found in each for piece in list(found)[:TOP])
    return [[piece.replace(" ", "␣"), *(percent(found[piece]) for found in each)] for piece in top]


def heads_of(echo: Echo) -> list[list[str]]:
    every: list[Heads] = [(), *((head,) for head in range(len(losses(echo)))), redundant(echo)]
    return [_row(echo, heads) for heads in every]


def _row(echo: Echo, heads: Heads) -> list[str]:
    now = prediction(echo, heads)
    names = ", ".join(map(str, heads)) or "–"
    direct = (
        format_change(sum(direct_contributions(echo).heads[LAYER][head] for head in heads))
        if heads
        else "–"
    )
    numbers = map(decimal, (now.sigma, now.logit, now.others))
    return [names, direct, *numbers, percent(now.p)]


def redundant(echo: Echo) -> tuple[int, int]:
    """Two of the less missed heads, whose joint loss most exceeds the sum of their own losses."""
    others = [head for head in range(len(losses(echo))) if head != most_missed_head(echo)]
    return min(combinations(others, 2), key=lambda pair: _beyond(echo, pair))


def _beyond(echo: Echo, pair: tuple[int, int]) -> float:
    return _log(echo, pair) - sum(losses(echo)[head] for head in pair)


def _log(echo: Echo, heads: Heads) -> float:
    return math.log(prediction(echo, heads).p / prediction(echo).p)


def head_values(echo: Echo) -> Mapping[str, str]:
    direct, without = direct_contributions(echo).heads[LAYER], (most_missed_head(echo),)
    least, (most_missed,), (low, high) = least_missed_head(echo), without, redundant(echo)
    most = direct.index(max(direct))
    every = {"": (), "least_": (least,), "missed_": without, "most_": (most,), "low_": (low,),
             "high_": (high,), "both_": (low, high)}  # fmt: skip
    here = {name: text for of, heads in every.items() for name, text in _numbers(echo, of, heads)}
    others = {
        piece: p for piece, p in token_probabilities(echo, without).items() if piece != came(echo)
    }
    next_piece = max(others, key=lambda piece: others[piece])
    return here | {
        "layer": str(LAYER), "least": str(least), "missed": str(most_missed), "low": str(low),
        "high": str(high), "change": format_change(losses(echo)[most_missed]),
        "most": str(most), "least_direct": format_change(direct[least]),
        "missed_direct": format_change(direct[most_missed]),
        "most_direct": format_change(direct[most]),
        "held": f"{prediction(echo).logit - direct[least]:.2f}",
        "apart": format_change(_log(echo, (low,)) + _log(echo, (high,))),
        "together": format_change(_log(echo, (low, high))),
        "next": percent(others[next_piece]), "next_piece": next_piece,
    }  # fmt: skip


def _numbers(echo: Echo, of: str, heads: Heads) -> Iterator[tuple[str, str]]:
    now = prediction(echo, heads)
    yield f"{of}chance", percent(now.p)
    for name in ("sigma", "logit", "lead"):
        yield of + name, decimal(getattr(now, name))


def came(echo: Echo) -> str:
    return next(iter(token_probabilities(echo)))
