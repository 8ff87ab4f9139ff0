from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attnscope.learn.arithmetic import listed
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import WORDS, sentence
from attnscope.learn.exercises import stage, traced
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import true_reason
from attnscope.trace.examples import questions

WHICH = ("exercise.encoder", "exercise.decoder", "exercise.windowed", "exercise.padded")


def read(tokens: list[str], causal: bool) -> Body:
    model = {"source": "seeded", "d_model": 16, "num_heads": 2}
    return {"tokens": tokens, "causal": causal, "model": model}


def changed(tokens: list[str], at: int, causal: bool) -> int:
    """Number of rows of the output that change with the word at a position."""
    other = [*tokens[:at], "another", *tokens[at + 1 :]]
    one, two = (stage(read(each, causal), "output") for each in (tokens, other))
    return int((np.abs(one - two).max(axis=1) > 1e-9).sum())


@cache
def counted() -> Mapping[str, str]:
    tokens = list(WORDS)
    n = len(tokens)
    open_cells = [
        int(np.isfinite(stage(read(tokens, causal), "masked_scores")[0]).sum())
        for causal in (False, True)
    ]
    return {
        "n": str(n), "both": str(changed(tokens, n - 1, False)),
        "one": str(changed(tokens, n - 1, True)), "cells": str(open_cells[0]),
        "triangle": str(open_cells[1]), **eating(),
    }  # fmt: skip


@cache
def eating() -> Mapping[str, str]:
    question = questions()["eating-pizza"]
    row = traced(question).plan.n - 2
    both, back = (stage({**question, "causal": causal}, "weights")[0, row]
                  for causal in (False, True))  # fmt: skip
    return {"encoder": listed(both), "decoder": listed(back[:-1])}


def rows_that_change(rng: np.random.Generator) -> Exercise:
    tokens = sentence(rng, 4, 7)
    at, which = int(rng.integers(1, len(tokens) - 1)), int(rng.integers(2))
    answer = float(changed(tokens, at, bool(which)))
    kind = ("encoder_rows", "decoder_rows")[which]
    values = {"words": " ".join(tokens), "word": tokens[at], "n": len(tokens), "at": at}
    return Exercise(kind, answer, values, question=read(tokens, bool(which)))


def which_one(rng: np.random.Generator) -> Exercise:
    n, which = int(rng.integers(4, 9)), int(rng.integers(len(WHICH)))
    row = int(rng.integers(2, n - 1))
    words = [f"w{at}" for at in range(n)]
    bodies = (read(words, False), read(words, True), {**read(words, True), "window": 2},
              {"text": [words[0], " ".join(words)]})  # fmt: skip
    masked = traced(bodies[which]).layers[0]["masked_scores"][0, 0]
    values = {"n": n, "row": row, "count": int(np.isfinite(masked[row]).sum())}
    return Exercise("which_one", WHICH[which], values, choices=WHICH, worked={"seen": row + 1})


CHAPTER = Chapter(
    "both_ways",
    needs=("masks",),
    figures=(
        Figure("encoder", {"causal": False}, stages=("weights",), knobs=("head",)),
        Figure("decoder", {"causal": True}, stages=("weights",), knobs=("head",)),
    ),
    values={"encoder": counted, "decoder": counted},
    exercises=(rows_that_change, which_one, true_reason("both_ways")),
)
