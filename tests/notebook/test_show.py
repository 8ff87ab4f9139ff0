"""attnscope.show: what it takes, and the selection that Python has."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest
from traitlets import TraitError

import attnscope
from attnscope.notebook.show import trace_of
from attnscope.notebook.widget import TABS
from attnscope.resources import static_dir

WEIGHTS = np.tril(np.ones((2, 3, 4, 4))) / np.arange(1, 5)[:, None]


def test_everything_that_has_attention_can_be_shown(client: attnscope.Client) -> None:
    trace = client.trace("The cat")
    assert trace_of(trace, "echo", None) is trace
    assert trace_of("The cat", "echo", client).id == trace.id
    assert trace_of("The cat", {"source": "seeded"}, client).shape["num_layers"] == 1
    captured = attnscope.Captured([{"weights": WEIGHTS[:1]}], ["attention"], [list("abcd")])
    assert trace_of(captured, "echo", client).tokens == [list("abcd")]
    listed: Any = (list("abcd"), [layer[None] for layer in WEIGHTS])
    assert trace_of(listed, "echo", client).shape["num_layers"] == 2
    for nothing in (5, None, ("only",), ["a text", "another"]):
        with pytest.raises(attnscope.Problem, match="give a trace, a capture"):
            trace_of(nothing, "echo", client)  # type: ignore[arg-type]
    with pytest.raises(attnscope.Problem) as refused:
        attnscope.show((["a"], WEIGHTS), client=client)
    assert refused.value.status == 422


def test_a_view_has_the_tabs_of_the_page() -> None:
    fields = (static_dir() / "js/core/address/fields.js").read_text(encoding="utf-8")
    found = re.search(r"export const TABS = [^(]*\(\[(.*?)\]", fields, re.S)
    assert found is not None
    assert tuple(re.findall(r'"(\w+)"', found[1])) == TABS


def test_without_anywidget_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "attnscope.notebook.widget", raising=False)
    with pytest.raises(attnscope.Problem, match=r"pip install 'attnscope\[notebook\]'"):
        attnscope.show("The cat")


def test_the_selection_is_in_the_address_and_refuses_what_there_is_not(
    client: attnscope.Client,
) -> None:
    trace = client.trace("The cat sat")
    view = attnscope.show(trace, layer=1, head=2, cell=("weights", 2, 0), tab="heads", lang="zh")
    assert view.address == f"/?lang=zh&t={trace.id}&layer=1&head=2&tab=heads&cell=weights.2.0"
    captured = client.capture(WEIGHTS, tokens=list("abcd"))
    named = f"/?source=captured&id={captured.question['model']['id']}"
    assert attnscope.show(captured, tab="lines").address == f"{named}&tab=lines"
    assert view.cell == ("weights", 2, 0)
    view.cell = ("scores", 1, 1)
    assert (view.stage, view.row, view.col) == ("scores", 1, 1)
    view.cell = None
    assert (view.stage, view.row, view.col) == (None, None, None)
    for name, wrong in {"layer": 2, "head": -1, "tab": "no", "stage": "no", "row": -2}.items():
        with pytest.raises(TraitError):
            setattr(view, name, wrong)
    for wrong in (4, -1):
        with pytest.raises(TraitError, match="there are 4, counted from 0") as refused:
            attnscope.show(trace, head=wrong)
        assert len(refused.value._render_traceback_()) == 2  # type: ignore[attr-defined]
    with pytest.raises(TraitError, match=r"'lang' trait .* any of \['en', 'zh'\]"):
        attnscope.show(trace, lang="fr")
    other = client.trace("A dog ran far", {"source": "seeded", "num_heads": 8})
    view.seen = other.id  # which the front end says
    view.head = 6
    assert view.trace.tokens == other.tokens
    view.height = 10
    assert view.height == 200


def test_a_cell_beyond_the_map_is_refused(client: attnscope.Client) -> None:
    view = attnscope.show(client.trace("The cat sat"), cell=("q", 2, 5))
    for wrong in (("weights", 3, 0), ("weights", 0, 3), ("q", 0, 999), ("concat", 0, 999)):
        with pytest.raises(TraitError, match="counted from 0"):
            view.cell = wrong
        assert view.cell == ("q", 2, 5)
    with pytest.raises(TraitError, match="row is 9: there are 3"):
        attnscope.show(client.trace("The cat sat"), cell=("weights", 9, 0))
    for odd in (("weights", 1), 5, "weights"):
        with pytest.raises(TraitError, match="give stage, row, column"):
            attnscope.show(client.trace("The cat sat"), cell=odd)  # type: ignore[arg-type]
        with pytest.raises(TraitError, match="give stage, row, column"):
            view.cell = odd  # type: ignore[assignment]
    with pytest.raises(TraitError, match="'nothing' is no stage"):
        attnscope.show(client.trace("The cat sat"), cell=("nothing", 0, 0))
    captured = client.capture(WEIGHTS)  # without q
    assert attnscope.show(captured, cell=("q", 3, 7)).cell == ("q", 3, 7)
    model: Any = {"source": "seeded", "block": "decoder"}
    decoder = client.trace("a b c", model, context="d e")
    assert attnscope.show(decoder, cell=("weights", 2, 2)).cell == ("weights", 2, 2)


def test_without_a_kernel_there_is_a_picture_with_the_numbers(client: attnscope.Client) -> None:
    view = attnscope.show((list("abcd"), WEIGHTS), client=client, layer=1)
    data, _ = view._repr_mimebundle_()
    picture = data["image/svg+xml"]
    assert "weights, layer 1, head 0" in picture
    assert ">0.33</text>" in picture
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id
    view.stage = "q"  # which the capture lacks
    assert "image/svg+xml" not in view._repr_mimebundle_()[0]
    view.close()


def test_messages_of_the_front_end_are_answered_by_their_own_view(client: attnscope.Client) -> None:
    """Of two views of one trace each has its channel and its selection."""
    view, other = (attnscope.show(client.trace("The cat")) for _ in range(2))
    sent: list[Any] = []
    elsewhere: list[Any] = []
    view._channel._send = lambda content, buffers: sent.append(content)
    other._channel._send = lambda content, buffers: elsewhere.append(content)
    question = {
        "kind": "ask",
        "id": "1",
        "method": "GET",
        "target": "/api/v1/models",
        "headers": [],
    }
    view._handle_custom_msg(question, [])
    assert [each["kind"] for each in sent] == ["heard", "reply"]
    assert elsewhere == []
    view.head = 2
    view.close()
    assert (other.head, other.trace.id) == (0, view.trace.id)
    other._handle_custom_msg(question, [])
    assert [each["kind"] for each in elsewhere] == ["heard", "reply"]
    other.close()
