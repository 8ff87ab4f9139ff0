"""What a model is trained on: batches, and figures of its progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from tokenizers import Tokenizer

from training.corpora import corpus
from training.lessons import lesson
from training.opened import Run
from training.recipes import Recipe
from training.tasks import TASKS


class Subject(Protocol):
    """A text (`corpora.Corpus`) or a task (`lessons.Lesson`)."""

    @property
    def tokenizer(self) -> Tokenizer: ...

    def batch(self, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Ids [rows, n] and what should come after each."""

    def on_the_way(self, run: Run) -> dict[str, float]:
        """Figures of weights in training."""

    def measured(self, folder: Path) -> dict[str, Any]:
        """Figures of the shipped files."""


def subject_of(recipe: Recipe, packages: Path) -> Subject:
    """The subject of a recipe's model."""
    return lesson(recipe) if recipe.name in TASKS else corpus(recipe, packages)
