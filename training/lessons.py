"""Tasks for training."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tokenizers import Tokenizer

from training import gates
from training.opened import Run
from training.recipes import Recipe
from training.solving import rows, solved
from training.tasks import TASKS, Problem, Task
from training.vocabulary import characters


class Lesson(NamedTuple):
    recipe: Recipe
    task: Task
    tokenizer: Tokenizer
    held_out: list[Problem]

    def batch(self, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return rows(self.task.problems(self.recipe.rows, False, draw), self.tokenizer)

    def on_the_way(self, run: Run) -> dict[str, float]:
        return {"solved": solved(run, self.held_out, self.tokenizer).share}

    def measured(self, folder: Path) -> dict[str, Any]:
        return gates.of_task(folder)


def lesson(recipe: Recipe) -> Lesson:
    task = TASKS[recipe.name]
    return Lesson(recipe, task, characters(task.alphabet), gates.held_out(task))
