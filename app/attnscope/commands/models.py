from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from attnscope.commands.options import Accept, Adapters, AsJson, DataDir, sentence, settings_of
from attnscope.commands.table import columns, offered, size
from attnscope.installed.catalogue import OFFERS
from attnscope.resources import installed_dir, installed_in, models_dir
from attnscope.settings import Settings

HEAD = ("name", "family", "layers × heads", "context", "size", "from", "path")


class Row(NamedTuple):
    """`bytes`: size of the weights. `context`: in tokens."""

    name: str
    family: str
    layers: int
    heads: int
    context: int
    bytes: int
    origin: str
    path: str

    def cells(self) -> tuple[str, ...]:
        sizes = f"{self.layers} × {self.heads}"
        return (self.name, self.family, sizes, str(self.context), size(self.bytes),
                self.origin, self.path)  # fmt: skip


class Broken(NamedTuple):
    path: str
    reason: str


def models(
    data_dir: DataDir = None,
    model: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint on the disk, or a folder of some; may be repeated."),
    ] = None,
    accept: Accept = None,
    adapter: Adapters = None,
    as_json: AsJson = False,
) -> None:
    """List the models that serve would open, and those that can be installed."""
    settings = settings_of(data_dir=data_dir, models=model, adapters=adapter, accept=accept)
    rows, broken = _open_models(settings)
    there = {row.name for row in rows} | {path.name for path in installed_in(settings.data_dir)}
    offers = [offer for offer in OFFERS.values() if offer.name not in there]
    if as_json:
        fields = {
            "models": [row._asdict() for row in rows],
            "broken": [one._asdict() for one in broken],
            "to_install": [
                {"name": one.name, "about": one.about, "bytes": one.bytes} for one in offers
            ],
        }
        typer.echo(json.dumps(fields, ensure_ascii=False, indent=2))
        return
    for line in columns([HEAD, *(row.cells() for row in rows)]):
        typer.echo(line)
    if broken:
        typer.echo("\nCannot be opened:")
    for one in broken:
        typer.echo(f"  {one.path}: {one.reason}")
    if offers:
        typer.echo("\nCan be installed with attnscope install NAME:")
    for line in offered(offers):
        typer.echo(line)


def _open_models(settings: Settings) -> tuple[list[Row], list[Broken]]:
    from attnscope.errors import BadWeightsFile
    from attnscope.installed.model_registry import ModelRegistry

    installed, adapters = installed_in(settings.data_dir), settings.adapters
    try:
        registry = ModelRegistry(
            models_dir(), settings.models, installed,
            adapters=adapters, accepted=settings.accept, strict=False,
        )  # fmt: skip
        registry.check_accepted()
    except BadWeightsFile as error:
        typer.echo(sentence(error), err=True)
        raise typer.Exit(2) from None
    rows = []
    for name, one in registry.models.items():
        about, path = one.config, one.revisions[one.newest]
        layers, heads = about.architecture.num_layers, about.architecture.shape.num_heads
        rows.append(
            Row(name, about.family, layers, heads, about.context, one.bytes,
                _origin(path, settings), str(path))
        )  # fmt: skip
    broken = [
        Broken(str(path.resolve()), sentence(error)) for path, error in registry.broken.items()
    ]
    return rows, broken


def _origin(path: Path, settings: Settings) -> str:
    if path.is_relative_to(models_dir()):
        return "shipped"
    installed = installed_dir(settings.data_dir).resolve()
    return "installed" if path.is_relative_to(installed) else "named"
