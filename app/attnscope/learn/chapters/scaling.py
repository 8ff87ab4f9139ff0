from __future__ import annotations

import math

import numpy as np

from attnscope.attention.ops import softmax
from attnscope.learn.arithmetic import bracketed, signed
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.scores import first_row, given_qk, given_scores, rows
from attnscope.learn.exercises import compute_trace, join_texts, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import false_statement, order_of_stages, true_reason

TEXT = "The animal didn't cross the street because it was too tired."
FACTORS = (1, 2, 4)


def norm_rows() -> list[list[str]]:
    x = compute_trace({"text": TEXT}).layers[0]["x"][0]
    table = []
    for factor in FACTORS:
        found = [str(factor)]
        for block in ("attention", "pre_norm"):
            model = {"source": "seeded", "block": block}
            layer = compute_trace(
                {"x": (factor * x).tolist(), "causal": False, "model": model}
            ).layers[0]
            largest = layer["weights"].max(axis=-1)
            found += [f"{layer['scaled_scores'].std():.2f}", f"{largest.mean():.2f}"]
        table.append(found)
    return table


def wide(d_k: int, scale: str) -> Body:
    """Numbers of q and k are equally large at any d_k; only scores grow."""
    model = {"source": "seeded", "num_heads": 1, "d_k": d_k, "init": "kaiming_normal"}
    return {"causal": False, "scale": scale, "model": model}


def scaled_score(rng: np.random.Generator) -> Exercise:
    d_k = int(rng.choice([4, 9, 16, 25]))
    body = given_qk(rows(rng, 2, d_k), rows(rng, 2, d_k))
    score = float(stage(body, "scores")[0, 0, 1])
    answer = float(stage(body, "scaled_scores")[0, 0, 1])
    values, worked = {"score": signed(score), "d_k": d_k}, {"root": math.isqrt(d_k)}
    slips = {"unscaled": score, "without_root": score / d_k}
    return Exercise("scaled_score", answer, values, 2, question=body, worked=worked, slips=slips)


def spread(rng: np.random.Generator) -> Exercise:
    d_k = int(rng.integers(3, 13)) ** 2
    body = {**wide(d_k, "sqrt_d_k"), "text": "a b"}
    answer = 1 / compute_trace(body).plan.options.scale
    return Exercise("spread", answer, {"d_k": d_k}, question=body)


def how_many_times(rng: np.random.Generator) -> Exercise:
    root = int(rng.integers(2, 6))
    second = int(rng.integers(-4, 5))
    first = second + int(rng.integers(1, 2 * root + 1)) * int(rng.choice([-1, 1]))
    q, k = np.zeros((2, root**2)), np.zeros((2, root**2))
    q[:, 0], k[:, 0] = 1, (first, second)
    body = given_qk(q, k)
    weights = stage(body, "weights")[0, 0]
    values = {"first": signed(first), "second": signed(second), "d_k": root**2}
    answer = float(weights[0] / weights[1])
    worked = {"taken": bracketed(second), "root": root}
    return Exercise("how_many_times", answer, values, decimals=2, question=body, worked=worked)


def tempered_row(rng: np.random.Generator) -> Exercise:
    temperature = float(rng.choice([0.5, 2]))
    scales = (temperature, 1.0, 1 / temperature)
    shares: list[np.ndarray] = []
    while len({str(each) for each in shares if each.sum() == 100 and each.min() > 0}) < 3:
        row = rng.permutation(np.arange(-4, 7) / 2)[:3]
        shares = [(100 * softmax(row / scale)).round().astype(int) for scale in scales]
    body = {**given_scores(first_row(row.tolist())), "temperature": temperature}
    shares[0] = (100 * stage(body, "weights")[0, 0]).round().astype(int)
    divided = (shares[1] / temperature).round().astype(int)
    answer, *wrong = (" · ".join(f"{part} %" for part in each) for each in (*shares, divided))
    reply = "exercise.tempered_row.reply"
    named = ("untouched", "multiplied", "divided")
    replies = {choice: f"{reply}.{name}" for choice, name in zip(wrong, named, strict=True)}
    choices = tuple(str(each) for each in rng.permutation([answer, *wrong]))
    values = {
        **dict(zip("abc", map(signed, row.tolist()), strict=True)),
        "temperature": f"{temperature:g}",
    }
    line = join_texts(signed(float(score / temperature)) for score in row)
    return Exercise(
        "tempered_row", answer, values, choices=choices, question=body,
        worked={"line": line}, replies=replies,
    )  # fmt: skip


CHAPTER = Chapter(
    "scaling",
    needs=("scores",),
    figures=(
        Figure("growth", wide(64, "sqrt_d_k"), stages=("scores", "scaled_scores"),
               knobs=("model.d_k",)),
        Figure("saturation", wide(256, "none"), stages=("scaled_scores", "weights"),
               knobs=("scale", "model.d_k", "temperature")),
        Figure("laboratory", wide(64, "sqrt_d_k"), view="lab", look={"width": 1024},
               knobs=("scale", "model.d_k")),
    ),
    tables={"norm": norm_rows},
    exercises=(
        scaled_score, spread, how_many_times, tempered_row,
        false_statement("scaling", "smooth", "divided", "any_length", "norm"), order_of_stages,
        true_reason("scaling"),
    ),
)  # fmt: skip
