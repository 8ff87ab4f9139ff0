from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attnscope.learn.arithmetic import listed
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import WORDS, sentence
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import true_reason
from attnscope.trace.examples import questions

WHICH = ("exercise.encoder", "exercise.decoder", "exercise.windowed", "exercise.padded")


def seeded_question(tokens: list[str], causal: bool) -> Body:
    model = {"source": "seeded", "d_model": 16, "num_heads": 2}
    return {"tokens": tokens, "causal": causal, "model": model}


def count_changed_rows(tokens: list[str], at: int, causal: bool) -> int:
    """Number of output rows that change if the word at `at` does."""
    other = [*tokens[:at], "another", *tokens[at + 1 :]]
    one, two = (stage(seeded_question(each, causal), "output") for each in (tokens, other))
    return int((np.abs(one - two).max(axis=1) > 1e-9).sum())


@cache
def row_counts() -> Mapping[str, str]:
    tokens = list(WORDS)
    n = len(tokens)
    open_cells = [
        int(np.isfinite(stage(seeded_question(tokens, causal), "masked_scores")[0]).sum())
        for causal in (False, True)
    ]
    return {
        "n": str(n), "both": str(count_changed_rows(tokens, n - 1, False)),
        "one": str(count_changed_rows(tokens, n - 1, True)), "cells": str(open_cells[0]),
        "triangle": str(open_cells[1]), **pizza_rows(),
    }  # fmt: skip


@cache
def pizza_rows() -> Mapping[str, str]:
    question = questions()["eating-pizza"]
    row = compute_trace(question).plan.n - 2
    both, back = (stage({**question, "causal": causal}, "weights")[0, row]
                  for causal in (False, True))  # fmt: skip
    return {"encoder": listed(both), "decoder": listed(back[:-1])}


def rows_that_change(rng: np.random.Generator) -> Exercise:
    tokens = sentence(rng, 4, 7)
    at, which = int(rng.integers(1, len(tokens) - 1)), int(rng.integers(2))
    answer = float(count_changed_rows(tokens, at, bool(which)))
    kind = ("encoder_rows", "decoder_rows")[which]
    values = {"words": " ".join(tokens), "word": tokens[at], "n": len(tokens), "at": at}
    return Exercise(kind, answer, values, question=seeded_question(tokens, bool(which)))


def which_one(rng: np.random.Generator) -> Exercise:
    n, which = int(rng.integers(4, 9)), int(rng.integers(len(WHICH)))
    row = int(rng.integers(2, n - 1))
    words = [f"w{at}" for at in range(n)]
    causal = seeded_question(words, True)
    bodies = (seeded_question(words, False), causal, {**causal, "window": 2},
              {"text": [words[0], " ".join(words)]})  # fmt: skip
    masked = compute_trace(bodies[which]).layers[0]["masked_scores"][0, 0]
    values = {"n": n, "row": row, "count": int(np.isfinite(masked[row]).sum())}
    return Exercise("which_one", WHICH[which], values, choices=WHICH, worked={"seen": row + 1})


CHAPTER = Chapter(
    "both_ways",
    needs=("masks",),
    figures=(
        Figure("encoder", {"causal": False}, stages=("weights",), knobs=("head",)),
        Figure("decoder", {"causal": True}, stages=("weights",), knobs=("head",)),
    ),
    values={"encoder": row_counts, "decoder": row_counts},
    exercises=(rows_that_change, which_one, true_reason("both_ways")),
)
