from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from attnscope.commands.options import (
    AsJson,
    CommandError,
    DataDir,
    Key,
    ModelPaths,
    Name,
    Url,
    failures,
    model_of,
    open_client,
)

Rows = Sequence[dict[str, Any]]
PLACE = ("layer", "head")


def heads(
    name: Name,
    texts: Annotated[Path, typer.Argument(help="A file, one text per line; - reads the input.")],
    url: Url = None,
    key: Key = None,
    data_dir: DataDir = None,
    model: ModelPaths = None,
    as_json: AsJson = False,
) -> None:
    """Measure every head on the texts of a file, and print the mean of each measure."""
    from attnscope.client.progress import tracked
    from attnscope.client.table import Table

    with failures():
        lines = _lines_of(texts)
    with open_client(url, key, data_dir, model) as client:
        traces, measured = [], []
        for line in tracked(lines, "measuring", len(lines), "text"):
            traces.append(client.trace(line, model_of(name)))
            measured.append(traces[-1].heads())
    means = Table(_means(measured))
    if as_json:
        each = [
            {"text": line, "trace": trace.id, "heads": rows}
            for line, trace, rows in zip(lines, traces, measured, strict=True)
        ]
        reply = {"mean": means, "texts": each}
        typer.echo(json.dumps(reply, ensure_ascii=False, indent=2))
        return
    for row in means.aligned():
        typer.echo(row)


def _lines_of(texts: Path) -> list[str]:
    try:
        text = _read_input() if str(texts) == "-" else texts.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{texts} is no text in UTF-8 (byte {error.start}): save it as UTF-8."
        raise CommandError(message) from None
    except OSError as error:
        raise CommandError(f"{texts} cannot be read: {error}") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise CommandError(f"{texts} holds no text: write one a line.")
    return lines


def _read_input() -> str:
    if sys.stdin is None:
        raise OSError("the input is closed")
    return sys.stdin.read().removeprefix("\ufeff")


def _means(measured: Sequence[Rows]) -> list[dict[str, Any]]:
    """Mean of each measure over the texts in which it is defined."""
    means = []
    for same in zip(*measured, strict=True):
        row = {place: same[0][place] for place in PLACE}
        for column in (name for name in same[0] if name not in PLACE):
            values = [one[column] for one in same if one[column] is not None]
            row[column] = fmean(values) if values else None
        means.append(row)
    return means
