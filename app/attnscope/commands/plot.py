from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from attnscope.commands.options import (
    AsJson,
    DataDir,
    Key,
    ModelPaths,
    Name,
    Url,
    model_of,
    open_client,
)
from attnscope.commands.table import size
from attnscope.figures import SUFFIXES


def plot(
    name: Name,
    text: Annotated[str, typer.Argument(help="The text.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="A .svg file, with names and numbers, or .png: cells alone. "
            "{layer} and {head} in it stand for their numbers.",
        ),
    ],
    layer: Annotated[
        list[int] | None, typer.Option(help="Counted from 0; may be repeated.", show_default="0")
    ] = None,
    head: Annotated[
        list[int] | None, typer.Option(help="Counted from 0; may be repeated.", show_default="0")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every layer and head.")] = False,
    stage: Annotated[str, typer.Option(help="Such as scores or q.")] = "weights",
    url: Url = None,
    key: Key = None,
    data_dir: DataDir = None,
    model: ModelPaths = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Draw a stage of a head as a picture for a paper."""
    from attnscope.client.progress import tracked

    if output.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(f"{output.name}: choose a name that ends in .svg or .png.")
    if every and (layer or head):
        raise typer.BadParameter("--all draws every layer and head: leave out --layer and --head.")
    with open_client(url, key, data_dir, model) as client:
        trace = client.trace(text, model_of(name))
        layers = range(trace.shape["num_layers"]) if every else layer or [0]
        heads = range(trace.shape["num_heads"]) if every else head or [0]
        places = [(one, other) for one in layers for other in heads]
        paths = [_path(output, *place) for place in places]
        if len(set(paths)) < len(paths):
            raise typer.BadParameter(
                "Name each picture: -o 'head-{layer}-{head}.svg', for example."
            )
        pictures = []
        named = tracked(list(zip(places, paths, strict=True)), "drawing", len(paths), "head")
        for (one, other), path in named:
            figure = trace.figure(stage, one, other)
            figure.save(path)
            pictures.append({"layer": one, "head": other, "stage": stage, "file": str(path),
                             "rows": figure.rows.count, "cols": figure.cols.count})  # fmt: skip
    if as_json:
        typer.echo(json.dumps({"trace": trace.id, "pictures": pictures}, indent=2))
        return
    for path in paths:
        typer.echo(f"It is in {path}, {size(path.stat().st_size)}.")


def _path(output: Path, layer: int, head: int) -> Path:
    name = output.name.replace("{layer}", str(layer)).replace("{head}", str(head))
    return output.with_name(name)
