"""Rows that show themselves."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import attnscope

ROWS: list[dict[str, Any]] = [{"head": 0, "own": 0.123456}, {"head": 1, "own": None, "name": "<b>"}]


def test_a_table_is_a_list_with_columns() -> None:
    table = attnscope.Table(ROWS)
    assert table == ROWS
    assert table.columns == ["head", "own", "name"]
    np.testing.assert_array_equal(table.column("own"), [0.123456, np.nan])
    assert table.column("name").tolist() == [None, "<b>"]
    with pytest.raises(KeyError, match="the columns are head, own, name"):
        table.column("nope")


def test_it_shows_itself_as_text_and_as_html() -> None:
    table = attnscope.Table(ROWS)
    assert repr(table).splitlines() == [
        "head     own  name",
        "   0  0.1235     –",
        "   1       –   <b>",
    ]
    assert "<td>0.1235</td>" in table._repr_html_()
    assert "&lt;b&gt;" in table._repr_html_()
    many = attnscope.Table({"i": i} for i in range(100))
    assert len(repr(many).splitlines()) == 62
    assert repr(attnscope.Table()) == "Table of no rows"


def test_data_frames_are_made_by_the_libraries_that_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[tuple[Any, Any]] = []
    frames = SimpleNamespace(DataFrame=lambda rows, **options: given.append((rows, options)))
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, frames)
    table = attnscope.Table(ROWS)
    table.to_pandas()
    table.to_polars()
    assert [rows for rows, _ in given] == [ROWS, ROWS]
