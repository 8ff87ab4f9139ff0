from __future__ import annotations

import numpy as np

from attnscope.learn import arithmetic
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.positions import named
from attnscope.learn.chapters.scores import rows
from attnscope.learn.chapters.words_and_back_values import nearest_rows, row_of_echo, x_rows
from attnscope.learn.echo import ECHO_ZH, TEXT, TEXT_ZH, by_language, echo_question
from attnscope.learn.exercises import join_texts, stage
from attnscope.learn.parts import Body, Exercise, Figure, Given
from attnscope.learn.why import true_reason

# Each position is a quarter turn from the one before.
PLACES = np.array([[0.0, 1], [1, 0], [0, -1], [-1, 0]])


def looked_up(words: list[int], table: np.ndarray) -> Body:
    """x is one-hot in word and place; w_q stacks the table and PLACES."""
    one = np.eye(len(table))[words]
    here = np.eye(len(PLACES))[: len(words)]
    w_q = np.concatenate([table, PLACES]).tolist()
    model = {"source": "explicit", "w_q": w_q, "w_k": w_q, "w_v": w_q}
    return {"x": np.concatenate([one, here], axis=1).tolist(), "causal": False, "model": model}


def row_of_x(rng: np.random.Generator) -> Exercise:
    table, words = rows(rng, 3, 2), [int(at) for at in rng.integers(3, size=4)]
    place, column = int(rng.integers(1, 4)), int(rng.integers(2))
    body = looked_up(words, table)
    answer = float(stage(body, "q")[0, place, column])
    values = {"ids": join_texts(map(str, words)), "place": place, "column": column}
    given = (Given("embedding", table.tolist()), Given("position", PLACES.tolist()))
    worked = {"line": arithmetic.total((table[words[place], column], PLACES[place, column]))}
    return Exercise("row_of_x", answer, values, given=given, question=body, worked=worked)


def different_rows(rng: np.random.Generator) -> Exercise:
    words = sentence(rng, 3, 6)
    tokens = [str(word) for word in rng.permutation([*words, *words[: int(rng.integers(1, 4))]])]
    positions = str(rng.choice(["none", "sinusoidal"]))
    body = {"tokens": tokens, "model": {"source": "seeded", "positions": positions}}
    answer = float(len(np.unique(stage(body, "x").round(9), axis=0)))
    values = {"sentence": " ".join(tokens), "positions": named(positions)}
    return Exercise("different_rows", answer, values, question=body)


CHAPTER = Chapter(
    "words_and_back",
    needs=("two_products",),
    figures=(
        Figure("echo", echo_question(TEXT), stages=("x",), zh={"text": TEXT_ZH, "model": ECHO_ZH}),
        Figure("seeded", stages=("x",), knobs=("model.positions", "model.seed")),
    ),
    values={"table": by_language(row_of_echo), "no_position": by_language(row_of_echo)},
    tables={"rows": by_language(x_rows), "near": by_language(nearest_rows)},
    exercises=(different_rows, row_of_x, true_reason("words_and_back")),
)
