"""Initialisation: trainings from small and large matrices."""

from __future__ import annotations

from attnscope.learn.chapters.initialisation import FACTORS, starts, trained


def test_small_matrices_learn_slowly_and_large_ones_too() -> None:
    largest = [float(row[1]) for row in starts()]
    assert largest == sorted(largest)
    assert largest[0] < 0.2
    assert largest[-1] > 0.9
    loss = {factor: float(row[4].split()[0]) for factor, row in zip(FACTORS, starts(), strict=True)}
    assert max(loss[1], loss[4]) < min(loss[0.1], loss[16]) / 10


def test_with_zeros_neither_matrix_has_a_gradient() -> None:
    steps = trained(0, steps=1)
    assert [step.gradients[w] for step in steps for w in ("w_q", "w_k")] == [0, 0, 0, 0]
