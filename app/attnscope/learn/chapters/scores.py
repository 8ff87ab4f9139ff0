from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attnscope.learn.arithmetic import bracketed, products, signed
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import WORDS
from attnscope.learn.exercises import join_texts, stage
from attnscope.learn.parts import Body, Exercise, Figure, Given
from attnscope.learn.why import false_statement, order_of_stages, true_reason

QUERY = (2.0, 1.0)
KEYS = {"a": (1.0, 0.5), "b": (4.0, -1.0), "c": (2.0, 0.3)}  # each measure prefers another key
SEEDS = 20


def linear() -> Body:
    first, second = np.array([1.0, 2, 0]), np.array([0.0, -1, 1])
    return {
        "x": [row.tolist() for row in (first, second, first + second, 2 * first)],
        "tokens": ["a", "b", "a + b", "2a"], "causal": False, "scale": "none",
        "model": {"source": "explicit", "w_q": [[1, 0], [0, 1], [1, 1]],
                  "w_k": [[0, 1], [1, 0], [0, 0]], "w_v": [[1, 0], [0, 1], [0, 0]]},
    }  # fmt: skip


def measured(q: np.ndarray, k: np.ndarray) -> dict[str, np.ndarray]:
    """Dot products, cosines and Euclidean distances, each [n, m]."""
    dot = q @ k.T
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    apart = np.linalg.norm(q[:, None] - k[None], axis=2)
    return {"dot": dot, "cosine": dot / lengths, "distance": apart}


def measure_rows() -> list[list[str]]:
    found = measured(np.array([QUERY]), np.array(list(KEYS.values())))
    return [
        [f"{name} = ({', '.join(map(signed, key))})",
         *(f"{found[way][0, at]:.2f}" for way in ("dot", "cosine", "distance"))]
        for at, (name, key) in enumerate(KEYS.items())
    ]  # fmt: skip


@cache
def agreeing() -> Mapping[str, str]:
    """Number of rows, over many seeds, in which the measures choose the same key."""
    same = {"cosine": 0, "distance": 0}
    rows = 0
    for seed in range(SEEDS):
        model = {"source": "seeded", "seed": seed, "num_heads": 4}
        body = {"tokens": list(WORDS), "causal": False, "model": model}
        for q, k in zip(stage(body, "q"), stage(body, "k"), strict=True):
            found = measured(q, k)
            best = found["dot"].argmax(axis=1)
            same["cosine"] += int((found["cosine"].argmax(axis=1) == best).sum())
            same["distance"] += int((found["distance"].argmin(axis=1) == best).sum())
            rows += len(q)
    return {"rows": str(rows), "query": f"({', '.join(map(signed, QUERY))})",
            **{way: str(count) for way, count in same.items()}}  # fmt: skip


# The words are cat, loves, to eat, fish.
FOUR: Body = {"tokens": list("猫爱吃鱼"), "causal": False, "model": {"source": "seeded"}}


def given_qk(q: np.ndarray, k: np.ndarray, v: np.ndarray | None = None, **model: object) -> Body:
    """A question with these rows of q, k and v, without a mask; x is the identity, also v
    by default."""
    one = np.eye(len(q))
    w = {"w_q": q.tolist(), "w_k": k.tolist(), "w_v": (one if v is None else v).tolist()}
    return {"x": one.tolist(), "causal": False, "model": {"source": "explicit", **model, **w}}


def given_scores(scores: np.ndarray, v: np.ndarray | None = None) -> Body:
    """A question with these scaled scores [n, n], without a mask."""
    return {**given_qk(scores, np.eye(len(scores)), v), "scale": "none"}


def first_row(row: list[float]) -> np.ndarray:
    """Square matrix with this first row, and zeros below."""
    scores = np.zeros((len(row), len(row)))
    scores[0] = row
    return scores


