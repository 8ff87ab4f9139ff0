from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from attnscope.commands.options import (
    CommandError,
    DataDir,
    failures,
    report_unopened,
    serve_with,
    settings_of,
)
from attnscope.commands.table import size
from attnscope.resources import installed_dir

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
GB = 10**9


def fetch(
    repository: Annotated[str, typer.Argument(metavar="ORG/NAME", help="Its name on the hub.")],
    revision: Annotated[str, typer.Option(help="A branch, a tag or a commit.")] = "main",
    data_dir: DataDir = None,
    max_gb: Annotated[float, typer.Option(help="Largest download, in GB.", min=0)] = 10,
) -> None:
    """Fetch a checkpoint from the Hugging Face hub: config, tokenizer and safetensors only."""
    if not REPOSITORY.fullmatch(repository):
        typer.echo(f"{repository} is no name of a model on the hub: ORG/NAME.", err=True)
        raise typer.Exit(2)
    at = installed_dir(settings_of(data_dir=data_dir).data_dir) / repository.replace("/", "--")
    if at.exists():
        typer.echo(f"{repository} is there already: {at}. Delete the folder to fetch it again.")
        return
    with failures():
        _fetch(repository, revision, at, int(max_gb * GB))
    typer.echo(serve_with(data_dir))


def _fetch(repository: str, revision: str, at: Path, most: int) -> None:
    if find_spec("huggingface_hub") is None:
        raise CommandError("huggingface_hub is needed for this: pip install 'attnscope[hub]'.")
    from attnscope.commands.hub import fetch as bring

    typer.echo(f"Fetching {repository}, revision {revision} …")
    came = bring(repository, revision, at, most)
    typer.echo(f"It is in {at}, {size(came.bytes)}, commit {came.commit}.")
    typer.echo(f"Licence: {came.licence}.")
    report_unopened(at)
