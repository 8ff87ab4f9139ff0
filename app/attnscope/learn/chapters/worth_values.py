"""Computed values of the chapter on head ablation, for the sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from attnscope.learn.head_ablation import (
    LAYER,
    Heads,
    between,
    change,
    directly,
    expected,
    losses,
    missed_least,
    missed_most,
    percent,
    prediction,
    trace_of,
)

TOP = 4  # tokens with all heads, and as many without one


def pieces_of() -> list[list[str]]:
    """The most probable tokens with all heads, and without the most important one."""
    each = expected(), expected((missed_most(trace_of()),))
    top = dict.fromkeys(piece for found in each for piece in list(found)[:TOP])
    return [[piece.replace(" ", "␣"), *(percent(found[piece]) for found in each)] for piece in top]


def heads_of() -> list[list[str]]:
    """Predictions with all heads, without each, and without the two between the most and the least
    important."""
    every: list[Heads] = [(), *((head,) for head in range(len(losses()))), between()]
    return [_row(heads) for heads in every]


def _row(heads: Heads) -> list[str]:
    now = prediction(heads)
    names = ", ".join(map(str, heads)) or "–"
    direct = change(sum(directly().heads[LAYER][head] for head in heads)) if heads else "–"
    numbers = (f"{number:.2f}" for number in (now.sigma, now.logit, now.others))
    return [names, direct, *numbers, percent(now.p)]


def head_values() -> Mapping[str, str]:
    """Values of the head that is missed most, of the one that is missed least, and of the two
    between."""
    direct, without = directly().heads[LAYER], (missed_most(trace_of()),)
    least, missed, (low, high) = missed_least(), without[0], between()
    every = {"": (), "least_": (least,), "missed_": without, "low_": (low,), "high_": (high,),
             "both_": (low, high)}  # fmt: skip
    log = {name: math.log(prediction(heads).p / prediction().p) for name, heads in every.items()}
    here = {name: text for of, heads in every.items() for name, text in _numbers(of, heads)}
    return here | {
        "layer": str(LAYER), "least": str(least), "missed": str(missed), "low": str(low),
        "high": str(high), "change": change(losses()[missed]),
        "least_direct": change(direct[least]), "missed_direct": change(direct[missed]),
        "held": f"{prediction().logit - direct[least]:.2f}",
        "apart": change(log["low_"] + log["high_"]), "together": change(log["both_"]),
        "next": percent(max(p for piece, p in expected(without).items() if piece != came())),
    }  # fmt: skip


def _numbers(of: str, heads: Heads) -> Iterator[tuple[str, str]]:
    now = prediction(heads)
    yield f"{of}chance", percent(now.p)
    for name in ("sigma", "logit", "lead"):
        yield of + name, f"{getattr(now, name):.2f}".replace("-", "−")


def came() -> str:
    """The most probable token with all heads."""
    return next(iter(expected()))
