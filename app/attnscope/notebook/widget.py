from __future__ import annotations

import weakref
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlencode

import anywidget
import traitlets

from attnscope.client.problem import Problem
from attnscope.client.synchronous import Trace
from attnscope.errors import ShortTraceback
from attnscope.notebook.channel import Channel
from attnscope.notebook.frame import VERSION, WIDGET
from attnscope.trace.stages import BY_NAME

TABS = ("stages", "heads", "lines", "map", "gradients", "parameters", "worth", "decode", "lab")
LEAST_HEIGHT = 200


class WrongSelection(ShortTraceback, traitlets.TraitError):
    """A selection that the trace lacks."""


class View(anywidget.AnyWidget):
    """The page of a trace in a cell, with a synchronised selection.

    Attributes:
        layer, head: from 0.
        stage, row, col: of the pinned cell, or None.
        tab: as for `show`.
        height: in pixels.
        address: path of the page.
        trace: the trace shown, also after a new question on the page.
        seen: id of the trace shown; empty until the page has loaded.
        still: SVG for viewers without a kernel.
        lang: of the page when it opens.

    Raises TraitError for invalid values.
    """

    _esm = WIDGET
    version = traitlets.Unicode(VERSION).tag(sync=True)
    address = traitlets.Unicode("/").tag(sync=True)
    seen = traitlets.Unicode("").tag(sync=True)
    still = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(700).tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    stage = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    row = traitlets.Int(None, allow_none=True).tag(sync=True)
    col = traitlets.Int(None, allow_none=True).tag(sync=True)
    tab = traitlets.Enum(TABS, "stages").tag(sync=True)
    lang = traitlets.Enum(("en", "zh"), None, allow_none=True)

    def __init__(self, trace: Trace, **selected: Any):
        self._trace = trace
        try:
            super().__init__(**selected)
        except traitlets.TraitError as error:
            raise WrongSelection(str(error)) from None
        query = ({"lang": self.lang} if self.lang else {}) | _page_query(trace)
        self.address = f"/?{urlencode(query | self._selection())}"
        # A strong reference would keep the widget alive.
        send = partial(_send, weakref.ref(self))
        self._channel = channel = Channel(trace._client._loop, trace._client._client._server, send)
        self.on_msg(lambda _, content, buffers: channel.receive(content, buffers))

    @property
    def trace(self) -> Trace:
        """Raises Problem: `unknown_trace` if the server has evicted it."""
        if self.seen not in ("", self._trace.id):
            self._trace = self._trace._client.open(self.seen)
        return self._trace

    @property
    def cell(self) -> tuple[str, int, int] | None:
        """Stage, row and column of the pinned cell, set together."""
        if self.row is None or self.col is None:
            return None
        return self.stage or "weights", self.row, self.col

    @cell.setter
    def cell(self, cell: tuple[str, int, int] | None) -> None:
        with self.hold_sync(), self.hold_trait_notifications():
            self.stage, self.row, self.col = parts_of(cell)

    def close(self) -> None:
        """End the widget and its requests."""
        if hasattr(self, "_channel"):
            self._channel.close()
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Add a picture for viewers without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        with suppress(Problem):  # the trace may lack the stage
            figure = self.trace.figure(self.stage or "weights", self.layer, self.head)
            self.still = figure.svg()
            data = {**data, "image/svg+xml": self.still, "text/plain": repr(self.trace)}
        return data, metadata

    @traitlets.validate("layer", "head")
    def _check_place(self, proposal: Any) -> int:
        name, value = proposal.trait.name, int(proposal.value)
        self._check_number(name, value, self._trace.shape[f"num_{name}s"])
        return value

    @traitlets.validate("row", "col")
    def _check_cell(self, proposal: Any) -> int | None:
        name, value = proposal.trait.name, proposal.value
        if value is None:
            return None
        stage = BY_NAME.get(self.stage or "weights")  # of `show`, maybe not validated yet
        axis = stage.axes[-2 if name == "row" else -1] if stage else ""
        self._check_number(name, int(value), _count(self._trace, axis))
        return int(value)

    def _check_number(self, name: str, value: int, count: int | None) -> None:
        """`count` is of the trace; of another one, which the page shows, it is not known."""
        if self.seen not in ("", self._trace.id):
            count = None
        if value < 0 or (count is not None and value >= count):
            there = "it is" if count is None else f"there are {count},"
            raise WrongSelection(f"{name} is {value}: {there} counted from 0.")

    @traitlets.validate("stage")
    def _check_stage(self, proposal: Any) -> str | None:
        stage: str | None = proposal.value
        if stage is not None and stage not in BY_NAME:
            raise WrongSelection(f"{stage!r} is no stage: {', '.join(BY_NAME)}.")
        return stage

    @traitlets.validate("height")
    def _check_height(self, proposal: Any) -> int:
        return max(LEAST_HEIGHT, int(proposal.value))

    def _selection(self) -> dict[str, str | int]:
        usual = {"layer": 0, "head": 0, "tab": "stages"}
        chosen: dict[str, str | int] = {
            name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]
        }
        if self.cell is not None:
            chosen["cell"] = ".".join(map(str, self.cell))
        return chosen


def parts_of(cell: Any) -> tuple[Any, Any, Any]:
    """Stage, row and column. Raises TraitError."""
    if cell is None:
        return None, None, None
    if not isinstance(cell, tuple | list) or len(cell) != 3:
        raise WrongSelection(f'cell is {cell!r}: give stage, row, column: ("weights", 5, 2).')
    return cell[0], cell[1], cell[2]


def _page_query(trace: Trace) -> dict[str, str]:
    """Query of the page. The id of a capture saves the page a request."""
    model = trace.question.get("model") or {}
    if model.get("source") == "captured":
        return {"source": "captured", "id": str(model["id"])}
    return {"t": trace.id}


def _count(trace: Trace, axis: str) -> int | None:
    """Length of an axis; None: unknown. Of n or m keys in a decoder's layers, the larger."""
    shape: dict[str, int | None] = dict(trace.shape)
    n, m, heads, width = (shape[name] for name in ("n", "m", "num_heads", "d_v"))
    if (trace.question.get("model") or {}).get("block") == "decoder":
        m = max(n or 0, m or 0)
    concat = heads * width if heads and width else None
    return {**shape, "query": n, "key": m, "head·d_v": concat}.get(axis)


def _send(widget: weakref.ref[View], content: dict[str, Any], buffers: list[bytes]) -> None:
    there = widget()
    if there is not None and there.comm is not None:
        there.send(content, buffers)
