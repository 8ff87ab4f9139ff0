"""Figures: colours, files, names and what is closed."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import attnscope
from attnscope.figures.figure import Figure
from attnscope.figures.heatmap import Side, colors_of
from attnscope.figures.png import png_of
from tests.client.conftest import SEEDED

NAMES = ["The", "·<cat>"]


def figure_of(values: np.ndarray, closed: np.ndarray | None = None, **more: object) -> Figure:
    rows, cols = values.shape
    given = {
        "title": "weights", "about": "a & b", "values": values, "kind": "sequential",
        "closed": np.zeros(values.shape, bool) if closed is None else closed,
        "rows": Side("query", None, rows), "cols": Side("key", None, cols), **more,
    }  # fmt: skip
    return Figure(**given)  # type: ignore[arg-type]


def pixels_in(png: bytes) -> np.ndarray:
    """The pixels of a file whose lines have no filter."""
    cols, rows = struct.unpack(">II", png[16:24])
    at = png.index(b"IDAT")
    size = struct.unpack(">I", png[at - 4 : at])[0]
    lines = np.frombuffer(zlib.decompress(png[at + 4 : at + 4 + size]), np.uint8)
    return lines.reshape(rows, 1 + 4 * cols)[:, 1:].reshape(rows, cols, 4)


def test_a_cell_has_the_colour_of_its_number_and_a_closed_one_none() -> None:
    values = np.array([[0.0, 1.0], [0.5, np.nan]])
    figure = figure_of(values, np.array([[True, False], [False, False]]))
    colors = colors_of("sequential")
    assert figure.pixels[0, 1].tolist() == [*colors[255], 255]
    assert figure.pixels[1, 0].tolist() == [*colors[128], 255]
    assert figure.pixels[0, 0, 3] == figure.pixels[1, 1, 3] == 0
    signed = figure_of(np.array([[-2.0, 0.0, 2.0]]), kind="diverging")
    assert signed.ends == (-2, 2)
    assert signed.steps.tolist() == [[0, 128, 255]]
    empty = figure_of(np.full((1, 2), -np.inf), kind="diverging")
    assert empty.blank_cells.all()
    assert empty.svg()


def test_svg_is_xml_with_every_cell_number_and_name() -> None:
    side = Side("query", NAMES, 2)
    figure = figure_of(np.array([[1.0, 0.0], [0.25, 0.75]]), rows=side, cols=side)
    tree = ElementTree.fromstring(figure.svg())
    texts = [each.text for each in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:2] == ["weights", "a & b"]
    assert {"1.00", "0.25", "0.75", "·<cat>", "query →", "query ↓"} <= set(texts)
    paths = [each.get("d") for each in tree.iter("{http://www.w3.org/2000/svg}path")]
    assert sum(path.count("h1v1h-1z") for path in paths) == 4
    assert figure._repr_svg_() == figure.svg()
    strange = figure_of(np.ones((1, 1)), rows=Side("query", ["a\x00\ud7ff"], 1))
    ElementTree.fromstring(strange.svg())


def test_large_maps_are_one_bitmap_and_names_keep_a_distance() -> None:
    values = np.random.default_rng(0).random((300, 300))
    names = [f"t{at}" for at in range(600)]
    side = Side("query", names, 600, 2)
    svg = figure_of(values, rows=side, cols=side).svg()
    assert svg.count("<image") == 1
    shown = [int(name) for name in re.findall(r">t(\d+)<", svg)]
    assert len(shown) < 100
    assert set(np.diff(shown[: len(shown) // 2])) == {shown[1] - shown[0]}


def test_png_has_the_pixels(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (3, 5, 4), np.uint8)
    np.testing.assert_array_equal(pixels_in(png_of(pixels)), pixels)
    figure = figure_of(np.array([[1.0, 0.0]]), np.array([[False, True]]))
    saved = pixels_in(figure.save(tmp_path / "a.png").read_bytes())
    assert saved.shape == (256, 512, 4)
    assert saved[0, 0].tolist() == [*colors_of("sequential")[255], 255]
    assert (saved[..., 3] == 255).all()
    with pytest.raises(ValueError, match=r"ends in \.svg or \.png"):
        figure.save(tmp_path / "a.gif")


@pytest.fixture(scope="module")
def client() -> attnscope.Client:
    return attnscope.Client()


def test_figures_of_a_trace(client: attnscope.Client) -> None:
    trace = client.trace(["The cat sat", "A dog"], SEEDED)
    figure = trace.figure(layer=1, head=-1, batch=1)
    np.testing.assert_allclose(figure.values, trace.layers[1].weights[1, -1, :2, :2])
    assert figure.closed.tolist() == [[False, True], [False, False]]
    assert figure.cols.names == ["A", "dog"]
    assert "layer 1, head 3" in figure.title
    keys = trace.figure("k", head=1)
    assert keys.cols.names is None
    assert keys.kind == "diverging"
    assert trace.figure("x").title == "x, layer 0"
    for wrong in ("w_q", "nothing"):
        with pytest.raises(attnscope.Problem, match="no figure of"):
            trace.figure(wrong)
    long = client.trace("one two three four five " * 130, {"source": "seeded"})
    figure = long.figure()
    assert figure.values.shape == (325, 325)
    assert (figure.rows.step, figure.rows.count) == (2, 650)
    whole = long.layers[0].weights[0, 0]
    np.testing.assert_allclose(figure.values[10, 3], whole[20:22, 6:8].max(), atol=0.01)
    assert figure.closed[0, 1]
    assert not figure.closed[0, 0]
    client.close()
