"""The control of a model of text: python -m training.make_control models/echo --packages FOLDER.

The same training with one layer, which can have no induction head. Its figures go into those of
the model; its weights are not kept.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from training.corpora import corpus
from training.heads import measured
from training.make_model import arguments, finished, recipe_of, shipped
from training.opened import run_of
from training.prediction import loss
from training.recipes import Recipe
from training.train import train


def main() -> None:
    given = arguments(__doc__)
    figures = json.loads((given.folder / "figures.json").read_text(encoding="utf-8"))
    finished(given.folder, figures | control(recipe_of(given), given.packages))


def control(recipe: Recipe, packages: Path) -> dict[str, float]:
    """A one-layer model can have no induction head."""
    one = replace(recipe, num_layers=1, checkpoints=())
    text = corpus(one, packages)
    *_, weights = train(one, text.batch)
    run = run_of(one.config(), shipped(weights))
    copied = measured(run, one.vocabulary).copied
    found = {"control": copied, "control_loss": loss(run, text.held_out, one.context)}
    return {**found, "control_step": recipe.steps}


if __name__ == "__main__":
    main()
