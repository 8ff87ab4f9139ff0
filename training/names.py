"""Names that occur in no text, and whether a model repeats them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from attnscope.attention.ops import softmax
from training.opened import Run

SEED = 6
FIRST_NAMES = ("Ingrid", "Kevin", "Astrid", "Nina", "Priya", "Brian")
ONSETS, VOWELS = "BDFGHKLMNPRSTVWZ", "aeiou"
CODAS = ("ld", "rn", "ck", "ns", "rt", "mb", "st", "lm", "x", "zz")
ENDINGS = ("en", "ow", "ick", "ard", "ov", "ish")
FAMILIES, GIVEN = "赵钱孙周吴郑", "晴柏芸岚蓉瑶筠菱荷桐"


class Person(NamedTuple):
    """The prompt ends within a name."""

    prompt: str
    right: str
    unheard: list[str]


class Completion(NamedTuple):
    """`chance`: probability of the right token."""

    prompt: str
    right: str
    said: str
    chance: float


def people(language: str) -> list[Person]:
    draw = np.random.default_rng(SEED)
    return english(draw) if language == "en" else chinese(draw)


def english(draw: np.random.Generator) -> list[Person]:
    parts = (list(ONSETS), list(VOWELS), CODAS, ENDINGS)
    surnames = ["".join(str(draw.choice(part)) for part in parts) for _ in FIRST_NAMES]
    return [
        Person(f"{first} {surname} met Ron Weasley. {first}", f" {surname}", [first, surname])
        for first, surname in zip(FIRST_NAMES, surnames, strict=True)
    ]


def chinese(draw: np.random.Generator) -> list[Person]:
    """The first two characters are never adjacent in the texts."""
    given = ["".join(draw.choice(list(GIVEN), 2, replace=False)) for _ in FAMILIES]
    return [
        Person(f"{family}{name}与王维登高。{family}", name, [family + name[0]])
        for family, name in zip(FAMILIES, given, strict=True)
    ]


def completions(tokenizer: Tokenizer, run: Run, language: str) -> list[Completion]:
    return [completion(tokenizer, run, *person[:2]) for person in people(language)]


def completion(tokenizer: Tokenizer, run: Run, prompt: str, right: str) -> Completion:
    ids = tokenizer.encode(prompt, add_special_tokens=False).ids
    target = tokenizer.encode(right, add_special_tokens=False).ids[0]
    chances = softmax(run(np.array([ids])).logits)[0, -1]
    said = tokenizer.decode([int(chances.argmax())])
    return Completion(prompt, tokenizer.decode([target]), said, float(chances[target]))


def heard(text: str, language: str) -> list[str]:
    return [name for person in people(language) for name in person.unheard if name in text]
