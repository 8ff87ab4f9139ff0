"""Questions and computed figures of the published examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnscope.learn.arithmetic import listed
from attnscope.learn.parts import Body
from attnscope.trace.examples import example, questions


def example_question(name: str) -> Body:
    return questions()[name]


def computed_row(name: str, at: int = 0, decimals: int = 2) -> str:
    numbers: Any = np.array(example(name).figures[at].computed, dtype=float)
    return listed(numbers.ravel(), decimals)
