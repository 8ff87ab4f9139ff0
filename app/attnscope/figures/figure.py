from __future__ import annotations

from pathlib import Path

from attnscope.figures import SUFFIXES
from attnscope.figures.heatmap import Heatmap
from attnscope.figures.png import png_of
from attnscope.figures.svg import svg_of

PIXELS = 512  # minimum length of a PNG's longer side
CLOSED = (0xEE, 0xF0, 0xF2, 0xFF)  # colour of blank cells


class Figure(Heatmap):
    """Heatmap of one stage of one head. Notebooks show the SVG."""

    def __repr__(self) -> str:
        return f"<figure of {self.title}: {self.rows.count} × {self.cols.count}>"

    def svg(self) -> str:
        """Cells, labels, legend and title."""
        return svg_of(self)

    def png(self) -> bytes:
        """The cells alone, without labels."""
        scale = max(1, -(-PIXELS // max(self.values.shape)))
        pixels = self.pixels
        pixels[self.blank_cells] = CLOSED
        return png_of(pixels.repeat(scale, 0).repeat(scale, 1))

    def save(self, path: str | Path) -> Path:
        """Write a .svg or .png file. Raises ValueError for other endings, and OSError."""
        file = Path(path)
        if file.suffix.lower() not in SUFFIXES:
            raise ValueError(f"{file.name}: choose a name that ends in .svg or .png.")
        if file.suffix.lower() == ".svg":
            file.write_text(self.svg(), encoding="utf-8")
        else:
            file.write_bytes(self.png())
        return file

    def _repr_svg_(self) -> str:
        return self.svg()
