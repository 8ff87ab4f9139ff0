from __future__ import annotations

import numpy as np

from attnscope.learn import arithmetic
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import first_row, given_scores, rows
from attnscope.learn.chapters.words_and_back_values import TWO, matrix_of_two, powers, products
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Exercise, Figure, Given
from attnscope.learn.why import true_reason


def two_by_two(rng: np.random.Generator) -> Exercise:
    x, w = rows(rng, 2, 2), rows(rng, 2, 2)
    i, j = (int(at) for at in rng.integers(2, size=2))
    model = {"source": "explicit", "w_q": w.tolist(), "w_k": w.tolist(), "w_v": w.tolist()}
    body = {"x": x.tolist(), "causal": False, "model": model}
    answer = float(stage(body, "q")[0, i, j])
    given = (Given("x", x.tolist()), Given("w_q", w.tolist()))
    values, worked = {"i": i, "j": j}, {"line": arithmetic.products(x[i], w[:, j])}
    return Exercise("two_by_two", answer, values, given=given, question=body, worked=worked)


def share_of_powers(rng: np.random.Generator) -> Exercise:
    each = rng.permutation(np.arange(1, 9))[:3].astype(float)
    words = sentence(rng, 3, 3)
    body = given_scores(first_row(np.log(each).tolist()))
    answer = float(stage(body, "weights")[0, 0, 1])
    values = dict(zip("abc", words, strict=True))
    values |= {name: f"{power:g}" for name, power in zip("pqr", each, strict=True)}
    return Exercise("share_of_powers", answer, values, 2, question=body, share=True)


CHAPTER = Chapter(
    "two_products",
    needs=("asking",),
    figures=(Figure("two", TWO, stages=("x", "q", "k", "scores"), look={"cell": ("q", 0, 1)}),),
    values={"product": matrix_of_two},
    tables={"product": products, "powers": powers},
    exercises=(two_by_two, share_of_powers, true_reason("two_products")),
)
