"""Model cards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file

from training import about
from training.recipes import RECIPES, Recipe

Figures = dict[str, Any]
Row = tuple[str, object]

HEADS = ("induction", "previous")


def of(folder: Path) -> str:
    recipe = RECIPES[folder.name]
    figures = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    words = about.TEXTS[recipe.name]
    of_text = recipe.language is not None
    shown = of_text_figures(figures, recipe) if of_text else of_task_figures(figures)
    parts = [
        f"# {recipe.name}\n\n{words.shows}",
        f"## Data and licence\n\n{words.data}",
        f"## Recipe\n\n{table(recipe_rows(recipe, folder))}\n\n{again(recipe)}",
        f"## Figures\n\n{shown}",
        f"## Course\n\n{course(figures['course'], recipe)}",
        f"## Limits\n\n{words.limits}",
    ]
    return "\n\n".join(parts) + "\n"


def table(rows: list[Row]) -> str:
    return "\n".join(["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows)])


def recipe_rows(recipe: Recipe, folder: Path) -> list[Row]:
    count = sum(a.size for a in load_file(folder / "model.safetensors").values())
    block = "pre-norm" + (" without MLP" if recipe.hidden is None else f", MLP of {recipe.hidden}")
    batch = f"{recipe.rows} rows of {recipe.context} at the most"
    if recipe.random:
        text = 1 - recipe.random - recipe.echoing
        asked = "" if recipe.asks_first else ", the first copy not predicted"
        batch += (
            f": {recipe.random:.0%} random segments repeated{asked}, {recipe.echoing:.0%} text "
            f"that echoes pieces of itself, {text:.0%} text"
        )
    return [
        ("parameters", f"{count:,}, shipped as float16"),
        ("decoder", f"{recipe.num_layers} layers, {recipe.num_heads} heads, {block}"),
        ("widths", f"d_model {recipe.d_model}, d_k {recipe.d_k}"),
        ("positions", "rotary, on queries and keys"),
        ("vocabulary", f"{recipe.vocabulary:,} pieces, {tying(recipe)}"),
        ("first weights", "normal, standard deviation 1/√d"),
        ("batches", batch),
        ("optimiser", f"AdamW, weight decay {recipe.weight_decay}"),
        ("rate", f"{recipe.rate}, in a line to 0 over the last {recipe.cooling:.0%}"),
        ("steps", f"{recipe.steps:,}"),
        ("seed", f"{recipe.seed}, the first that was tried"),
    ]


def tying(recipe: Recipe) -> str:
    if recipe.tied:
        return f"unembedding = w_u embeddingᵀ, w_u {recipe.d_model} × {recipe.d_model}"
    return "embedding and unembedding not tied"


def again(recipe: Recipe) -> str:
    return (
        f"`python -m training.make_model models/{recipe.name} --packages FOLDER` makes it again, "
        "in float32 on one thread; two runs on one machine give the same file."
    )


def of_text_figures(figures: Figures, recipe: Recipe) -> str:
    heads = {name: "layer {} head {}".format(*figures[f"{name}_head"]) for name in HEADS}
    rows: list[Row] = [
        (f"induction, {heads['induction']}", f"{figures['induction']:.3f}"),
        (f"previous token, {heads['previous']}", f"{figures['previous']:.3f}"),
        ("second copies foreseen", f"{figures['copied']:.1%}"),
        ("invented names completed", f"{figures['names']} of {len(figures['completions'])}"),
        ("loss on held-out text, nats a piece", f"{figures['loss']:.3f}"),
        ("… of a model that counts pieces", f"{figures['unigram']:.3f}"),
        ("… of one that counts pairs", f"{figures['bigram']:.3f}"),
    ]
    if "pieces" in figures:
        rows.insert(0, ("pieces of an everyday word", f"{figures['pieces']:.2f}"))
    if "control" in figures:
        step = figures.get("control_step", recipe.steps)
        until = "" if step == recipe.steps else f", step {step:,} of {recipe.steps:,}"
        rows.append((f"one layer, same training{until}: foreseen", f"{figures['control']:.1%}"))
        rows.append(("… its loss on held-out text", f"{figures['control_loss']:.3f}"))
    prompts: list[Row] = [
        (f"`{each['prompt']}`", expected(each)) for each in figures["completions"]
    ]
    everyday = f" {about.EVERYDAY}" if "pieces" in figures else ""
    return f"{table(rows)}\n\n{about.PROBE}{everyday}\n\n{table(prompts)}"


def expected(completion: Figures) -> str:
    right = f"`{completion['right']}` {completion['chance']:.0%}"
    same = completion["said"] == completion["right"]
    return right if same else f"{right}, but likelier `{completion['said']}`"


def of_task_figures(figures: Figures) -> str:
    layer, head = figures["head"]
    return table(
        [
            ("held-out problems solved, the whole answer right", f"{figures['solved']:.1%}"),
            (f"layer {layer} head {head}: mean weight of the picture", f"{figures['looks']:.2f}"),
            ("every head, a layer a list", figures["looks_of_all"]),
        ]
    )


def course(steps: list[Figures], recipe: Recipe) -> str:
    """Each checkpoint, and every fourth measurement."""
    last = len(steps) - 1
    shown = [
        each
        for at, each in enumerate(steps)
        if at % 4 == 0 or at == last or each["step"] in recipe.checkpoints
    ]
    names = list(shown[0])
    lines = [f"| {' | '.join(names)} |", f"|{' ---: |' * len(names)}"]
    lines += ["| " + " | ".join(f"{each[n]:.4g}" for n in names) + " |" for each in shown]
    return "\n".join(lines)
