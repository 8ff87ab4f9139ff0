"""Streams of random numbers, each named by whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

WORD = 32  # bits


def stream_of(*numbers: int) -> Generator:
    """Generator(PCG64(SeedSequence(numbers))), for numbers from 0 on.

    SeedSequence cuts each number into words of 32 bits, the lowest first, and makes an array of
    each: of the ten behind an embedding, that takes longer than drawing it. Here it is given the
    words of all in one array, which it takes as they are.
    """
    words: list[int] = []
    for number in numbers:
        words.append(number & (1 << WORD) - 1)
        while number := number >> WORD:
            words.append(number & (1 << WORD) - 1)
    return Generator(PCG64(SeedSequence(np.array(words, np.uint32))))
