"""attnscope serve: the command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from app import __version__

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
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(help="Processes that answer.", min=1)] = 1,
    data_dir: Annotated[
        Path | None, typer.Option(help="Uploads and questions are kept here.")
    ] = None,
) -> None:
    """Serve the page and the API. Other settings: environment variables ATTNSCOPE_*."""
    if data_dir is not None:
        os.environ["ATTNSCOPE_DATA_DIR"] = str(data_dir)  # the workers read it from there
    typer.echo(f"attnscope {__version__} on http://{host}:{port}")
    uvicorn.run(
        "app.main:create_app",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_level="warning",
        server_header=False,
    )
