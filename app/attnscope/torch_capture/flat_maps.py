"""Record maps [B·h, n, m], as in XGLM and fairseq, and modules that are one head each."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnscope.torch_capture.recorder import Recorder

HEAD_COUNT_NAMES = (
    "num_heads",
    "n_heads",
    "n_head",
    "nheads",
    "nhead",
    "num_attention_heads",
    "heads",
)
PRODUCTS = (
    torch.bmm, torch.matmul, torch.einsum, Tensor.bmm, Tensor.matmul, Tensor.__matmul__,
)  # fmt: skip
IN_LIST = re.compile(r"(.+)\.\d+")


class Place(NamedTuple):
    """A running module and its first input."""

    name: str = ""
    module: nn.Module | None = None
    given: object = None


class FlatMaps:
    """A softmax is attention if its result then multiplies values [B·h, m, d]. Modules of one list
    with the same input are the heads of one layer."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.last: tuple[Tensor, Tensor] | None = None  # weights, masked scores
        self.layer: list[tuple[Tensor, Tensor]] = []
        self.place = Place()

    def softmax(self, weights: Tensor, scores: Tensor) -> None:
        self.last = (weights, scores)

    def product(self, func: Any, args: Any, place: Place) -> None:
        if self.last is None or func not in PRODUCTS:
            return
        operands = args[1:] if func is torch.einsum else args
        left, right = [*operands[:2], None, None][:2]
        weights = self.last[0]
        if getattr(left, "shape", None) != weights.shape or not isinstance(right, Tensor):
            return
        if right.ndim == 3 and right.shape[1] == weights.shape[2]:
            masked = _by_head(self.last[1], place.module)
            self._add(_by_head(weights, place.module), masked, place)
            self.last = None

    def _add(self, weights: Tensor, masked: Tensor, place: Place) -> None:
        if not (_list_name(place) and _list_name(place) == _list_name(self.place)
                and place.given is self.place.given and weights.shape[1] == 1):  # fmt: skip
            self.flush()
        self.place = place
        self.layer.append((weights, masked))

    def flush(self) -> None:
        """Record the heads collected so far as one layer."""
        if self.layer:
            name = self.place.name if len(self.layer) == 1 else _list_name(self.place)
            self.recorder.add(name, *(torch.cat(maps, 1) for maps in zip(*self.layer, strict=True)))
        self.layer = []


def _list_name(place: Place) -> str:
    found = IN_LIST.fullmatch(place.name)
    return found[1] if found else ""


def _by_head(maps: Tensor, module: nn.Module | None) -> Tensor:
    """To [B, h, n, m]; h = 1 if it is unknown or does not divide B·h."""
    counts = [getattr(module, name, None) for name in HEAD_COUNT_NAMES]
    heads = next((one for one in counts if isinstance(one, int) and one > 0), 1)
    return maps.unflatten(0, (-1, heads if maps.shape[0] % heads == 0 else 1))
