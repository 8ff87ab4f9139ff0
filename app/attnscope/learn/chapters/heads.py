from __future__ import annotations

import numpy as np

from attnscope.learn.arithmetic import products, signed, total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import given_qk, rows
from attnscope.learn.echo import IN_CHINESE, TEXT, echo_question
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Body, Exercise, Figure, Given
from attnscope.learn.why import false_statement, order_of_stages, true_reason

ONE = np.eye(4).tolist()
OUTING: Body = {
    "x": [[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]], "tokens": ["A", "B", "C"], "causal": False,
    "model": {"source": "explicit", "num_heads": 2, "w_q": ONE, "w_k": ONE, "w_v": ONE},
}  # fmt: skip


def given_heads(q: np.ndarray, k: np.ndarray, num_heads: int) -> Body:
    """A question with these rows of q and k, heads side by side."""
    return given_qk(q, k, np.zeros((len(q), num_heads)), num_heads=num_heads)


def score_of_a_head(rng: np.random.Generator) -> Exercise:
    q, k, head = rows(rng, 2, 4), rows(rng, 2, 4), int(rng.integers(2))
    body = given_heads(q, k, 2)
    answer = float(stage(body, "scores")[head, 0, 1])
    given = (Given("q", [q[0].tolist()]), Given("k", [k[1].tolist()]))
    own = slice(2 * head, 2 * head + 2)
    worked = {"line": products(q[0, own], k[1, own])}
    values = {"head": head}
    slips = {"all_columns": float(q[0] @ k[1])}
    return Exercise(
        "score_of_a_head", answer, values, given=given, question=body, worked=worked, slips=slips
    )


def score_of_all(rng: np.random.Generator) -> Exercise:
    q, k = rows(rng, 2, 6), rows(rng, 2, 6)
    parts = stage(given_heads(q, k, 3), "scores")[:, 0, 1]
    body = given_heads(q, k, 1)
    answer = float(stage(body, "scores")[0, 0, 1])
    values = {name: signed(part) for name, part in zip("abc", parts, strict=True)}
    return Exercise("score_of_all", answer, values, question=body, worked={"line": total(parts)})


def first_column(rng: np.random.Generator) -> Exercise:
    num_heads, d_v = int(rng.integers(3, 9)), int(rng.integers(2, 9))
    head = int(rng.integers(1, num_heads))
    model = {"source": "seeded", "num_heads": num_heads, "d_model": num_heads * d_v}
    body = {"tokens": sentence(rng, 3, 3), "model": model}
    begins = stage(body, "head_outputs")[head, :, 0]
    same = (stage(body, "concat") == begins[:, None]).all(axis=0)
    values = {"num_heads": num_heads, "d_v": d_v, "head": head}
    return Exercise("first_column", float(same.argmax()), values, question=body)


def written_by_head(rng: np.random.Generator) -> Exercise:
    concat, w_o = rows(rng, 1, 4), rows(rng, 4, 2)
    head, column = int(rng.integers(2)), int(rng.integers(2))
    model = {"source": "explicit", "num_heads": 2, "w_q": ONE, "w_k": ONE, "w_v": ONE}
    body = {"x": concat.tolist(), "causal": False, "model": {**model, "w_o": w_o.tolist()}}
    answer = float(stage({**body, "drop": [[0, 1 - head]]}, "output")[0, column])
    own = slice(2 * head, 2 * head + 2)
    values, worked = (
        {"head": head, "column": column}, {"line": products(concat[0, own], w_o[own, column])}
    )  # fmt: skip
    given = (Given("concat", concat.tolist()), Given("w_o", w_o.tolist()))
    return Exercise("written_by_head", answer, values, 0, (), given, body, worked)


CHAPTER = Chapter(
    "heads",
    needs=("weighted_sum",),
    figures=(
        Figure("grid", stages=("weights",), knobs=("head", "model.num_heads")),
        Figure("joined", stages=("head_outputs", "concat", "output"),
               knobs=("head", "model.num_heads", "model.output_projection")),
        Figure("habits", {"model": {"source": "crafted", "name": "all"}}, view="heads"),
        Figure("trained", echo_question(TEXT), view="heads", zh={**IN_CHINESE, "look": {}}),
        Figure("outing", OUTING, stages=("q", "weights", "head_outputs", "concat"),
               look={"cell": ("weights", 0, 0)}, knobs=("head", "scale")),
    ),
    exercises=(
        score_of_a_head, score_of_all, first_column, written_by_head,
        false_statement("heads", "two_heads", "usual_width", "own_columns"), order_of_stages,
        true_reason("heads"),
    ),
)  # fmt: skip
