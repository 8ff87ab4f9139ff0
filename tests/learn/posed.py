"""Exercises, cached for all tests."""

from __future__ import annotations

from functools import cache

import pytest

from attnscope.learn import BY_NAME
from attnscope.learn.exercises import exercises
from attnscope.learn.parts import Exercise

SEEDS = [
    pytest.param(range(3), id="3 seeds"),
    pytest.param(range(40), marks=pytest.mark.full, id="40 seeds"),
]


@cache
def posed(name: str, seed: int, language: str = "en") -> tuple[Exercise, ...]:
    return exercises(BY_NAME[name], seed, language)


def all_posed(name: str, seeds: range, language: str = "en") -> list[Exercise]:
    return [exercise for seed in seeds for exercise in posed(name, seed, language)]
