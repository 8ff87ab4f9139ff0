from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

import numpy as np

from attnscope.figures.heatmap import Heatmap, Side, colors_of, is_bright
from attnscope.figures.png import png_of

MOST_VECTOR = 64 * 64  # cells; larger maps are one bitmap
MOST_NUMBERS = 16 * 16  # cells; larger maps show no numbers
EDGE, TOP, PITCH = 12.0, 58.0, 12.0  # pixels
LETTER, WIDE_LETTER = 6.4, 11.0
INK, MUTED, HATCH = "#1b2026", "#59626d", "#9aa3ad"
FORBIDDEN_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # forbidden in XML


class Box(NamedTuple):
    left: float
    top: float
    wide: float
    high: float
    rows: int
    cols: int

    @property
    def frame(self) -> str:
        size = f'width="{_short(self.wide * self.cols)}" height="{_short(self.high * self.rows)}"'
        return f'x="{_short(self.left)}" y="{_short(self.top)}" {size}'


def svg_of(figure: Heatmap) -> str:
    rows, cols = figure.values.shape
    square = min(36.0, max(480 / max(rows, cols), 0.4))
    is_map = figure.rows.names is not None and figure.cols.names is not None
    wide = square if is_map else min(28.0, max(560 / cols, 0.4))
    high = square if is_map else min(20.0, max(320 / rows, 0.4))
    flat = figure.cols.names is None or _widest(figure.cols) + 4 <= wide
    titles = max(_width(figure.rows.title), _width(figure.cols.title))
    left = EDGE + max(titles, _widest(figure.rows)) + 8
    top = TOP + (16 if flat else _widest(figure.cols) + 8)
    box = Box(left, top, wide, high, rows, cols)
    head = 1.3 * max(_width(figure.title), _width(figure.about))
    width = int(max(left + wide * cols, 2 * EDGE + head, left + 320) + EDGE) + 1
    height = int(top + high * rows + 46) + 1
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *_definitions(figure),
        _text(EDGE, 22, figure.title, 'font-size="14" font-weight="600"'),
        _text(EDGE, 38, figure.about, f'fill="{MUTED}"'),
        *_cells(figure, box),
        *_names(figure, box, flat),
        *_legend(figure, left, top + high * rows + 18),
        "</svg>",
    ])  # fmt: skip


def _definitions(figure: Heatmap) -> Iterator[str]:
    colors = colors_of(figure.kind)
    stops = "".join(
        f'<stop offset="{100 * at / 16:g}%" stop-color="{_hex(colors[min(255, at * 16)])}"/>'
        for at in range(17)
    )
    yield (
        '<defs><pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse">'
        f'<rect width="4" height="4" fill="#eef0f2"/><path d="M0 4L4 0" stroke="{HATCH}" '
        f'stroke-width="0.8"/></pattern><linearGradient id="ramp-{figure.kind}">{stops}'
        "</linearGradient></defs>"
    )


def _cells(figure: Heatmap, box: Box) -> Iterator[str]:
    yield f'<rect {box.frame} fill="url(#hatch)"/>'
    if figure.values.size > MOST_VECTOR:
        data = base64.b64encode(png_of(figure.pixels)).decode()
        yield (
            f'<image {box.frame} preserveAspectRatio="none" style="image-rendering: pixelated" '
            f'href="data:image/png;base64,{data}"/>'
        )
        return
    colors, steps, shut = colors_of(figure.kind), figure.steps, figure.blank_cells
    turned = f"translate({_short(box.left)} {_short(box.top)}) scale({box.wide:.4g} {box.high:.4g})"
    yield f'<g transform="{turned}" shape-rendering="crispEdges">'
    for step in np.unique(steps[~shut]):
        places = np.argwhere((steps == step) & ~shut)
        path = "".join(f"M{col} {row}h1v1h-1z" for row, col in places)
        yield f'<path fill="{_hex(colors[step])}" d="{path}"/>'
    yield "</g>"
    if figure.values.size <= MOST_NUMBERS:
        yield from _numbers(figure, box)


def _numbers(figure: Heatmap, box: Box) -> Iterator[str]:
    bright, steps = is_bright(figure.kind), figure.steps
    yield '<g font-size="9" text-anchor="middle">'
    for row, col in np.argwhere(~figure.blank_cells):
        x, y = box.left + (col + 0.5) * box.wide, box.top + (row + 0.5) * box.high + 3
        ink = "#000" if bright[steps[row, col]] else "#fff"
        yield _text(x, y, _number(figure.values[row, col]), f'fill="{ink}"')
    yield "</g>"


def _names(figure: Heatmap, box: Box, flat: bool) -> Iterator[str]:
    yield f'<g fill="{MUTED}">'
    for row in range(0, box.rows, _label_step(box.high, PITCH)):
        y = box.top + (row + 0.5) * box.high + 4
        yield _text(box.left - 6, y, _name(figure.rows, row), 'text-anchor="end"')
    across = box.wide if figure.cols.names and flat else PITCH if figure.cols.names else 22
    for col in range(0, box.cols, _label_step(box.wide, across)):
        x, name = box.left + (col + 0.5) * box.wide, _name(figure.cols, col)
        if flat:
            yield _text(x, box.top - 6, name, 'text-anchor="middle"')
        else:
            turned = f'transform="rotate(-90 {_short(x + 4)} {_short(box.top - 6)})"'
            yield _text(x + 4, box.top - 6, name, turned)
    yield "</g>"
    end = f'text-anchor="end" fill="{INK}"'
    yield _text(box.left - 6, box.top - 20, f"{figure.cols.title} →", end)
    yield _text(box.left - 6, box.top - 7, f"{figure.rows.title} ↓", end)


def _legend(figure: Heatmap, left: float, top: float) -> Iterator[str]:
    low, high = (_number(end) for end in figure.ends)
    start = _width(low) + 6
    yield _text(left, top + 9, low)
    frame = f'x="{_short(left + start)}" y="{_short(top)}" width="120" height="10"'
    yield f'<rect {frame} fill="url(#ramp-{figure.kind})"/>'
    yield _text(left + start + 126, top + 9, high)
    if figure.uses_square_root:
        yield _text(left + start + 60, top + 22, "0.25", 'text-anchor="middle"')
    if figure.blank_cells.any():
        swatch = left + start + 126 + _width(high) + 16
        frame = f'x="{_short(swatch)}" y="{_short(top)}" width="14" height="10"'
        yield f'<rect {frame} fill="url(#hatch)" stroke="{HATCH}" stroke-width="0.5"/>'
        yield _text(swatch + 19, top + 9, "masked")


def _label_step(pitch: float, room: float) -> int:
    step = 1
    while step * pitch < room:
        step *= 2
    return step


def _name(side: Side, at: int) -> str:
    at *= side.step
    return side.names[at] if side.names is not None else str(at)


def _widest(side: Side) -> float:
    return max(map(_width, side.names), default=0.0) if side.names is not None else 24.0


def _width(text: str) -> float:
    """Estimated width in pixels."""
    return sum(WIDE_LETTER if ord(letter) >= 0x1100 else LETTER for letter in text)


def _text(x: float, y: float, text: str, more: str = "") -> str:
    said = escape(FORBIDDEN_IN_XML.sub("\ufffd", text))
    return f'<text x="{_short(x)}" y="{_short(y)}" {more}>{said}</text>'


def _number(value: float) -> str:
    shown = f"{value:.3g}" if abs(value) >= 10 else f"{value:.2f}"
    return shown.replace("-", "−")


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _hex(color: np.ndarray) -> str:
    return f"#{color.tobytes().hex()}"
