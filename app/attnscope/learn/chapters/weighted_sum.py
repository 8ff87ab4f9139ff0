from __future__ import annotations

import numpy as np

from attnscope.learn.arithmetic import products, signed, total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.heads import OUTING
from attnscope.learn.chapters.scores import first_row, given_scores, rows
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Body, Exercise, Figure, Given
from attnscope.learn.why import false_statement, order_of_stages, true_reason

# One query gives 0.7 to j and 0.3 to k, another 0.5 to each.
TWO: Body = {
    **given_scores(np.array([np.log([0.7, 0.3]), [0, 0]]), np.array([[2.0, 0, 1], [0, 4, -1]])),
    "tokens": ["j", "k"],
}


def tenths(rng: np.random.Generator) -> np.ndarray:
    """Three weights above 0, in tenths."""
    first, second = sorted(int(cut) for cut in rng.permutation(np.arange(1, 10))[:2])
    return np.array([first, second - first, 10 - second]) / 10


def one_mixture(rng: np.random.Generator) -> Exercise:
    weights, v, column = tenths(rng), rows(rng, 3, 2), int(rng.integers(2))
    body = given_scores(first_row(np.log(weights).tolist()), v)
    answer = float(stage(body, "head_outputs")[0, 0, column])
    given = (Given("weights", [weights.tolist()]), Given("v", v.tolist()))
    values, worked = {"column": column}, {"line": products(weights, v[:, column])}
    return Exercise("one_mixture", answer, values, 1, (), given, body, worked)


def level_mean(rng: np.random.Generator) -> Exercise:
    v, row = rng.integers(0, 10, (4, 1)).astype(float), int(rng.integers(1, 4))
    body = {**given_scores(np.zeros((4, 4)), v), "causal": True}
    answer = float(stage(body, "head_outputs")[0, row, 0])
    given = (Given("v", v.tolist()),)
    worked = {"line": total(v[: row + 1, 0]), "count": row + 1}
    slips = {"not_divided": float(v[: row + 1].sum()), "unmasked": float(v.mean())}
    return Exercise("level_mean", answer, {"row": row}, 2, (), given, body, worked, slips=slips)


def back_to_the_weight(rng: np.random.Generator) -> Exercise:
    share = int(rng.integers(1, 10)) / 10
    low, width = int(rng.integers(0, 5)), int(rng.choice([5, 10, 20]))
    v = np.array([[low], [low + width]], float)
    body = given_scores(first_row(np.log([1 - share, share]).tolist()), v)
    answer = float(stage(body, "weights")[0, 0, 1])
    output = float(stage(body, "head_outputs")[0, 0, 0])
    values = {"a": low, "b": low + width, "output": signed(round(output, 6))}
    slips = {"other_weight": 1 - answer}
    return Exercise("back_to_the_weight", answer, values, 1, question=body, share=True, slips=slips)


def within_reach(rng: np.random.Generator) -> Exercise:
    tokens = sentence(rng, 3, 3)
    v = (rng.permutation(np.arange(5, 14))[:3]).astype(float)[:, None]
    body = {**given_scores(np.zeros((3, 3)), v), "tokens": tokens}
    column = stage(body, "v")[0, :, 0]
    low, high = int(column.min()), int(column.max())
    below = int(rng.integers(4))
    outside = [*(low - 1 - at for at in range(below)), *(high + 1 + at for at in range(3 - below))]
    inside = int(rng.integers(low + 1, high))  # no weight of an open key is 1
    choices = tuple(str(number) for number in sorted([inside, *outside]))
    given = (Given("v", column[:, None].tolist()),)
    worked = {"low": low, "high": high}
    return Exercise("within_reach", str(inside), {}, 0, choices, given, body, worked)


def outing_rows() -> list[list[str]]:
    one_head = {**OUTING, "model": {**OUTING["model"], "num_heads": 1}}
    weights, v, output = (stage(one_head, name)[0] for name in ("weights", "v", "head_outputs"))
    each = [
        [name, f"{weight:.3f}", *(f"{number:g}" for number in row)]
        for name, weight, row in zip(OUTING["tokens"], weights[0], v, strict=True)
    ]
    return [*each, ["Σ", f"{weights[0].sum():.3f}", *(f"{number:.3f}" for number in output[0])]]


CHAPTER = Chapter(
    "weighted_sum",
    needs=("softmax",),
    figures=(
        Figure("two", TWO, stages=("weights", "v", "head_outputs"),
               look={"cell": ("head_outputs", 0, 0)}),
        Figure("mix", stages=("weights", "v", "head_outputs"),
               look={"cell": ("head_outputs", 3, 2)}, knobs=("head", "temperature")),
        Figure("copy", {"model": {"source": "crafted", "name": "all"}},
               stages=("weights", "v", "head_outputs"), knobs=("head",)),
    ),
    tables={"outing": outing_rows},
    exercises=(
        one_mixture, level_mean, back_to_the_weight, within_reach,
        false_statement("weighted_sum", "stacked", "family"), order_of_stages,
        true_reason("weighted_sum"),
    ),
)  # fmt: skip
