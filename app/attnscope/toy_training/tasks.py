"""Tasks learned in seconds.

    copy       e b a d | e b a                         targets from | on: e b a d
    reverse    e b a d | d a b                         targets from | on: d a b e
    agree      the king saw the lake by the girl it    target of it: lake
    agree_zh   agree in Chinese

Other positions have NO_TARGET.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.random import Generator

from attnscope.errors import InvalidRequest, TooLarge
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.weights.schemes import stream_of

Task = Literal["copy", "reverse", "agree", "agree_zh"]
TASKS: tuple[Task, ...] = get_args(Task)
SYMBOLS = ("a", "b", "c", "d", "e", "f")
SIGN = "|"
UNKNOWN = "[unknown]"
NOUNS: dict[str, tuple[str, ...]] = {
    "she": ("girl", "queen", "aunt", "nurse", "lady"),
    "he": ("boy", "king", "uncle", "monk", "duke"),
    "it": ("lake", "tower", "garden", "road", "hill"),
}
NOUNS_ZH: dict[str, tuple[str, ...]] = {
    "她": ("女孩", "王后", "姑姑", "护士", "夫人"),
    "他": ("男孩", "国王", "叔叔", "僧人", "公爵"),
    "它": ("湖", "塔", "花园", "路", "山"),
}
OF_A_KIND = 5
SENTENCES = {
    "agree": (NOUNS, ("the", "saw", "by")), "agree_zh": (NOUNS_ZH, ("一个", "看见", "挨着")),
}  # fmt: skip
SHORTEST = {"copy": 1, "reverse": 1, "agree": 2, "agree_zh": 2}
USUAL = {"copy": 4, "reverse": 4, "agree": 3, "agree_zh": 3}
LONGEST = {"copy": 8, "reverse": 8, "agree": 3, "agree_zh": 3}
NO_TARGET = -1
EXAMPLE = 0x65786D70


class Problems(NamedTuple):
    ids: np.ndarray
    targets: np.ndarray


def vocabulary(task: Task) -> tuple[str, ...]:
    if task not in SENTENCES:
        return (*SYMBOLS, SIGN, UNKNOWN)
    nouns, links = SENTENCES[task]
    return (*links, *nouns, *(noun for each in nouns.values() for noun in each), UNKNOWN)


def checked_length(task: Task, length: int | None) -> int:
    """Raises InvalidRequest if too short, TooLarge if too long."""
    asked = USUAL[task] if length is None else length
    if asked < SHORTEST[task]:
        raise InvalidRequest("task_length", at="length", least=SHORTEST[task], length=asked)
    if asked > LONGEST[task]:
        raise TooLarge("task_length", at="length", length=asked, limit=LONGEST[task])
    return asked


def num_positions(task: Task, length: int) -> int:
    return 3 * length if task in SENTENCES else 2 * length


def draw_problems(task: Task, length: int, count: int, rng: Generator) -> Problems:
    return (_agree if task in SENTENCES else _draw_copy)(task, length, count, rng)


def _draw_copy(task: Task, length: int, count: int, rng: Generator) -> Problems:
    said = rng.integers(len(SYMBOLS), size=(count, length))
    answer = said if task == "copy" else said[:, ::-1]
    sign = np.full((count, 1), len(SYMBOLS))
    targets = np.full((count, 2 * length), NO_TARGET)
    targets[:, length:] = answer
    return Problems(np.concatenate([said, sign, answer[:, :-1]], axis=1), targets)


def _agree(task: Task, length: int, count: int, rng: Generator) -> Problems:
    known = {word: i for i, word in enumerate(vocabulary(task))}
    of_kind, links = SENTENCES[task]
    pronouns, sentences, meant = tuple(of_kind), [], []
    for _ in range(count):
        kinds = rng.permutation(len(pronouns))[:length]
        nouns = [of_kind[pronouns[kind]][rng.integers(OF_A_KIND)] for kind in kinds]
        chosen = rng.integers(length)
        words = sentence(nouns, pronouns[kinds[chosen]], links)
        sentences.append([known[word] for word in words])
        meant.append(known[nouns[chosen]])
    ids = np.array(sentences)
    targets = np.full(ids.shape, NO_TARGET)
    targets[:, -1] = meant
    return Problems(ids, targets)


def sentence(nouns: Sequence[str], pronoun: str, links: Sequence[str]) -> list[str]:
    """Such as: the … saw the … by the … it."""
    article, *between = links
    words = [article, nouns[0]]
    for link, noun in zip(between, nouns[1:], strict=False):
        words += [link, article, noun]
    return [*words, pronoun]


def example(task: Task, length: int) -> str:
    rng = stream_of(EXAMPLE, TASKS.index(task))
    words = vocabulary(task)
    while True:
        tokens = [words[i] for i in draw_problems(task, length, 1, rng).ids[0]]
        typical = len(set(tokens[:length])) == min(length, len(SYMBOLS))
        if task in SENTENCES:
            typical = tokens[-1] in ("it", "它")
        if typical:
            return " ".join(tokens)


@cache
def task_tokenizer(task: Task) -> SubwordTokenizer:
    words = {word: i for i, word in enumerate(vocabulary(task))}
    model = {"type": "WordLevel", "vocab": words, "unk_token": UNKNOWN}
    cut = {"type": "WhitespaceSplit"}
    definition = json.dumps({"version": "1.0", "pre_tokenizer": cut, "model": model})
    return SubwordTokenizer(definition, takes_unknown=False)
