from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attnscope.learn.chapter import Chapter
from attnscope.learn.parts import Figure
from attnscope.trace.trace import Trace

MOST = 32  # most rows and columns


@dataclass(frozen=True)
class Thumbnail:
    figure: Figure
    stage: str

    def values(self, trace: Trace) -> np.ndarray:
        """Cells [row, column]; −∞ in closed ones."""
        look = self.figure.look
        layer = trace.layers[look.get("layer", 0)]
        array = layer[self.stage][0]
        if self.stage == "weights":  # a weight of 0 may be an open cell
            array = np.where(np.isneginf(layer["masked_scores"][0]), -np.inf, array)
        if array.ndim == 3:  # first axis: heads, or key/value heads, which may be fewer
            array = array[min(look.get("head", 0), len(array) - 1)]
        return np.ascontiguousarray(array[:MOST, :MOST].astype(float).round(4))


def thumbnail_of(chapter: Chapter) -> Thumbnail:
    """The first figure with stages: the stage of its pinned cell, or its last stage."""
    drawn = [figure for figure in chapter.figures if figure.stages]
    if not drawn:
        return Thumbnail(chapter.figures[0], "weights")
    stage, *_ = drawn[0].look.get("cell", drawn[0].stages[-1:])
    return Thumbnail(drawn[0], stage)
