"""Accuracy on a task, and the head that shows it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from training.opened import Run
from training.tasks import Problem

NOT_ASKED = -1  # target without prediction


def rows(problems: list[Problem], tokenizer: Tokenizer) -> tuple[np.ndarray, np.ndarray]:
    """[problem, n] ids, padded with 0, and the next ids of the answers."""
    texts = [p.asked + p.answer for p in problems]
    ids = [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
    read = np.zeros((len(ids), max(map(len, ids)) - 1), np.int64)
    wanted = np.full_like(read, NOT_ASKED)
    for row, (each, problem) in enumerate(zip(ids, problems, strict=True)):
        sign = len(problem.asked) - 1
        read[row, : len(each) - 1] = each[:-1]
        wanted[row, sign : len(each) - 1] = each[sign + 1 :]
    return read, wanted


class Solved(NamedTuple):
    """`picture` [layer, head]: mean weight on the cells of the expected map."""

    share: float
    picture: np.ndarray


def solved(run: Run, problems: list[Problem], tokenizer: Tokenizer) -> Solved:
    """With greedy decoding, the whole answer must be right."""
    read, wanted = rows(problems, tokenizer)
    weights, logits = run(read)
    right = (logits.argmax(-1) == wanted) | (wanted == NOT_ASKED)
    picture = [
        weights[:, row, :, query, key]
        for row, problem in enumerate(problems)
        for query, key in problem.picture
    ]
    return Solved(float(right.all(1).mean()), np.mean(picture, axis=0))
