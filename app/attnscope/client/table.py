from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHOWN = 60  # rows printed


class Table(list[dict[str, Any]]):
    """A list of dicts with the same keys."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        super().__init__(dict(row) for row in rows)

    @property
    def columns(self) -> list[str]:
        """Column names in order."""
        return list(dict.fromkeys(name for row in self for name in row))

    def column(self, name: str) -> NDArray[Any]:
        """One column [rows], NaN for missing numbers. Raises KeyError."""
        if name not in self.columns:
            raise KeyError(f"{name}: the columns are {', '.join(self.columns)}")
        values = [row.get(name) for row in self]
        if all(value is None or isinstance(value, int | float) for value in values):
            return np.array([np.nan if value is None else value for value in values])
        return np.array(values, dtype=object)

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        return import_module("pandas").DataFrame(list(self), columns=self.columns)

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        return import_module("polars").DataFrame(list(self), infer_schema_length=None)

    def lines(self) -> list[tuple[str, ...]]:
        """Column names, then rows, as text."""
        names = self.columns
        return [tuple(names), *(tuple(_text(row.get(name)) for name in names) for row in self)]

    def aligned(self, most: int | None = None) -> list[str]:
        """Column names and at most `most` rows, as lines of text."""
        lines = self.lines()[: None if most is None else most + 1]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        ]

    def __repr__(self) -> str:
        if not self:
            return "Table of no rows"
        more = [f"… {len(self)} rows"] if len(self) > SHOWN else []
        return "\n".join([*self.aligned(SHOWN), *more])

    def _repr_html_(self) -> str:
        head, *rows = self.lines()[: SHOWN + 1]
        body = [_html_row(row, "td") for row in rows]
        more = f"<p>{len(self)} rows</p>" if len(self) > SHOWN else ""
        return f"<table>{_html_row(head, 'th')}{''.join(body)}</table>{more}"


def _text(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _html_row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
