from __future__ import annotations

import numpy as np

from attnscope.learn.arithmetic import products
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.scores import given_qk, rows
from attnscope.learn.exercises import stage
from attnscope.learn.lines import STEPS, mark_line
from attnscope.learn.parts import Exercise, Figure, Given
from attnscope.learn.why import true_reason

CHOICES = 4


def which_line(rng: np.random.Generator) -> Exercise:
    step = STEPS[int(rng.integers(len(STEPS)))]
    slips = rng.permutation(list(step.slips.values()))[: CHOICES - 1]
    lines = [str(line) for line in rng.permutation([step.solution, *slips])]
    (answer,) = (line for line in lines if mark_line(step.stage, line).right)
    values = {"stage": f"{step.stage}[{', '.join(step.indices)}]"}
    return Exercise("which_line", answer, values, choices=tuple(lines))


def what_slipped(rng: np.random.Generator) -> Exercise:
    step = STEPS[int(rng.integers(len(STEPS)))]
    slips = [str(name) for name in rng.permutation(list(step.slips))[:CHOICES]]
    line = step.slips[slips[0]]
    ((answer, _),) = mark_line(step.stage, line).said
    choices = tuple(sorted(f"line.slip.{name}" for name in slips))
    values = {"stage": f"{step.stage}[{', '.join(step.indices)}]", "line": line}
    return Exercise("what_slipped", answer, values, choices=choices)


def transposed_line(rng: np.random.Generator) -> Exercise:
    i, answer, right = int(rng.integers(2)), 0.0, 0.0
    while answer in (0, 1, right):  # until hint and right line do not give the answer
        q, k = rows(rng, 2, 3), rows(rng, 2, 3)
        scores = stage(given_qk(q, k), "scores")[0]
        answer, right = float(scores[1 - i, i]), float(scores[i, 1 - i])
    given = (Given("q", q.tolist()), Given("k", k.tolist()))
    values = {"i": i, "j": 1 - i, "line": "sum(q[j, c] * k[i, c] for c in C)"}
    worked = {"line": products(q[1 - i], k[i])}
    slips = {"right_line": right}
    return Exercise("transposed_line", answer, values, given=given, worked=worked, slips=slips)


CHAPTER = Chapter(
    "write_it",
    needs=("twenty_lines",),
    figures=(
        Figure("head", {"causal": True, "model": {"source": "seeded", "num_heads": 1}},
               stages=tuple(step.stage for step in STEPS)),
    ),
    exercises=(which_line, what_slipped, transposed_line, true_reason("write_it")),
)  # fmt: skip
