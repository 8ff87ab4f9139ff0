"""Attention in twenty lines of loops, numpy and PyTorch."""

from __future__ import annotations

import numpy as np

from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters import twenty_lines_values as computed
from attnscope.learn.chapters.scores import given_qk, rows
from attnscope.learn.chapters.twenty_lines_code import LANGUAGES, STEPS
from attnscope.learn.chapters.twenty_lines_values import reshaped_alone
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Body, Exercise, Given, Program
from attnscope.learn.why import order_of_stages, true_reason


def projected(whole: np.ndarray, num_heads: int) -> Body:
    return given_qk(whole, whole, whole, num_heads=num_heads)


def drawn_places(
    rng: np.random.Generator,
) -> tuple[np.ndarray, int, tuple[int, int, int]]:
    """x w_q of two tokens, number of heads, index (s, i, c)."""
    num_heads = int(rng.integers(2, 4))
    whole = rng.permutation(np.arange(1.0, 1 + 4 * num_heads)).reshape(2, 2 * num_heads)
    s, i, c = (int(rng.integers(count)) for count in (num_heads, 2, 2))
    return whole, num_heads, (s, i, c)


def number_of_a_head(rng: np.random.Generator) -> Exercise:
    whole, num_heads, (s, i, c) = drawn_places(rng)
    body = projected(whole, num_heads)
    answer = float(stage(body, "q")[s, i, c])
    values = {"num_heads": num_heads, "s": s, "i": i, "c": c}
    given = (Given("x w_q", whole.tolist()),)
    return Exercise("number_of_a_head", answer, values, 0, (), given, body, {"at": 2 * s + c})


def without_transpose(rng: np.random.Generator) -> Exercise:
    while True:  # until the mistake changes the number
        whole, num_heads, (s, i, c) = drawn_places(rng)
        wrong = reshaped_alone(whole, num_heads)
        if wrong[s, i, c] != stage(projected(whole, num_heads), "q")[s, i, c]:
            break
    values = {"num_heads": num_heads, "s": s, "i": i, "c": c}
    given = (Given("x w_q", whole.tolist()),)
    worked = {"at": 4 * s + 2 * i + c}
    return Exercise("without_transpose", float(wrong[s, i, c]), values, given=given, worked=worked)


def innermost(rng: np.random.Generator) -> Exercise:
    num_heads, d_k, n = (int(rng.integers(low, high)) for low, high in ((2, 5), (2, 6), (3, 7)))
    body = projected(rows(rng, n, num_heads * d_k), num_heads)
    answer = float(stage(body, "scores").size * d_k)
    values = {"num_heads": num_heads, "d_k": d_k, "n": n}
    return Exercise("innermost", answer, values, question=body)


CHAPTER = Chapter(
    "twenty_lines",
    needs=("shapes", "heads",),
    figures=(
        Program("program", {"causal": True}, stages=tuple(step.stage for step in STEPS),
                knobs=("model.num_heads", "head"), languages=LANGUAGES, steps=STEPS),
    ),
    values={"opening": computed.counted, "misread": computed.misread,
            "batch": computed.whole_transpose},
    tables={"split": computed.split_rows, "memory": computed.memory_rows},
    exercises=(
        number_of_a_head, without_transpose, innermost, order_of_stages,
        true_reason("twenty_lines"),
    ),
)  # fmt: skip
