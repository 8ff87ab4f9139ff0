from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attnscope.commands.options import settings_of
from attnscope.resources import installed_in

if TYPE_CHECKING:
    from attnscope.client.synchronous import Client

Name = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model's name (echo), or JSON as the API has it.")
]
Url = Annotated[str | None, typer.Option(help="Ask this server; without it, compute here.")]
Key = Annotated[str | None, typer.Option(help="The server's API key.", envvar="ATTNSCOPE_KEY")]
ModelPaths = Annotated[
    list[Path] | None,
    typer.Option("--model", help="A checkpoint or .gguf file to ask by name; may be repeated."),
]


@contextmanager
def open_client(
    url: str | None, key: str | None, data_dir: Path | None, models: Sequence[Path] | None
) -> Iterator[Client]:
    """Open a client; a Problem ends the command with its message."""
    from attnscope.client.problem import Problem
    from attnscope.client.synchronous import Client

    found: list[Path] = []
    if url is None:
        found = [*(models or ()), *installed_in(settings_of(data_dir=data_dir).data_dir)]
    elif models or data_dir:
        raise typer.BadParameter("--model and --data-dir are for computing here: leave out --url.")
    try:
        with Client(url, key, models=found) as client:
            yield client
    except (Problem, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


def model_of(name: str) -> str | dict[str, Any]:
    if not name.lstrip().startswith("{"):
        return name
    try:
        return dict(json.loads(name))
    except ValueError as error:
        raise typer.BadParameter(f"MODEL is no JSON: {error}.") from None
