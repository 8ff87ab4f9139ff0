"""Problems and their answers, and how a solver is judged."""

from __future__ import annotations

import numpy as np
import pytest

from training.heads import previous, strongest
from training.opened import Answer
from training.solving import rows, solved
from training.tasks import TASKS, Problem
from training.vocabulary import characters, common_characters

RIGHT = {
    "reversal": lambda asked: asked[-2::-1],
    "sorting": lambda asked: "".join(sorted(asked[:-1])),
    "addition": lambda asked: f"{sum(map(int, asked[:-1].split('+'))):03}"[::-1],
}
REVERSED = Problem("ab>", "ba.", [(2, 1), (3, 0)])
TOKENIZER = characters("ab>.")


def test_answers_are_right_and_problems_held_out_are_in_no_batch(subtests: pytest.Subtests) -> None:
    for name in TASKS:
        with subtests.test(name):
            draw = np.random.default_rng(0)
            shown, kept = (TASKS[name].problems(200, held_out, draw) for held_out in (False, True))
            assert {p.asked for p in shown}.isdisjoint(p.asked for p in kept)
            for problem in shown + kept:
                assert problem.answer == RIGHT[name](problem.asked) + "."
                assert set(problem.asked + problem.answer) <= set(TASKS[name].alphabet)
                assert len(problem.asked + problem.answer) <= TASKS[name].longest


@pytest.mark.parametrize("name", ["reversal", "sorting"])
def test_a_picture_is_of_what_is_written_next_and_where_it_stands(name: str) -> None:
    for problem in TASKS[name].problems(50, True, np.random.default_rng(0)):
        text = problem.asked + problem.answer
        assert [text[query + 1] for query, _ in problem.picture] == list(problem.answer[:-1])
        assert [text[key] for _, key in problem.picture] == list(problem.answer[:-1])


def test_a_picture_of_an_addition_is_of_its_columns() -> None:
    for problem in TASKS["addition"].problems(50, True, np.random.default_rng(0)):
        columns = [
            int(problem.asked[query]) + int(problem.asked[key]) for query, key in problem.picture
        ]
        assert columns[0] * 10 + columns[1] == int(problem.answer[-2::-1])


def test_only_the_answer_is_asked_for() -> None:
    read, wanted = rows([REVERSED], TOKENIZER)
    assert read.tolist() == [[1, 2, 3, 2, 1]]
    assert wanted.tolist() == [[-1, -1, 2, 1, 4]]


def test_one_wrong_character_is_a_wrong_answer() -> None:
    says = np.array([[0, 0, 2, 1, 4], [0, 0, 2, 1, 1]])
    run = lambda ids: Answer(np.zeros((2, 2, 1, 5, 5)), np.eye(5)[says])  # noqa: E731
    assert solved(run, [REVERSED, REVERSED], TOKENIZER).share == 0.5


def test_weights_count_in_the_cells_of_the_picture() -> None:
    weights = np.zeros((2, 1, 1, 5, 5))
    weights[1, 0, 0, 2, 1] = weights[1, 0, 0, 3, 0] = 0.75
    run = lambda ids: Answer(weights, np.zeros((1, 5, 5)))  # noqa: E731
    found = solved(run, [REVERSED], TOKENIZER).picture
    assert found.tolist() == [[0.0], [0.75]]
    assert strongest(found) == [1, 0]


def test_previous_is_the_weight_one_key_back() -> None:
    weights = np.eye(4, k=-1)[None, None, None]
    assert previous(weights).tolist() == [[1.0]]


def test_characters_that_are_rare_are_spelled_in_bytes(subtests: pytest.Subtests) -> None:
    for text in ("白日依山尽，", "a modern word 电脑 \n 😀é", "<0x41>"):
        with subtests.test(text):
            tokenizer = common_characters("白日依山尽，黄河入海流。白", 256 + 5)
            encoded = tokenizer.encode(text)
            assert tokenizer.decode(encoded.ids) == text
            assert encoded.tokens[0] in {"白", "<0x61>", "<0x3C>"}
