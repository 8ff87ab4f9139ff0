"""What the shipped models show, measured on their files, is what their cards say and enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.house import ROOT
from training import card, gates
from training.recipes import RECIPES

MODELS = ROOT / "models"
OF_TEXT = [recipe for recipe in RECIPES.values() if recipe.language is not None]
TASKS = [recipe for recipe in RECIPES.values() if recipe.language is None]
CHECKPOINTS = [(recipe.name, step) for recipe in OF_TEXT for step in recipe.checkpoints]
CLOSE = 0.005  # another processor's sums


def figures_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "figures.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", [recipe.name for recipe in OF_TEXT])
def test_a_model_of_text_passes_its_gates_and_says_what_it_shows(name: str) -> None:
    figures, found = figures_of(MODELS / name), gates.of_text(MODELS / name)
    for figure in ("induction", "previous", "copied"):
        assert found[figure] == pytest.approx(figures[figure], abs=CLOSE)
    for figure in ("names", "induction_head", "previous_head"):
        assert found[figure] == figures[figure]
    assert gates.failed({**figures, **found}) == []


@pytest.mark.parametrize("name", [recipe.name for recipe in OF_TEXT])
def test_a_model_of_text_foresees_more_than_models_that_count(name: str) -> None:
    figures = figures_of(MODELS / name)
    assert figures["loss"] < figures["bigram"] < figures["unigram"]
    assert figures["heard"] == 0
    assert figures["control"] <= 0.2  # one layer can have no induction head


def test_a_model_of_a_task_solves_problems_that_it_never_saw(subtests: pytest.Subtests) -> None:
    for name in (recipe.name for recipe in TASKS):
        with subtests.test(name):
            figures, found = figures_of(MODELS / name), gates.of_task(MODELS / name)
            assert found["solved"] == pytest.approx(figures["solved"], abs=CLOSE)
            assert found["looks"] == pytest.approx(figures["looks"], abs=CLOSE)
            assert found["head"] == figures["head"]
            assert found["solved"] >= 0.99


def test_a_checkpoint_shows_what_was_measured_on_the_way(subtests: pytest.Subtests) -> None:
    for name, step in CHECKPOINTS:
        with subtests.test(name):
            course = {each["step"]: each for each in figures_of(MODELS / name)["course"]}
            found = gates.on_repeats(MODELS / name, f"step-{step}")
            assert found == pytest.approx({key: course[step][key] for key in found}, abs=CLOSE)


def test_induction_appears_between_the_checkpoints() -> None:
    first, *_, last = (gates.on_repeats(MODELS / "echo", f"step-{n}") for _, n in CHECKPOINTS)
    assert first["copied"] < 0.1
    assert last["copied"] > 0.9


def test_a_folder_holds_what_its_recipe_says(subtests: pytest.Subtests) -> None:
    for recipe in RECIPES.values():
        with subtests.test(recipe.name):
            folder = MODELS / recipe.name
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            assert config == recipe.config()
            tensors = load_file(folder / "model.safetensors")
            assert {a.dtype for a in tensors.values()} == {np.dtype(np.float16)}
            assert tensors["embedding"].shape == (recipe.vocabulary, recipe.d_model)
            checkpoints = {f"step-{step}.safetensors" for step in recipe.checkpoints}
            assert {path.name for path in folder.glob("step-*")} == checkpoints
            assert (folder / "README.md").read_text(encoding="utf-8") == card.of(folder)


def test_the_files_are_small(subtests: pytest.Subtests) -> None:
    for recipe in RECIPES.values():
        with subtests.test(recipe.name):
            folder = MODELS / recipe.name
            most = 3_000_000 if recipe.language else 50_000
            assert (folder / "model.safetensors").stat().st_size <= most
            assert sum(path.stat().st_size for path in folder.glob("step-*")) <= 10_000_000