def rows(rng: np.random.Generator, count: int, width: int) -> np.ndarray:
    """Small integers, for mental arithmetic."""
    return rng.integers(-3, 4, (count, width)).astype(float)


def one_score(rng: np.random.Generator) -> Exercise:
    q, k = rows(rng, 3, 3), rows(rng, 3, 3)
    i, j = (int(at) for at in rng.integers(3, size=2))
    body = given_qk(q, k)
    answer = float(stage(body, "scores")[0, i, j])
    given = (Given("q", [q[i].tolist()]), Given("k", [k[j].tolist()]))
    values, worked = {"i": i, "j": j}, {"line": products(q[i], k[j])}
    return Exercise("one_score", answer, values, given=given, question=body, worked=worked)


def which_key(rng: np.random.Generator) -> Exercise:
    while True:  # until the maximum is unique
        q, k = rows(rng, 4, 2), rows(rng, 4, 2)
        body = given_qk(q, k)
        row = stage(body, "scores")[0, 0]
        if (row == row.max()).sum() == 1:
            break
    given = (Given("q", [q[0].tolist()]), Given("k", k.tolist()))
    choices = tuple(str(at) for at in range(4))
    worked = {"line": join_texts(map(signed, row))}
    return Exercise("which_key", str(row.argmax()), {}, 0, choices, given, body, worked)


def longer_query(rng: np.random.Generator) -> Exercise:
    q, k = rows(rng, 2, 2), rows(rng, 2, 2)
    factor = int(rng.integers(2, 5))
    before = float(stage(given_qk(q, k), "scores")[0, 0, 1])
    body = given_qk(q * factor, k)
    answer = float(stage(body, "scores")[0, 0, 1])
    values = {"score": signed(before), "factor": factor}
    worked = {"before": bracketed(before)}
    return Exercise("longer_query", answer, values, question=body, worked=worked)


def wrong_cell(rng: np.random.Generator) -> Exercise:
    q, k = rows(rng, 3, 2), rows(rng, 3, 2)
    row, column, at = (int(place) for place in rng.integers((3, 3, 2)))
    q[row, at], k[column, at] = rng.choice([-3, -2, -1, 1, 2, 3], 2)
    right = stage(given_qk(q, k), "scores")[0]
    wrong = right.copy()
    wrong[row, column] -= 2 * q[row, at] * k[column, at]
    given = tuple(
        Given(name, (map_ + 0.0).tolist()) for name, map_ in (("q", q), ("k", k), ("scores", wrong))
    )
    worked = {
        "row": row,
        "column": column,
        "line": products(q[row], k[column]),
        "right": signed(right[row, column]),
        "wrong": signed(wrong[row, column]),
    }
    cells = tuple(f"({i}, {j})" for i in range(3) for j in range(3))
    swapped = {} if row == column else {f"({column}, {row})": "practice.near.swapped"}
    return Exercise(
        "wrong_cell",
        f"({row}, {column})",
        choices=cells,
        given=given,
        worked=worked,
        question=given_qk(q, k),
        replies=swapped,
    )


CHAPTER = Chapter(
    "scores",
    needs=("three_matrices",),
    figures=(
        Figure("product", stages=("q", "k", "scores"), look={"cell": ("scores", 3, 1)},
               knobs=("head",)),
        Figure("four", FOUR, stages=("q", "k", "scores"), look={"cell": ("scores", 0, 3)},
               knobs=("head",)),
        Figure("shared", {"model": {"source": "seeded", "share": "qk"}}, stages=("scores",),
               knobs=("model.share", "head")),
        Figure("linear", linear(), stages=("scores", "weights"), look={"cell": ("scores", 2, 0)}),
    ),
    values={"measures": agreeing, "length": agreeing},
    tables={"measures": measure_rows},
    exercises=(
        one_score, which_key, longer_query,
        false_statement("scores", "key_column", "q_times_q", "nonlinear"), order_of_stages,
        true_reason("scores"), wrong_cell,
    ),
)  # fmt: skip
