from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from attnscope.learn.chapters.training_values import LENGTH, RECIPE
from attnscope.toy_training.model import drawn, run
from attnscope.toy_training.steps import Step, descend, problems
from attnscope.toy_training.tasks import NOT_ASKED

FACTORS = (0.1, 1.0, 4.0, 16.0)  # applied to the initial W_Q and W_K
STEPS = (20, 40)


def trained(factor: float, *, steps: int = STEPS[-1]) -> list[Step]:
    weights = drawn(RECIPE.task, LENGTH, RECIPE.seed)
    layer = weights.layer
    scaled = replace(layer, w_q=factor * layer.w_q, w_k=factor * layer.w_k)
    return list(islice(descend(RECIPE, replace(weights, layer=scaled)), steps + 1))


@cache
def starts() -> list[list[str]]:
    asked = problems(RECIPE, 0)
    rows = []
    for factor in FACTORS:
        steps = trained(factor)
        stages, _ = run(steps[0].weights, asked.ids)
        largest = stages["weights"][:, 0].max(axis=-1)[asked.targets != NOT_ASKED]
        found = [steps[at] for at in STEPS]
        rows.append([
            f"{factor:g}", f"{np.mean(largest):.2f}", f"{steps[0].gradients['w_q']:.3f}",
            *(f"{step.loss:.2f} ({100 * step.solved:.0f}\u202f%)" for step in found),
        ])  # fmt: skip
    return rows
