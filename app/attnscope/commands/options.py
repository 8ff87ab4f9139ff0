from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError

from attnscope.errors import AttnscopeError
from attnscope.resources import installed_in, models_dir, static_dir
from attnscope.settings import Settings

if TYPE_CHECKING:
    from attnscope.client.synchronous import Client

DataDir = Annotated[
    Path | None, typer.Option(help="The data directory; models are in its folder installed.")
]
Accept = Annotated[
    list[str] | None, typer.Option(help="A key of config.json to ignore; may be repeated.")
]
Adapters = Annotated[
    list[Path] | None,
    typer.Option(help="A LoRA adapter of such a model, as PEFT saves it; may be repeated."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class CommandError(Exception):
    """An error with a message for the user."""


def settings_of(**options: object) -> Settings:
    """Set options as environment variables, which workers read too. Invalid ones exit with 2."""
    for name, given in options.items():
        if given is not None and given != []:
            os.environ[f"ATTNSCOPE_{name.upper()}"] = _environment_text(given)
    try:
        settings = Settings()
    except ValidationError as error:
        for one in error.errors():
            message = one["msg"].removeprefix("Value error, ")  # pydantic adds this prefix
            typer.echo(f"ATTNSCOPE_{str(one['loc'][0]).upper()}: {message}", err=True)
        raise typer.Exit(2) from None
    if _is_closed(settings.data_dir):
        typer.echo(f"ATTNSCOPE_DATA_DIR: {settings.data_dir} may not be read.", err=True)
        raise typer.Exit(2)
    return settings


def _is_closed(folder: Path) -> bool:
    try:
        os.scandir(f"{folder}/.").close()  # the dot needs permission to enter
    except OSError as error:
        return isinstance(error, PermissionError)
    return False


def _environment_text(given: object) -> str:
    if isinstance(given, bool):
        return "on" if given else "off"
    if isinstance(given, list):
        return (os.pathsep if isinstance(given[0], Path) else ",").join(map(str, given))
    return str(given)


def sentence(error: AttnscopeError) -> str:
    from attnscope.web.texts import DEFAULT, Catalogue

    values = {"at": error.at, **error.values}
    key = f"errors.{error.code}.{error.reason}"
    return Catalogue(static_dir() / "locales").say(DEFAULT, key, values)


@contextmanager
def failures() -> Iterator[None]:
    """After CommandError or AttnscopeError, print the message and exit with status 1."""
    try:
        yield
    except CommandError as error:
        message = str(error)
    except AttnscopeError as error:
        message = sentence(error)
    else:
        return
    typer.echo(message, err=True)
    raise typer.Exit(1)


def report_unopened(at: Path) -> None:
    from attnscope.installed.model_registry import ModelRegistry

    for error in ModelRegistry(models_dir(), found=[at]).broken.values():
        typer.echo(f"It cannot be opened yet: {sentence(error)}", err=True)


def serve_with(data_dir: Path | None) -> str:
    option = "" if data_dir is None else f" --data-dir {quote(str(data_dir))}"
    return f"Open with: attnscope serve{option}"


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
    """Open a client. After Problem or OSError, print the message and exit with status 1."""
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
