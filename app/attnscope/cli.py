from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from attnscope import __version__
from attnscope.commands.fetch import fetch
from attnscope.commands.heads import heads
from attnscope.commands.install import install
from attnscope.commands.models import models
from attnscope.commands.options import Accept, Adapters, sentence, settings_of
from attnscope.commands.plot import plot
from attnscope.commands.trace import trace
from attnscope.resources import installed_in, models_dir
from attnscope.serving import serve_on
from attnscope.serving.machine import listeners
from attnscope.settings import Settings

main = typer.Typer(help="attnscope: every number between the words and their attention.")
main.command()(fetch)
main.command()(install)
main.command()(models)
main.command()(trace)
main.command()(heads)
main.command()(plot)


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
    workers: Annotated[int, typer.Option(help="Worker processes.", min=1)] = 1,
    data_dir: Annotated[
        Path | None, typer.Option(help="The data directory, for uploads and questions.")
    ] = None,
    model: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint or .gguf file, or a folder of them; may be repeated."),
    ] = None,
    adapter: Adapters = None,
    accept: Accept = None,
    get_models: Annotated[
        bool | None,
        typer.Option(
            "--get-models/--no-get-models",
            help="Whether visitors may install models.",
            show_default="on loopback",
        ),
    ] = None,
) -> None:
    """Serve the page and the API. Other settings: environment variables ATTNSCOPE_*."""
    settings = settings_of(
        host=host, data_dir=data_dir, models=model, adapters=adapter, accept=accept,
        get_models=get_models,
    )  # fmt: skip
    _check_models(settings)
    if settings.compute and find_spec("distributed") is None:
        typer.echo(
            "ATTNSCOPE_COMPUTE needs dask.distributed: pip install 'attnscope[dask]'.", err=True
        )
        raise typer.Exit(2)
    host_in_url = f"[{settings.host}]" if ":" in settings.host else settings.host  # IPv6
    try:
        sockets = listeners(settings.host, port)
    except OSError as error:
        typer.echo(f"Cannot listen on {host_in_url}:{port}: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    address = f"attnscope {__version__} on http://{host_in_url}:{sockets[0].getsockname()[1]}"
    raise typer.Exit(serve_on(settings, sockets, workers, lambda: typer.echo(address)))


def _check_models(settings: Settings) -> None:
    """Exit if a requested model cannot be opened; report skipped ones."""
    found = installed_in(settings.data_dir)
    if not (settings.models or settings.adapters or settings.accept or found):
        return
    # imported here, as numpy would slow --help
    from attnscope.errors import BadWeightsFile
    from attnscope.installed.model_registry import ModelRegistry

    option = "--model"
    try:
        registry = ModelRegistry(models_dir(), settings.models, found, settings.accept)
        for model in registry.models.values():
            model.pieces  # noqa: B018  (broken models fail here, not in a request)
        option = "--adapter"
        registry.add_adapters(settings.adapters)
    except BadWeightsFile as error:
        typer.echo(f"{option}: {sentence(error)}", err=True)
        raise typer.Exit(2) from None
    for path, wrong in registry.broken.items():
        typer.echo(f"{path} is left out: {sentence(wrong)}", err=True)


if __name__ == "__main__":
    main(prog_name="attnscope")
