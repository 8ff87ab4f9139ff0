from __future__ import annotations

from attnscope import cancellation
from attnscope.errors import AttnscopeError
from attnscope.toy_training.model import Weights
from attnscope.toy_training.tasks import checked_length, example
from attnscope.toy_training.training import Recipe, check_steps, weights_after, weights_cache
from attnscope.trace.question import Trained


def recipe_of(model: Trained) -> Recipe:
    check_steps(model.step, "model.step")
    try:
        length = checked_length(model.task, model.length)
    except AttnscopeError as error:
        error.at = "model.length"
        raise
    return Recipe(model.task, length, model.seed, model.rate)


def weights_of(model: Trained) -> Weights:
    return weights_after(recipe_of(model), model.step, cancellation.check)


def is_cached(model: Trained) -> bool:
    return weights_cache.has(recipe_of(model), model.step)


def example_of(model: Trained) -> str:
    return example(model.task, recipe_of(model).length)
