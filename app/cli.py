"""attnscope serve: the command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from app import __version__
from app.serving import serve_on
from app.serving.machine import listeners
from app.settings import Settings

main = typer.Typer(help="attnscope: every number between the words and their attention.")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attnscope {__version__}")
        raise typer.Exit


@main.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """An attention microscope, in the browser and over REST."""


@main.command()
def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")
    ] = None,
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(help="Processes that answer.", min=1)] = 1,
    data_dir: Annotated[
        Path | None, typer.Option(help="Uploads and questions are kept here.")
    ] = None,
    model: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint or .gguf file, or a folder of some; may be said again."),
    ] = None,
) -> None:
    """Serve the page and the API. Other settings: environment variables ATTNSCOPE_*."""
    models = os.pathsep.join(map(str, model)) if model else None
    for name, given in (("HOST", host), ("DATA_DIR", data_dir), ("MODELS", models)):
        if given is not None:
            os.environ[f"ATTNSCOPE_{name}"] = str(given)  # the workers read it from there
    settings = _settings()
    _check_models(settings)
    try:
        sockets = listeners(settings.host, port)
    except OSError as error:
        typer.echo(f"Cannot listen on {settings.host}:{port}: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"attnscope {__version__} on http://{settings.host}:{sockets[0].getsockname()[1]}")
    raise typer.Exit(serve_on(settings, sockets, workers))


def _check_models(settings: Settings) -> None:
    """Ends the command, with what to do, where a model cannot be opened."""
    if not settings.models:
        return
    # Here, for numpy and the tokenizers take longer to import than --help may take.
    from app.errors import BadWeightsFile
    from app.installed.shelf import Shelf
    from app.resources import models_dir, static_dir
    from app.web.texts import DEFAULT, Catalogue

    try:
        for model in Shelf(models_dir(), settings.models).models.values():
            model.pieces  # noqa: B018  (read here, so that no request meets a broken one)
    except BadWeightsFile as error:
        values = {"at": error.at, **error.values}
        sentence = Catalogue(static_dir() / "locales").say(
            DEFAULT, f"errors.{error.code}.{error.reason}", values
        )
        typer.echo(f"--model: {sentence}", err=True)
        raise typer.Exit(2) from None


def _settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        for one in error.errors():
            typer.echo(f"ATTNSCOPE_{str(one['loc'][0]).upper()}: {one['msg']}", err=True)
        raise typer.Exit(2) from None
