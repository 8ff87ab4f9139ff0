from __future__ import annotations

import numpy as np

from attnscope.attention.ops import softmax
from attnscope.learn.arithmetic import signed, total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import given_scores
from attnscope.learn.exercises import join_texts, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import false_statement, true_reason, wrong_row

# All true scores are negative, so a 0 written above the diagonal would exceed them.
ZEROS = np.tril([
    [-2, 0, 0, 0, 0], [-3, -1, 0, 0, 0], [-2, -2, -1, 0, 0], [-1, -3, -2, -2, 0],
    [-2, -1, -3, -1, -2],
])  # fmt: skip
LEAKING: Body = {
    **given_scores(ZEROS.astype(float)),
    "tokens": ["rain", "fell", "all", "night", "long"],
}
PADDED: Body = {"text": ["The cat sat on the mat", "It slept"], "causal": False}


def open_cells(rng: np.random.Generator) -> Exercise:
    n, window = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    body = {"tokens": sentence(rng, n, n), "window": window}
    open_in_rows = np.isfinite(stage(body, "masked_scores")[0]).sum(-1)
    values, worked = {"n": n, "window": window}, {"line": total(open_in_rows)}
    return Exercise("open_cells", float(open_in_rows.sum()), values, question=body, worked=worked)


def open_keys(rng: np.random.Generator) -> Exercise:
    window, prefix = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    row = int(rng.integers(4, 9))
    body = {"tokens": sentence(rng, 9, 9), "window": window, "prefix": prefix}
    seen = np.flatnonzero(np.isfinite(stage(body, "masked_scores")[0, row]))
    values = {"row": row, "window": window, "prefix": prefix}
    worked = {"keys": join_texts(map(str, seen))}
    return Exercise("open_keys", float(len(seen)), values, question=body, worked=worked)


def level_row(rng: np.random.Generator) -> Exercise:
    n = int(rng.integers(5, 9))
    row = int(rng.integers(1, n))
    body = {"tokens": sentence(rng, n, n), "model": {"source": "crafted", "name": "uniform"}}
    answer = float(stage(body, "weights")[0, row, 0])
    values, worked = {"n": n, "row": row}, {"count": row + 1}
    slips = {"unmasked": 1 / n}
    return Exercise(
        "level_row", answer, values, 2, question=body, worked=worked, share=True, slips=slips
    )


def second_row(rng: np.random.Generator) -> Exercise:
    scores = (rng.integers(-10, 11, (4, 4)) / 10).astype(float)
    body = {**given_scores(scores), "causal": True}
    answer = float(stage(body, "weights")[0, 1, 0])
    values = {f"s{at}": signed(score) for at, score in enumerate(scores[1])}
    first, second = np.exp(scores[1, :2])
    worked = {"first": f"{first:.3f}", "second": f"{second:.3f}"}
    slips = {"unmasked": float(first / np.exp(scores[1]).sum()), "not_divided": float(first)}
    return Exercise(
        "second_row", answer, values, 2, question=body, worked=worked, share=True, slips=slips
    )


def closed_row() -> list[list[str]]:
    """Weights of a row of −∞ by plain softmax and by the engine, and of a row of −10⁹."""
    scores = np.full(3, -np.inf)
    with np.errstate(invalid="ignore"):  # −∞ − (−∞) is NaN, as the table shows
        powers = np.exp(scores - scores.max())
        written = powers / powers.sum()
    finite = softmax(np.full(3, -1e9))
    here = stage({**given_scores(np.zeros((3, 3))), "mask": [[0] * 3, [1] * 3, [1] * 3]}, "weights")

    def formatted(row: np.ndarray) -> list[str]:
        return ["NaN" if np.isnan(one) else f"{one:.3g}".replace("-inf", "−∞") for one in row]

    columns = map(formatted, (scores, written, here[0, 0], finite))
    rows = zip(("0", "1", "2"), *columns, strict=True)
    return [list(row) for row in rows]


CHAPTER = Chapter(
    "masks",
    needs=("scores",),
    figures=(
        Figure("causal", {"causal": True}, stages=("scaled_scores", "masked_scores", "weights"),
               knobs=("causal", "head")),
        Figure("zero", LEAKING, stages=("masked_scores", "weights"), knobs=("causal",),
               zh={"tokens": ["雨", "下", "了", "一", "夜"]}),
        Figure("window", {"causal": True, "window": 3, "prefix": 1}, stages=("weights",),
               knobs=("causal", "window", "prefix")),
        Figure("padding", PADDED, stages=("masked_scores", "weights"), knobs=("batch", "causal"),
               zh={"text": ["猫坐在垫子上", "它睡"]}),
    ),
    tables={"closed": closed_row},
    exercises=(
        open_cells, open_keys, level_row, second_row,
        false_statement("masks", "masked_row", "decoder_only"), wrong_row, true_reason("masks"),
    ),
)  # fmt: skip
