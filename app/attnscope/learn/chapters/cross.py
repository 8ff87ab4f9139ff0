from __future__ import annotations

import numpy as np

from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import true_reason

TWO_TEXTS = {"text": "The cat", "context": "The cat sat on the mat"}
TWO_IN_CHINESE = {"text": "猫坐", "context": "猫坐在垫子上"}
ARTICLE_IN_CHINESE = {
    "tokens": ["什么", "是", "熊猫", "吃的"],
    "context_tokens": ["熊猫", "吃", "竹子", "，", "狮子", "吃", "肉"],
}
SHAPED = ("q", "k", "weights", "output")

# Columns of x: pandas, lions, food, plant, meat. Queries and keys use the first three.
ARTICLE: Body = {
    "tokens": ["what", "do", "pandas", "eat"],
    "x": [[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 1, 0, 0]],
    "context_tokens": ["pandas", "eat", "bamboo", ",", "lions", "eat", "meat"],
    "context_x": [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 1, 1, 0], [0, 0, 0, 0, 0],
                  [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 1, 0, 1]],
    "scale": "none",
    "model": {
        "source": "explicit",
        "w_q": [[3, 0, 0], [0, 3, 0], [0, 0, 3], [0, 0, 0], [0, 0, 0]],
        "w_k": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]],
        "w_v": [[0, 0], [0, 0], [0, 0], [1, 0], [0, 1]],
    },
}  # fmt: skip


def article_values() -> dict[str, str]:
    weights, outputs = stage(ARTICLE, "weights")[0, -1], stage(ARTICLE, "head_outputs")[0, -1]
    return {
        "bamboo": f"{weights[2]:.3f}", "pandas": f"{weights[0]:.3f}", "meat": f"{weights[6]:.3f}",
        "plant": f"{outputs[0]:.3f}", "flesh": f"{outputs[1]:.3f}",
    }  # fmt: skip


def map_shape(rng: np.random.Generator) -> Exercise:
    n, m = (int(count) for count in rng.integers(2, 8, size=2))
    body = {"tokens": sentence(rng, n, n), "context_tokens": sentence(rng, m, m)}
    answer = float(stage(body, "scores")[0].size)
    return Exercise("map_shape", answer, {"n": n, "m": m}, question=body)


def who_grows(rng: np.random.Generator) -> Exercise:
    n, m = (int(count) for count in rng.permutation(np.arange(2, 8))[:2])
    model = {"source": "seeded", "d_model": 16, "num_heads": 2}
    body = {
        "tokens": sentence(rng, n, n), "context_tokens": sentence(rng, m, m), "model": model,
    }  # fmt: skip
    stages = compute_trace(body).layers[0]
    answer = str(rng.choice(SHAPED))
    rows, columns = stages[answer].shape[-2:]
    assert sum(stages[name].shape[-2:] == (rows, columns) for name in SHAPED) == 1
    values = {"n": n, "m": m, "d_k": 8, "d_model": 16, "rows": rows, "columns": columns}
    choices = tuple(f"stage.{name}" for name in SHAPED)
    return Exercise("who_grows", f"stage.{answer}", values, choices=choices, question=body)


def row_total(rng: np.random.Generator) -> Exercise:
    n, m = (int(count) for count in rng.integers(2, 9, size=2))
    body = {"tokens": sentence(rng, n, n), "context_tokens": sentence(rng, m, m)}
    answer = float(stage(body, "weights")[0].sum())
    return Exercise("row_total", answer, {"n": n, "m": m}, decimals=2, question=body)


CHAPTER = Chapter(
    "cross",
    needs=("heads",),
    figures=(
        Figure("self", {"causal": False}, stages=("weights",), knobs=("head",)),
        Figure(
            "cross", TWO_TEXTS, stages=("q", "k", "weights"), knobs=("head",), zh=TWO_IN_CHINESE
        ),
        Figure("lines", TWO_TEXTS, view="lines", look={"threshold": 0.1}, zh=TWO_IN_CHINESE),
        Figure(
            "article",
            ARTICLE,
            stages=("q", "k", "weights", "head_outputs"),
            look={"cell": ("weights", 3, 2)},
            knobs=("temperature",),
            zh=ARTICLE_IN_CHINESE,
        ),
    ),
    values={"article": article_values},
    exercises=(map_shape, who_grows, row_total, true_reason("cross")),
)
