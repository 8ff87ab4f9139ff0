from __future__ import annotations

from typing import Protocol

from attnscope.errors import UnknownLayout
from attnscope.weights.formats import WeightsFile
from attnscope.weights.layouts import canonical
from attnscope.weights.layouts.checkpoints import CHECKPOINTS
from attnscope.weights.layouts.recognised import Heads, Recognised
from attnscope.weights.layouts.shapes import listed
from attnscope.weights.layouts.unsupported import maps_in, other_model

__all__ = ["LAYOUTS", "Heads", "Layout", "Recognised", "recognise"]


class Layout(Protocol):
    def match(self, file: WeightsFile) -> bool: ...

    def convert(self, file: WeightsFile, num_heads: Heads) -> Recognised: ...


LAYOUTS: tuple[Layout, ...] = (canonical, *CHECKPOINTS)
LISTED = 20  # tensors in an error


def recognise(file: WeightsFile, num_heads: Heads = None) -> Recognised:
    """`num_heads` overrides the number in the file.

    Raises UnknownLayout, ShapeMismatch, BadWeightsFile, BadMapping, InvalidRequest.
    """
    for layout in LAYOUTS:
        if layout.match(file):
            return layout.convert(file, num_heads)
    if maps := maps_in(file.arrays):
        raise UnknownLayout("attention_maps", at="weights", found=_listed(file, maps))
    if other := other_model(file.arrays):
        raise UnknownLayout(other[0], at="weights", tensor=other[1])
    found = _listed(file, list(file.arrays))
    raise UnknownLayout("not_recognised", at="weights", found=found, count=len(file.arrays))


def _listed(file: WeightsFile, names: list[str]) -> str:
    return listed([f"{name} {list(file.arrays[name].shape)}" for name in names], LISTED)
