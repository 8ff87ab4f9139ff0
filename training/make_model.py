"""Train a model and write its folder: python -m training.make_model models/echo --packages FOLDER.

The folder's name says which model. `make model` calls this for each of them, and prints the gates.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from training import card, gates
from training.opened import run_of
from training.recipes import RECIPES, Recipe
from training.subjects import Subject, subject_of
from training.train import Tensors, train

EVERY = 100  # steps


def main() -> None:
    given = arguments(__doc__)
    recipe = recipe_of(given)
    subject = subject_of(recipe, given.packages)
    course = made(recipe, subject, given.folder)
    finished(given.folder, {**subject.measured(given.folder), "course": course})


def arguments(description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, help="where the model is written; its name says which")
    parser.add_argument("--packages", type=Path, required=True, help="where packages are kept")
    parser.add_argument("--steps", type=int, help="train for this long instead")
    return parser.parse_args()


def recipe_of(given: argparse.Namespace) -> Recipe:
    recipe = RECIPES[given.folder.name]
    return replace(recipe, steps=given.steps or recipe.steps)


def made(recipe: Recipe, subject: Subject, folder: Path) -> list[dict[str, float]]:
    """Also returns the measurements during training."""
    folder.mkdir(parents=True, exist_ok=True)
    config = recipe.config()
    write_json(folder / "config.json", config)
    subject.tokenizer.save(str(folder / "tokenizer.json"))
    course = []
    for step, tensors in enumerate(train(recipe, subject.batch)):
        if step % EVERY == 0 or step in recipe.checkpoints or step == recipe.steps:
            half = shipped(tensors)
            course.append({"step": step, **subject.on_the_way(run_of(config, half))})
            print(" ".join(f"{name} {value:.4g}" for name, value in course[-1].items()), flush=True)
        if step in recipe.checkpoints:
            write_tensors(folder / f"step-{step}.safetensors", half)
    write_tensors(folder / "model.safetensors", half)
    return course


def shipped(tensors: Tensors) -> Tensors:
    return {name: a.astype(np.float16) for name, a in tensors.items()}


def finished(folder: Path, figures: dict[str, Any]) -> None:
    """Exits if a gate failed."""
    write_json(folder / "figures.json", figures)
    (folder / "README.md").write_text(card.of(folder), encoding="utf-8")
    gated = {name: figures[name] for name in gates.BOUNDED if name in figures}
    print(folder.name, " ".join(f"{name} {value:.4g}" for name, value in gated.items()))
    if failed := gates.failed(figures):
        sys.exit(f"not passed: {', '.join(failed)}")


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_tensors(path: Path, tensors: Tensors) -> None:
    save_file(tensors, path)
    path.chmod(0o644)  # as git checks files out


if __name__ == "__main__":
    main()
