"""Streams of random numbers, each named by whole numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

WORD = 32  # bits


def stream_of(*numbers: int) -> Generator:
    """Generator(PCG64(SeedSequence(numbers))), for numbers from 0 on.

    SeedSequence cuts each number into words of 32 bits, the lowest first, and makes an array of
    each: of the ten behind an embedding, that takes longer than drawing it. Here it is given the
    words of all in one array, which it takes as they are.
    """
    try:
        words = np.array(numbers, np.uint32)
    except OverflowError:  # some number is longer than a word
        words = np.array([word for number in numbers for word in _words(number)], np.uint32)
    return Generator(PCG64(SeedSequence(words)))


def _words(number: int) -> list[int]:
    length = max(1, math.ceil(number.bit_length() / WORD))
    return [number >> WORD * i & (1 << WORD) - 1 for i in range(length)]
