from __future__ import annotations

from functools import partial

import numpy as np

from attnscope.learn.arithmetic import largest_difference
from attnscope.learn.chapter import Chapter
from attnscope.learn.exercises import LANGUAGE, stage
from attnscope.learn.parts import Exercise, Figure
from attnscope.learn.why import true_reason

WORDS = ("cats", "dogs", "drink", "eat", "fish", "like", "milk", "we", "you")
IN_CHINESE = ("猫", "狗", "喝", "吃", "鱼", "爱", "奶", "我", "你")


def sentence(rng: np.random.Generator, least: int, most: int) -> list[str]:
    count = int(rng.integers(least, most + 1))
    words = IN_CHINESE if LANGUAGE.get() == "zh" else WORDS
    return [words[at] for at in rng.permutation(len(words))[:count]]


def most_attended(rng: np.random.Generator) -> Exercise:
    tokens = sentence(rng, 4, 6)
    body = {"tokens": tokens, "model": {"source": "crafted", "name": "previous_token"}}
    row = int(rng.integers(1, len(tokens)))
    weights = stage(body, "weights")[0]
    answer = tokens[int(weights[row].argmax())]
    values = {"sentence": " ".join(tokens), "word": tokens[row]}
    worked = {"weight": f"{weights[row].max():.2f}"}
    return Exercise(
        "most_attended", answer, values, choices=tuple(sorted(tokens)), question=body, worked=worked
    )


def row_sum(rng: np.random.Generator) -> Exercise:
    tokens = sentence(rng, 3, 3)
    body = {
        "tokens": tokens, "causal": False,
        "model": {"source": "seeded", "seed": int(rng.integers(99)), "num_heads": 1, "d_model": 8},
    }  # fmt: skip
    row = stage(body, "weights")[0, int(rng.integers(3))].round(2)
    first, second = float(row[0]), float(row[1])
    values = {
        "a": tokens[0], "b": tokens[1], "c": tokens[2], "first": f"{first:.2f}",
        "second": f"{second:.2f}",
    }  # fmt: skip
    slips = {"others": first + second}
    return Exercise(
        "row_sum", 1 - first - second, values, 2, question=body, share=True, slips=slips
    )


def weight_change(words: str = "the cat sat", other: str = "dog") -> dict[str, str]:
    """Largest change of the last row of weights if an earlier word is exchanged."""
    tokens = words.split()
    one, changed = (stage({"tokens": each}, "weights")[:, -1]
                    for each in (tokens, [tokens[0], other, tokens[2]]))  # fmt: skip
    return {"moved": largest_difference(one, changed)}


CHAPTER = Chapter(
    "asking",
    figures=(
        Figure("weights", {"causal": True}, stages=("weights",), knobs=("causal", "head")),
        Figure(
            "previous", {"model": {"source": "crafted", "name": "all"}}, stages=("weights",),
            look={"head": 0}, knobs=("head",),
        ),
        Figure("way", stages=("scores", "masked_scores", "weights", "output")),
    ),
    values={"anew": (weight_change, partial(weight_change, "小 猫 睡", "狗"))},
    exercises=(most_attended, row_sum, true_reason("asking")),
)  # fmt: skip
