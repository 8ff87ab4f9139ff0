from __future__ import annotations

import numpy as np

from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import given_qk
from attnscope.learn.exercises import LANGUAGE, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import true_reason

# Positions → how the output of a word changes if the other words are permuted.
WHY = {
    "none": "exercise.order_matters.stays", "sinusoidal": "exercise.order_matters.added",
    "rotary": "exercise.order_matters.turned", "alibi": "exercise.order_matters.lowered",
}  # fmt: skip
POSITIONS_IN_CHINESE = {"none": "无", "sinusoidal": "正弦", "rotary": "旋转", "alibi": "ALiBi"}
ORDER = ["the", "animal", "was", "too", "tired"]
SHUFFLED = ["tired", "too", "the", "was", "animal"]


def unmasked_question(tokens: list[str], positions: str, seed: int, num_heads: int = 2) -> Body:
    """A question without a mask, so that only positions encode the order."""
    model = {"source": "seeded", "seed": seed, "d_model": 16, "num_heads": num_heads}
    return {"tokens": tokens, "causal": False, "model": {**model, "positions": positions}}


def named(positions: str) -> str:
    return POSITIONS_IN_CHINESE[positions] if LANGUAGE.get() == "zh" else positions


def order_matters(rng: np.random.Generator) -> Exercise:
    tokens = sentence(rng, 4, 5)
    positions = str(rng.choice(list(WHY)))
    turned = [tokens[0], *reversed(tokens[1:])]
    seed = int(rng.integers(99))
    before, after = (
        stage(unmasked_question(each, positions, seed), "output")[0] for each in (tokens, turned)
    )
    assert np.allclose(before, after, rtol=0, atol=1e-9) == (positions == "none")
    values = {
        "before": " ".join(tokens), "after": " ".join(turned), "word": tokens[0],
        "positions": named(positions),
    }  # fmt: skip
    worked = {"difference": f"{np.abs(before - after).max():.3f}"}
    return Exercise(
        "order_matters", WHY[positions], values, choices=tuple(WHY.values()),
        question=unmasked_question(tokens, positions, seed), worked=worked,
    )  # fmt: skip


def first_wave(rng: np.random.Generator) -> Exercise:
    """The first two columns are sin i and cos i."""
    i = int(rng.integers(1, 7))
    which = int(rng.integers(2))
    tokens = sentence(rng, 8, 8)
    with_positions, without = (
        stage(unmasked_question(tokens, positions, 0), "x") for positions in ("sinusoidal", "none")
    )
    answer = float((with_positions - without)[i, which])
    values = {"i": i, "which": ("sin", "cos")[which], "column": which}
    return Exercise(
        "first_wave",
        answer,
        values,
        decimals=2,
        question=unmasked_question(tokens, "sinusoidal", 0),
    )


def linear_bias(rng: np.random.Generator) -> Exercise:
    tokens = sentence(rng, 7, 7)
    i = int(rng.integers(3, 7))
    j, num_heads = int(rng.integers(0, i)), int(rng.choice([2, 4, 8]))
    head = int(rng.integers(num_heads))
    with_bias, without = (
        stage(unmasked_question(tokens, positions, 0, num_heads), "scaled_scores")[head]
        for positions in ("alibi", "none")
    )
    slope = float((without - with_bias)[1, 0])
    answer = float((with_bias - without)[i, j])
    values = {"i": i, "j": j, "head": head, "slope": f"{slope:g}"}
    body = unmasked_question(tokens, "alibi", 0, num_heads)
    return Exercise("linear_bias", answer, values, decimals=4, question=body)


def rotary_score(rng: np.random.Generator) -> Exercise:
    """The score is q k cos(i − j)."""
    q, k = (int(size) for size in rng.integers(1, 6, 2))
    i, j = (int(place) for place in rng.permutation(6)[:2])
    long = np.array([1.0, 0])
    body = given_qk(np.tile(q * long, (6, 1)), np.tile(k * long, (6, 1)), positions="rotary")
    answer = float(stage(body, "scores")[0, i, j])
    values = {"q": q, "k": k, "i": i, "j": j}
    return Exercise("rotary_score", answer, values, decimals=2, question=body)


CHAPTER = Chapter(
    "positions",
    needs=("scores",),
    figures=(
        Figure("bag", {"causal": False, "model": {"source": "seeded", "positions": "none"}},
               stages=("weights",), knobs=("model.positions", "head")),
        Figure("ordered", unmasked_question(ORDER, "none", 0), stages=("weights",),
               knobs=("model.positions",), zh={"tokens": list("小狗太累了")}),
        Figure("shuffled", unmasked_question(SHUFFLED, "none", 0), stages=("weights",),
               knobs=("model.positions",), zh={"tokens": list("了累太小狗")}),
        Figure("x", {"model": {"source": "seeded", "positions": "sinusoidal"}}, stages=("x",),
               knobs=("model.positions",)),
        Figure("relative", {"tokens": ["echo"] * 8, "causal": False,
                            "model": {"source": "seeded", "positions": "rotary"}},
               stages=("scores",), knobs=("model.positions", "head"), zh={"tokens": ["山"] * 8}),
        Figure("alibi", {"tokens": ["echo"] * 8, "causal": False,
                         "model": {"source": "seeded", "positions": "alibi"}},
               stages=("scores", "scaled_scores"), knobs=("model.positions", "head"),
               zh={"tokens": ["山"] * 8}),
        Figure("learned", {"model": {"source": "seeded", "positions": "learned"}}, stages=("x",),
               knobs=("model.positions", "model.seed")),
    ),
    exercises=(order_matters, first_wave, linear_bias, rotary_score, true_reason("positions")),
)  # fmt: skip
