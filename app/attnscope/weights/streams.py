from __future__ import annotations

import math

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

WORD = 32


def stream_of(*numbers: int) -> Generator:
    """Generator(PCG64(SeedSequence(numbers)))."""
    try:
        words = np.array(numbers, np.uint32)
    except OverflowError:  # above 32 bits
        words = np.array([word for number in numbers for word in _words(number)], np.uint32)
    return Generator(PCG64(SeedSequence(words)))


def _words(number: int) -> list[int]:
    length = max(1, math.ceil(number.bit_length() / WORD))
    return [number >> WORD * i & (1 << WORD) - 1 for i in range(length)]
