"""From words to x and back: two products, a table, and the next word."""

from __future__ import annotations

import numpy as np

from attnscope.learn import arithmetic
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import first_row, given_qk, given_scores, rows, signed
from attnscope.learn.chapters.words_and_back_values import (
    SAID,
    TWO,
    likeliest_rows,
    matrix_of_two,
    nearest_rows,
    place_of_echo,
    powers,
    products,
    row_of_echo,
    untrained,
    untrained_rows,
    x_rows,
)
from attnscope.learn.echo import TEXT, asked
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Body, Chapter, Exercise, Figure, Formula, Given, Measured, Prose

PLACES = np.array([[0.0, 1], [1, 0], [0, -1], [-1, 0]])  # a quarter turn from position to position


def two_by_two(rng: np.random.Generator) -> Exercise:
    """One number of a product of two 2 × 2 matrices."""
    x, w = rows(rng, 2, 2), rows(rng, 2, 2)
    i, j = (int(at) for at in rng.integers(2, size=2))
    model = {"source": "explicit", "w_q": w.tolist(), "w_k": w.tolist(), "w_v": w.tolist()}
    body = {"x": x.tolist(), "causal": False, "model": model}
    answer = float(stage(body, "q")[0, i, j])
    given = (Given("x", x.tolist()), Given("w_q", w.tolist()))
    values, worked = {"i": i, "j": j}, {"line": arithmetic.products(x[i], w[:, j])}
    return Exercise("two_by_two", answer, values, given=given, question=body, worked=worked)


def looked_up(words: list[int], table: np.ndarray) -> Body:
    """A question whose q is a row of the table plus a row of PLACES for each word: x is one-hot in
    both, and w_q stacks the two tables."""
    one = np.eye(len(table))[words]
    here = np.eye(len(PLACES))[: len(words)]
    w_q = np.concatenate([table, PLACES]).tolist()
    model = {"source": "explicit", "w_q": w_q, "w_k": w_q, "w_v": w_q}
    return {"x": np.concatenate([one, here], axis=1).tolist(), "causal": False, "model": model}


def row_of_x(rng: np.random.Generator) -> Exercise:
    """A number of x: the word's row of the table plus the row of its position."""
    table, words = rows(rng, 3, 2), [int(at) for at in rng.integers(3, size=4)]
    place, column = int(rng.integers(1, 4)), int(rng.integers(2))
    body = looked_up(words, table)
    answer = float(stage(body, "q")[0, place, column])
    values = {"ids": ", ".join(map(str, words)), "place": place, "column": column}
    given = (Given("embedding", table.tolist()), Given("position", PLACES.tolist()))
    worked = {"line": arithmetic.total((table[words[place], column], PLACES[place, column]))}
    return Exercise("row_of_x", answer, values, given=given, question=body, worked=worked)


def likeliest_word(rng: np.random.Generator) -> Exercise:
    """The word whose row has the largest dot product with the output."""
    words = sentence(rng, 3, 3)
    while True:  # until the maximum is unique
        output, table = rows(rng, 1, 2), rows(rng, 3, 2)
        body = given_qk(np.repeat(output, 3, axis=0), table)
        logits = stage(body, "scores")[0, 0]
        if (logits == logits.max()).sum() == 1:
            break
    given = (Given("output", output.tolist()), Given("unembedding", table.tolist()))
    values = dict(zip("abc", words, strict=True))
    answer = words[int(logits.argmax())]
    worked = {"line": ", ".join(map(signed, logits))}
    return Exercise("likeliest_word", answer, values, 0, tuple(words), given, body, worked)


def share_of_powers(rng: np.random.Generator) -> Exercise:
    """A probability from powers of e."""
    each = rng.permutation(np.arange(1, 9))[:3].astype(float)
    words = sentence(rng, 3, 3)
    body = given_scores(first_row(np.log(each).tolist()))
    answer = float(stage(body, "weights")[0, 0, 1])
    values = dict(zip("abc", words, strict=True))
    values |= {name: f"{power:g}" for name, power in zip("pqr", each, strict=True)}
    return Exercise("share_of_powers", answer, values, 2, question=body, share=True)


CHAPTER = Chapter(
    "words_and_back",
    (
        Prose("opening"),
        Formula(r"a \cdot b = \sum_{c=1}^{d} a_c \, b_c = a_1 b_1 + a_2 b_2 + \cdots + a_d b_d"),
        Prose("dot"),
        Figure("two", TWO, stages=("x", "q", "k", "scores"), look={"cell": ("q", 0, 1)}),
        Prose("product", matrix_of_two),
        Measured("product", ("cell", "sum", "number"), products),
        Prose("transpose"),
        Prose("e"),
        Measured("powers", ("number", "power", "share"), powers),
        Prose("table", row_of_echo),
        Formula(r"x_i = E_{t_i} + P_i"),
        Measured("rows", ("piece", "id", "first", "second", "third"), x_rows),
        Figure("echo", asked(TEXT), stages=("x",)),
        Prose("no_position", row_of_echo),
        Prose("near"),
        Measured("near", ("piece", "first", "second", "third"), nearest_rows),
        Figure("seeded", stages=("x",), knobs=("model.positions", "model.seed")),
        Prose("seeded"),
        Figure("out", asked(TEXT), stages=("block_output",),
               look={"layer": 1, "cell": ("block_output", SAID, 0)}),
        Prose("back", place_of_echo),
        Formula(r"z = \operatorname{LN}(y) \, W_U, \qquad"
                r" p_t = \frac{e^{z_t}}{\sum_{s} e^{z_s}}"),
        Measured("likeliest", ("piece", "logit", "power", "probability"), likeliest_rows),
        Prose("said", place_of_echo),
        Prose("untrained", untrained),
        Measured("untrained", ("word", "logit", "probability", "logit_alone", "alone"),
                 untrained_rows),
        Prose("repeats", untrained),
    ),
    (two_by_two, row_of_x, likeliest_word, share_of_powers),
)  # fmt: skip
