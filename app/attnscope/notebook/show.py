from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from attnscope.client.calls import Model
from attnscope.client.problem import Problem, invalid
from attnscope.client.synchronous import Client, Trace
from attnscope.torch_capture.captured_run import Captured

if TYPE_CHECKING:
    from attnscope.notebook.widget import View


def show(
    what: Trace | Captured | str | Sequence[Any], *, model: Model = "echo",
    client: Client | None = None, layer: int = 0, head: int = 0,
    cell: tuple[str, int, int] | None = None, tab: str = "stages", height: int = 700,
    lang: str | None = None,
) -> View:  # fmt: skip
    """Show the page in a notebook cell, without a port.

    Args:
        what: a trace, a capture, a text, or (tokens, attentions) as for `Client.capture`.
        model: the model that reads a text; otherwise unused.
        client: None: a client of this process that all calls share. Unused for a trace.
        layer, head: from 0.
        cell: stage, row, column of the pinned cell, such as ("weights", 5, 2).
        tab: stages, heads, lines, map, gradients, parameters, worth, decode or lab.
        height: in pixels.
        lang: "en" or "zh"; None: the browser's.

    Returns:
        A widget; `layer`, `head`, `stage`, `row`, `col`, `tab` and `height` are synchronised.

    Raises:
        Problem: `not_installed` without anywidget; as `Client.trace` and `Client.capture` do.
        TraitError: no such layer, head, cell, tab or language.
    """
    try:
        from attnscope.notebook.widget import View, parts_of
    except ImportError as error:
        detail = f"attnscope.show needs anywidget ({error}): pip install 'attnscope[notebook]'."
        raise Problem("not_installed", detail) from error
    trace = trace_of(what, model, client)
    stage, row, col = parts_of(cell)
    return View(
        trace, lang=lang, layer=layer, head=head, stage=stage, row=row, col=col, tab=tab,
        height=height,
    )  # fmt: skip


def trace_of(
    what: Trace | Captured | str | Sequence[Any], model: Model, client: Client | None
) -> Trace:
    if isinstance(what, Trace):
        return what
    asked = client or shared_client()
    if isinstance(what, Captured):
        return asked.capture(what)
    if isinstance(what, str):
        return asked.trace(what, model)
    if isinstance(what, Sequence) and len(what) == 2 and not isinstance(what[1], str):
        tokens, attentions = tuple(what)
        return asked.capture(attentions, tokens=tokens)
    wanted = "a trace, a capture, (tokens, attentions), or a text"
    raise invalid(f"{type(what).__name__} cannot be shown: give {wanted}.")


@cache
def shared_client() -> Client:
    """Client that all views of this process share."""
    return Client()
