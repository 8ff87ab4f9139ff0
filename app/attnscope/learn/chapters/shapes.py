from __future__ import annotations

import math

import numpy as np

from attnscope.learn.arithmetic import decimal, shape
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import order_of_stages, true_reason

BATCH: Body = {
    "text": [
        "小沈阳江西演唱会邀请了，",
        "明星刀郎的歌火遍大江南北",
        "2002年的第一场雪比2001年来得更",
        "LLM张老师的粉丝全是正能量",
    ],
    "context_length": 16,
    "model": {"source": "seeded", "d_model": 512, "num_heads": 4},
}
SHAPED = ("x", "q", "v", "weights", "concat")


def seeded(rng: np.random.Generator, n: int, num_heads: int, d_k: int) -> Body:
    tokens = [sentence(rng, n, n) for _ in range(2)]
    model = {"source": "seeded", "num_heads": num_heads, "d_model": num_heads * d_k}
    return {"tokens": tokens, "model": model}


def head_width(rng: np.random.Generator) -> Exercise:
    body = seeded(rng, 3, int(rng.choice([2, 3, 4, 6, 8])), int(rng.choice([4, 8, 16, 32])))
    answer = float(stage(body, "q").shape[-1])
    model = body["model"]
    values = {"d_model": model["d_model"], "num_heads": model["num_heads"]}
    return Exercise("head_width", answer, values, question=body)


def which_stage(rng: np.random.Generator) -> Exercise:
    n, num_heads = int(rng.integers(3, 6)), int(rng.integers(2, 5))
    body = seeded(rng, n, num_heads, d_k=8)
    body = {**body, "model": {**body["model"], "d_k": 8, "d_v": 6}}
    stages = compute_trace(body).layers[0]
    answer = str(rng.choice(SHAPED))
    values = {
        "n": n, "num_heads": num_heads, "d_model": 8 * num_heads, "d_k": 8, "d_v": 6,
        "shape": shape(stages[answer]),
    }  # fmt: skip
    choices = tuple(f"stage.{name}" for name in SHAPED)
    worked = {"wide": 6 * num_heads}
    return Exercise("which_stage", f"stage.{answer}", values, 0, choices, (), body, worked)


def score_count(rng: np.random.Generator) -> Exercise:
    n, num_heads = int(rng.integers(3, 9)), int(rng.integers(2, 5))
    body = seeded(rng, n, num_heads, d_k=8)
    answer = float(compute_trace(body).layers[0]["scores"].size)
    slips = {"one_head": float(n * n)}
    return Exercise(
        "score_count", answer, {"n": n, "num_heads": num_heads}, question=body, slips=slips
    )


def closed_by_padding(rng: np.random.Generator) -> Exercise:
    n, length = int(rng.integers(2, 6)), int(rng.integers(6, 9))
    body = {"tokens": sentence(rng, n, n), "context_length": length, "causal": False}
    answer = float(np.isneginf(stage(body, "masked_scores")[0]).sum())
    return Exercise("closed_by_padding", answer, {"n": n, "length": length}, question=body)


def head_shapes() -> dict[str, str]:
    four = compute_trace(BATCH).layers[0]
    one = compute_trace({**BATCH, "model": {**BATCH["model"], "num_heads": 1}}).layers[0]
    widths = {"head_root": four["q"].shape[-1], "root": one["q"].shape[-1]}
    return {
        "q": shape(four["q"]), "scores": shape(four["scores"]), "one_q": shape(one["q"]),
        "one_scores": shape(one["scores"]),
        **{name: decimal(math.sqrt(width), 1) for name, width in widths.items()},
    }  # fmt: skip


CHAPTER = Chapter(
    "shapes",
    needs=("three_matrices",),
    figures=(
        Figure("batch", BATCH, stages=("x",), knobs=("batch",)),
        Figure("maps", BATCH, stages=("q", "weights", "head_outputs"),
               knobs=("batch", "head", "model.num_heads")),
        Figure("own", stages=("x", "q", "scores"), knobs=("model.d_model", "model.num_heads")),
    ),
    values={"mixed": head_shapes},
    exercises=(
        head_width, which_stage, score_count, closed_by_padding, order_of_stages,
        true_reason("shapes"),
    ),
)  # fmt: skip
