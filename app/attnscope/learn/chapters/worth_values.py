"""Computed values of the chapter on head ablation, for the sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attnscope.learn.head_ablation import (
    LAYER,
    Heads,
    change,
    directly,
    expected,
    losses,
    missed_most,
    percent,
    prediction,
    spared,
    trace_of,
)

TOP = 4  # tokens with all heads, and as many without one


def pieces_of() -> list[list[str]]:
    """The most probable tokens with all heads, and without the most important one."""
    each = expected(), expected((missed_most(trace_of()),))
    top = dict.fromkeys(piece for found in each for piece in list(found)[:TOP])
    return [[piece.replace(" ", "␣"), *(percent(found[piece]) for found in each)] for piece in top]


def heads_of() -> list[list[str]]:
    """Predictions with all heads, without each, and without the two least important."""
    every: list[Heads] = [(), *((head,) for head in range(len(losses()))), spared()]
    return [_row(heads) for heads in every]


def _row(heads: Heads) -> list[str]:
    now = prediction(heads)
    names = ", ".join(map(str, heads)) or "–"
    direct = change(sum(directly().heads[LAYER][head] for head in heads)) if heads else "–"
    numbers = (f"{number:.2f}" for number in (now.sigma, now.logit, now.others))
    return [names, direct, *numbers, percent(now.p)]


def head_values() -> Mapping[str, str]:
    """Values of the head with the largest direct contribution, the most important, and the two
    least important."""
    direct, without = directly().heads[LAYER], (missed_most(trace_of()),)
    most, missed, (low, high) = direct.index(max(direct)), without[0], spared()
    every = {"": (), "most_": (most,), "missed_": without, "low_": (low,), "high_": (high,),
             "both_": (low, high)}  # fmt: skip
    here = {name: text for of, heads in every.items() for name, text in _numbers(of, heads)}
    return here | {
        "layer": str(LAYER), "most": str(most), "missed": str(missed), "low": str(low),
        "high": str(high), "change": change(losses()[missed]),
        "most_direct": change(direct[most]), "missed_direct": change(direct[missed]),
        "held": f"{prediction().logit - direct[most]:.2f}",
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
