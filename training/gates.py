"""Gates of quality, measured on the shipped files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from training import heads, names
from training.opened import opened
from training.solving import solved
from training.tasks import TASKS, Problem, Task
from training.vocabulary import pieces_a_word

AT_LEAST = {"induction": 0.75, "previous": 0.5, "copied": 0.9, "names": 5, "solved": 0.99}
# Copying by one layer; names in the texts; tokens of an everyday word.
AT_MOST = {"control": 0.2, "heard": 0, "pieces": 1.25}
BOUNDED = (*AT_LEAST, *AT_MOST)

PROBLEMS = 400

Figures = dict[str, Any]


def of_text(folder: Path) -> Figures:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tokenizer, run = Tokenizer.from_file(str(folder / "tokenizer.json")), opened(folder)
    found = heads.measured(run, config["vocabulary"])
    completed = names.completions(tokenizer, run, config["language"])
    right = sum(each.said == each.right for each in completed)
    completions = [each._asdict() for each in completed]
    pieces = {"pieces": pieces_a_word(tokenizer)} if config["language"] == "en" else {}
    named = {"names": right, "completions": completions}
    return {**found.figures, **found.best, **pieces, **named}


def on_repeats(folder: Path, revision: str) -> Figures:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return heads.measured(opened(folder, revision), config["vocabulary"]).figures


def of_task(folder: Path) -> Figures:
    task, run = TASKS[folder.name], opened(folder)
    tokenizer, problems = Tokenizer.from_file(str(folder / "tokenizer.json")), held_out(task)
    share, picture = solved(run, problems, tokenizer)
    best = {"looks": float(picture.max()), "head": heads.strongest(picture)}
    return {"solved": share, **best, "looks_of_all": rounded(picture)}


def rounded(figures: np.ndarray) -> list[list[float]]:
    return [[round(float(each), 2) for each in layer] for layer in figures]


def held_out(task: Task) -> list[Problem]:
    return task.problems(PROBLEMS, True, np.random.default_rng(heads.SEED))


def failed(figures: Figures) -> list[str]:
    """Only gates that were measured can fail."""
    low = [n for n, bound in AT_LEAST.items() if n in figures and figures[n] < bound]
    return low + [n for n, bound in AT_MOST.items() if n in figures and figures[n] > bound]
