from __future__ import annotations

import numpy as np

from attnscope.learn.arithmetic import products, shape, signed, symbol
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import rows
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Body, Exercise, Figure, Given
from attnscope.learn.why import false_statement, true_reason

# Redrawn matrix → stages that stay, repeated to be drawn more often; stages that change.
STAGES = {
    "w_q": (("k", "k", "k", "v", "v"), ("q", "scores", "weights", "head_outputs")),
    "w_k": (("q", "q", "q", "v", "v"), ("k", "scores", "weights", "head_outputs")),
    "w_v": (("q", "k", "scores", "weights"), ("v", "head_outputs", "output")),
}

# Columns of q and k: a thing, an act. Columns of v: hot, heavy, up.
POT: Body = {
    "x": np.eye(4).tolist(), "tokens": ["pot", "boils", "lift", "it"], "causal": False,
    "scale": "none",
    "model": {
        "source": "explicit",
        "w_q": [[0, 4], [4, 0], [4, 0], [4, 0]],
        "w_k": [[1, 0], [0, 1], [0, 1], [0, 0]],
        "w_v": [[0, 3, 0], [3, 0, 0], [0, 0, 3], [0, 0, 0]],
    },
}  # fmt: skip


# One word has three numbers of x and two of q.
WORD: Body = {
    "x": [[2, -1, 3]], "tokens": ["it"], "causal": False,
    "model": {
        "source": "explicit", "w_q": [[1, 0], [4, -2], [2, 1]],
        "w_k": [[0, 1], [1, 0], [1, 1]], "w_v": [[1, 1], [0, 2], [1, 0]],
    },
}  # fmt: skip
PIZZA: Body = {"text": "I love eating pizza", "model": {"source": "seeded"}}
SENTENCE: Body = {"text": "The cat sat on the mat", "model": {"source": "seeded"}}


def by_hand() -> list[list[str]]:
    (x,), w_q, (q,) = WORD["x"], np.array(WORD["model"]["w_q"]), stage(WORD, "q")[0]
    return [
        [str(column), products(x, w_q[:, column]), signed(number)]
        for column, number in enumerate(q)
    ]


def as_column() -> dict[str, str]:
    x, w_q = np.array(WORD["x"]), np.array(WORD["model"]["w_q"])
    return {
        "row": ", ".join(map(signed, (x @ w_q)[0])),
        "column": ", ".join(map(signed, (w_q.T @ x.T)[:, 0])),
        "w": shape(w_q), "t": shape(w_q.T), "x": str(x.shape[1]),
    }  # fmt: skip


def three_each(question: Body = PIZZA) -> dict[str, str]:
    layer = compute_trace(question).layers[0]
    return {name: str(layer[name].shape[2]) for name in "qkv"}


def fused_rows() -> list[list[str]]:
    trace = compute_trace(SENTENCE)
    x, w = trace.layers[0]["x"][0], trace.parameters[0].arrays()
    joined = np.concatenate([w[name] for name in STAGES], axis=1)
    parts = np.split(x @ joined, np.cumsum([w[name].shape[1] for name in STAGES])[:-1], axis=1)
    rows = [["x · (W_Q | W_K | W_V)", shape(x @ joined), "–"]]
    for name, part in zip(STAGES, parts, strict=True):
        most = float(np.abs(part - x @ w[name]).max())
        rows.append([f"x · {symbol(name)}", shape(part), f"{most:.0e}" if most else "0"])
    return rows


def one_projection(rng: np.random.Generator) -> Exercise:
    x, w = rows(rng, 1, 3), {name: rows(rng, 3, 2).tolist() for name in STAGES}
    body = {"x": x.tolist(), "model": {"source": "explicit", **w}}
    column = int(rng.integers(2))
    answer = float(stage(body, "q")[0, 0, column])
    given = (Given("x", x.tolist()), Given("w_q", w["w_q"]))
    values = {"column": column}
    worked = {"line": products(x[0], [row[column] for row in w["w_q"]])}
    return Exercise("one_projection", answer, values, given=given, question=body, worked=worked)


def what_stays(rng: np.random.Generator) -> Exercise:
    w = {name: rng.standard_normal((3, 2)).round(2).tolist() for name in STAGES}
    matrix = str(rng.choice(list(STAGES)))
    body = {"x": rows(rng, 3, 3).tolist(), "model": {"source": "explicit", **w}}
    anew = {**w, matrix: rng.standard_normal((3, 2)).tolist()}
    other = body | {"model": {"source": "explicit", **anew}}
    kept, changed = STAGES[matrix]
    names = rng.permutation([rng.choice(kept), *rng.permutation(changed)[:3]])
    moved = {name: float(np.abs(stage(body, name) - stage(other, name)).max()) for name in names}
    (same,) = (name for name, most in moved.items() if not most)
    choices = tuple(f"stage.{name}" for name in names)
    values = {"matrix": symbol(matrix)}
    worked = {"difference": f"{min(most for most in moved.values() if most):.2f}"}
    return Exercise("what_stays", f"stage.{same}", values, 0, choices, (), body, worked)


def count_numbers(rng: np.random.Generator) -> Exercise:
    d_model = int(rng.choice([4, 6, 8, 10]))
    d_k, d_v = (int(width) for width in rng.permutation(np.arange(2, 6))[:2])
    model = {"source": "seeded", "num_heads": 1, "d_model": d_model, "d_k": d_k, "d_v": d_v}
    body = {"tokens": sentence(rng, 3, 4), "model": model}
    arrays = compute_trace(body).parameters[0].arrays()
    answer = float(sum(arrays[name].size for name in STAGES))
    values = {"d_model": d_model, "d_k": d_k, "d_v": d_v}
    return Exercise("count_numbers", answer, values, question=body)


CHAPTER = Chapter(
    "three_matrices",
    needs=("words_and_back",),
    figures=(
        Figure("three", stages=("x", "q", "k", "v"), look={"cell": ("q", 3, 2)},
               knobs=("head", "model.seed")),
        Figure("word", WORD, stages=("x", "q"), look={"cell": ("q", 0, 0)},
               zh={"tokens": ["它"]}),
        Figure("shared", {"causal": False, "model": {"source": "seeded", "share": "qkv"}},
               stages=("q", "k", "v", "weights"), knobs=("model.share", "head")),
        Figure("pot", POT, stages=("q", "k", "v", "weights", "head_outputs"),
               look={"cell": ("weights", 3, 0)}, knobs=("temperature",),
               zh={"tokens": ["锅", "沸", "提", "它"]}),
    ),
    values={"column": as_column, "three_each": three_each},
    tables={"by_hand": by_hand, "fused": fused_rows},
    exercises=(
        one_projection, what_stays, count_numbers,
        false_statement("three_matrices", "three_each", "row_column"),
        true_reason("three_matrices"),
    ),
)  # fmt: skip
