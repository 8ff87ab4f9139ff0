"""Subjects of training."""

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
        """Ids [rows, n], and the next ids."""

    def on_the_way(self, run: Run) -> dict[str, float]:
        """Of weights in training."""

    def measured(self, folder: Path) -> dict[str, Any]:
        """Of the shipped files."""


def subject_of(recipe: Recipe, packages: Path) -> Subject:
    return lesson(recipe) if recipe.name in TASKS else corpus(recipe, packages)
