from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from attnscope.client.synchronous import Trace


def trace(
    name: Name,
    text: Annotated[list[str], typer.Argument(help="A text; several are a batch.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A file: .safetensors, .npz, .json, .csv, .html or .zip."
        ),
    ] = None,
    stages: Annotated[str | None, typer.Option(help="Such as q,weights; all if left out.")] = None,
    layer: Annotated[int | None, typer.Option(help="This layer alone.")] = None,
    head: Annotated[int | None, typer.Option(help="This head alone.")] = None,
    url: Url = None,
    key: Key = None,
    data_dir: DataDir = None,
    model: ModelPaths = None,
    as_json: AsJson = False,
) -> None:
    """Compute a text's attention, and write its stages to a file."""
    if output is None and (stages, layer, head) != (None, None, None):
        raise typer.BadParameter("-o is missing: --stages, --layer and --head are for its file.")
    with open_client(url, key, data_dir, model) as client:
        found = client.trace(text[0] if len(text) == 1 else text, model_of(name))
        if output is not None:
            found.export(output, stages=stages, layer=layer, head=head)
    if as_json:
        typer.echo(json.dumps(found.about, ensure_ascii=False, indent=2))
    else:
        _describe(found)
    if output is not None:
        typer.echo(f"It is in {output}, {size(output.stat().st_size)}.", err=as_json)


def _describe(found: Trace) -> None:
    shape = found.shape
    typer.echo(f"trace   {found.id}")
    typer.echo(f"model   {shape['num_layers']} layers × {shape['num_heads']} heads, {found.dtype}")
    for row in found.tokens or ():
        pieces = [piece for piece in row if piece is not None]
        typer.echo(f"tokens  {len(pieces)}: {' '.join(map(repr, pieces))}")
    checks = {name: value for name, value in found.checks.items() if value is not None}
    typer.echo(f"checks  {', '.join(f'{name} {value:g}' for name, value in checks.items())}")
