"""Batches: half of each repeats itself, and the rest is text, some of it with echoes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from training import batches
from training.recipes import ECHO
from training.solving import NOT_ASKED

TEXT = np.arange(5_000)


def draw() -> np.random.Generator:
    return np.random.default_rng(1)


def test_a_batch_is_drawn_by_its_seed_alone() -> None:
    (ids, targets), (again, _) = (batches.mixed(TEXT, ECHO, draw()) for _ in range(2))
    assert ids.shape == targets.shape == (ECHO.rows, ECHO.context)
    assert np.array_equal(ids, again)


def test_of_a_random_segment_the_second_copy_alone_is_predicted() -> None:
    ids, targets = batches.mixed(TEXT, ECHO, draw())
    for row in range(ECHO.rows // 2):
        asked = targets[row] != NOT_ASKED
        first = int(asked.argmax())
        assert asked[first:].all()
        assert batches.SEGMENT[0] <= first + 1 < batches.SEGMENT[1]
        assert np.array_equal(targets[row, first:-1], ids[row, first + 1 :])
        assert np.array_equal(targets[row, first:], np.resize(ids[row, : first + 1], 128 - first))
    assert (targets[ECHO.rows // 2 :] != NOT_ASKED).all()
    assert (batches.mixed(TEXT, replace(ECHO, asks_first=True), draw())[1] != NOT_ASKED).all()


def test_a_random_row_repeats_one_segment() -> None:
    row, length = batches.repeated(10**9, 129, draw())  # so many ids that none is drawn twice
    assert length == len(set(row))
    assert batches.SEGMENT[0] <= length < batches.SEGMENT[1]
    assert np.array_equal(row[length:], row[:-length])


def test_a_passage_is_text_as_it_stands() -> None:
    row = batches.passage(TEXT, 129, draw())
    assert np.array_equal(np.diff(row), np.ones(128))


def test_an_echo_says_again_what_was_said_and_the_text_goes_on() -> None:
    row = batches.echoed(TEXT, 129, ECHO, draw())
    new = [i for i in range(129) if row[i] not in row[:i]]
    assert np.array_equal(np.diff(row[new]), np.ones(len(new) - 1))
    assert 129 // 10 < 129 - len(new) < 129 // 2
