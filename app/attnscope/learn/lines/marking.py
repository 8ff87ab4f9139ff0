"""Compare a line with the engine's arrays of random questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from attnscope.learn.exercises import compute_trace
from attnscope.learn.lines.checks import check
from attnscope.learn.lines.evaluate import Evaluation
from attnscope.learn.lines.grammar import parse
from attnscope.learn.lines.steps import AXES, BY_STAGE, Step
from attnscope.learn.lines.tree import LineError, Node

SIZES = ((4, 3), (3, 2), (5, 4))  # n and d_k of each random question
LARGE = 60.0  # factor of x with which scores are in the thousands
CLOSE = 1e-9
Said = tuple[tuple[str, Mapping[str, object]], ...]  # messages with their values


@dataclass(frozen=True)
class LineMark:
    """`said`: messages about the line. `at`: offset of an error. `cell`: row and column of the
    first wrong number, that number, and the engine's."""

    right: bool
    said: Said = ()
    at: int | None = None
    cell: tuple[int, int, float, float] | None = None


def mark_line(stage: str, line: str) -> LineMark:
    """`stage`: a key of BY_STAGE."""
    step = BY_STAGE[stage]
    try:
        tree = parse(without_target(line, step))
        check(tree, step)
        return _compared(tree, step)
    except LineError as error:
        return LineMark(False, ((f"line.error.{error.reason}", error.values),), error.at)


def without_target(line: str, step: Step) -> str:
    """Replace a left side such as `scores[i, j] =` by spaces, so that offsets stay."""
    left, equals, right = line.partition("=")
    target = f"{step.stage}[{','.join(step.indices)}]"
    typed = equals and left.replace(" ", "") == target and not right.startswith("=")
    return " " * (len(left) + 1) + right if typed else line


def _compared(tree: Node, step: Step) -> LineMark:
    for n, d_k in SIZES:
        arrays, sizes = question(n, d_k, 1.0)
        found, right = Evaluation(arrays, sizes).array(tree, step), arrays[step.stage]
        wrong = _first_wrong(found, right)
        if wrong is not None:
            cell = (*wrong, float(found[wrong]), float(right[wrong]))
            slip = _slip(found, step, arrays, sizes)
            said: Said = ((f"line.slip.{slip}", {}),) if slip else ()
            return LineMark(False, said, None, cell)
    return LineMark(True, _overflow(tree, step))


def _first_wrong(found: np.ndarray, right: np.ndarray) -> tuple[int, int] | None:
    places = np.argwhere(~np.isclose(found, right, rtol=CLOSE, atol=CLOSE))
    return (int(places[0][0]), int(places[0][1])) if len(places) else None


def _slip(
    found: np.ndarray, step: Step, arrays: Mapping[str, np.ndarray], sizes: Mapping[str, int]
) -> str | None:
    for name, line in step.slips.items():
        slipped = Evaluation(arrays, sizes).array(parse(line), step)
        if np.allclose(found, slipped, rtol=CLOSE, atol=CLOSE, equal_nan=True):
            return name
    return None


def _overflow(tree: Node, step: Step) -> Said:
    """Note for weights: whether a right line overflows for scores in the thousands."""
    if step.stage != "weights":
        return ()
    arrays, sizes = question(*SIZES[0], LARGE)
    found = Evaluation(arrays, sizes).array(tree, step)
    fails = _first_wrong(found, arrays[step.stage]) is not None
    return (("line.note.overflow" if fails else "line.note.safe", {}),)


@cache
def question(n: int, d_k: int, factor: float) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Stages [row, column] of a head, and sizes."""
    rng = np.random.Generator(np.random.PCG64(100 * n + d_k))
    x = factor * rng.standard_normal((n, d_k + 2))
    model = {"source": "seeded", "seed": n, "d_model": d_k + 2, "d_k": d_k, "d_v": d_k,
             "num_heads": 1}  # fmt: skip
    layer = compute_trace({"x": x.tolist(), "causal": True, "model": model}).layers[0]
    return {name: layer[name][0, 0] for name in AXES}, {"n": n, "d_k": d_k}
