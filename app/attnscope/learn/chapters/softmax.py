from __future__ import annotations

import math

import numpy as np

from attnscope.learn.arithmetic import signed
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.scores import first_row, given_scores
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import false_statement, true_reason, wrong_row

TOKENS = {"tokens": ["a", "b", "c"]}
SHIFTED = np.array([[1.0, 2, 3], [101, 102, 103], [-7, -6, -5]])
TWO = np.array([0.61173, 0.38827])  # published weights of a word and the one before it
STRETCHED = np.array([[-0.5, 0, 0.5], [-1, 0, 1], [-4, 0, 4]])


def score_difference() -> dict[str, str]:
    """The difference of two scores whose weights are TWO."""
    difference = math.log(TWO[0] / TWO[1])
    return {"a": f"{TWO[0]:g}", "b": f"{TWO[1]:g}", "ratio": f"{TWO[0] / TWO[1]:.4f}",
            "difference": f"{difference:.4f}"}  # fmt: skip


def back() -> Body:
    """A question with the weights TWO in row 1, as row 0 has only one open key."""
    rows = np.array([[0, 0], [math.log(TWO[0] / TWO[1]), 0]])
    return {**given_scores(rows), "tokens": ["小", "沈"], "causal": True}


def by_hand() -> list[list[str]]:
    scores = [1.0, 0.0, -1.0]
    powers, shares = np.exp(scores), stage(given_scores(first_row(scores)), "weights")[0, 0]
    rows = [
        [signed(score), f"{power:.3f}", f"{share:.3f}"]
        for score, power, share in zip(scores, powers, shares, strict=True)
    ]
    return [*rows, ["Σ", f"{powers.sum():.3f}", f"{shares.sum():.3f}"]]


def score_values(row: list[float]) -> dict[str, str]:
    return dict(zip("abc", map(signed, row), strict=True))


def three(rng: np.random.Generator) -> list[float]:
    return [float(score) for score in rng.permutation(np.arange(-2, 4))[:3]]


def one_weight(rng: np.random.Generator) -> Exercise:
    row, at = three(rng), int(rng.integers(3))
    body = given_scores(first_row(row))
    answer = float(stage(body, "weights")[0, 0, at])
    values = {**score_values(row), "score": signed(row[at])}
    worked = {"top": f"{math.exp(row[at]):.3f}", "sum": f"{np.exp(row).sum():.3f}"}
    slips = {"not_divided": math.exp(row[at])}
    return Exercise(
        "one_weight", answer, values, 2, question=body, worked=worked, share=True, slips=slips
    )


def all_higher(rng: np.random.Generator) -> Exercise:
    row, more = three(rng), int(rng.integers(2, 30))
    before = stage(given_scores(first_row(row)), "weights")[0, 0].round(2)
    body = given_scores(first_row([score + more for score in row]))
    answer = float(stage(body, "weights")[0, 0, 1])
    values = {name: f"{weight:.2f}" for name, weight in zip("abc", before, strict=True)}
    return Exercise("all_higher", answer, {**values, "more": more}, 2, question=body, share=True)


def how_much_higher(rng: np.random.Generator) -> Exercise:
    times = int(rng.integers(2, 10))
    body = given_scores(first_row([math.log(times), 0.0]))
    scores = stage(body, "scaled_scores")[0, 0]
    answer = float(scores[0] - scores[1])
    return Exercise("how_much_higher", answer, {"times": times}, decimals=2, question=body)


def possible_row(rng: np.random.Generator) -> Exercise:
    """Each choice shares its numbers with one other choice and its order with another."""
    while True:  # until rounded shares add up to 1 and all differ
        row = [float(score) for score in rng.permutation(np.arange(-4, 7) / 2)[:3]]
        body = given_scores(first_row(row))
        bodies = (body, {**body, "temperature": float(rng.choice([0.5, 2]))})
        shares = [(100 * stage(each, "weights")[0, 0]).round().astype(int) for each in bodies]
        if all(sum(each) == 100 and len({*each}) == 3 and min(each) >= 3 for each in shares):
            break
    order = np.argsort(row)
    swapped = [each.copy() for each in shares]
    for each, share in zip(swapped, shares, strict=True):
        each[order[1:]] = share[order[:0:-1]]
    answer, *wrong = (" · ".join(f"{part} %" for part in each) for each in (*shares, *swapped))
    choices = tuple(str(each) for each in rng.permutation([answer, *wrong]))
    exponentials = np.exp(row)
    worked = {
        "line": " : ".join(f"{each:.3f}" for each in exponentials),
        "sum": f"{exponentials.sum():.3f}",
    }
    return Exercise("possible_row", answer, score_values(row), 0, choices, (), body, worked)


CHAPTER = Chapter(
    "softmax",
    needs=("scores",),
    figures=(
        Figure("row", stages=("masked_scores", "weights"), look={"cell": ("weights", 4, 1)},
               knobs=("temperature", "head")),
        Figure("back", back(), stages=("masked_scores", "weights"),
               look={"cell": ("weights", 1, 0)}),
        Figure("shift", {**given_scores(SHIFTED), **TOKENS}, stages=("scaled_scores", "weights")),
        Figure("overflow", {**given_scores(SHIFTED), **TOKENS}, view="lab",
               look={"lab": "precision", "rounding": "float32", "cell": ("weights", 1, 0)}),
        Figure("stretch", {**given_scores(STRETCHED), **TOKENS},
               stages=("scaled_scores", "weights"), knobs=("temperature",)),
    ),
    values={"back": score_difference},
    tables={"by_hand": by_hand},
    exercises=(
        one_weight, all_higher, how_much_higher, possible_row,
        false_statement("softmax", "amplifies", "pizza"), wrong_row, true_reason("softmax"),
    ),
)  # fmt: skip
