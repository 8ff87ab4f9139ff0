"""What goes wrong is a Problem that says what to do."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import attnscope

Ask = Callable[[Any], object]  # Any: what types refuse is asked too
ASKED: list[tuple[str, str, Ask]] = [
    ("empty_text", "type at least one word", lambda here: here.trace("")),
    ("invalid_request", "send text, or tokens, or x", lambda here: here.trace()),
    ("invalid_request", "text is 3", lambda here: here.trace(3)),
    ("unknown_model", "there are addition, echo", lambda here: here.trace("a", "nope")),
    ("invalid_request", "model is 3: give", lambda here: here.trace("a", 3)),
    ("invalid_request", "no field temprature", lambda here: here.trace("a", temprature=2)),
    ("invalid_request", "stages chooses a part", lambda here: here.trace("a", stages=["q"])),
    ("invalid_request", "JSON cannot", lambda here: here.trace("a", {"seed": {1}})),
    ("invalid_request", "scale is NaN", lambda here: here.trace("a", scale=float("nan"))),
    ("invalid_request", "scale is Infinity", lambda here: here.trace("a", scale=np.float64("inf"))),
    ("non_finite", "x holds NaN", lambda here: here.trace(x=np.full((1, 128), np.nan))),
    ("non_finite", "x holds NaN", lambda here: here.trace(x=[[float("nan")] * 128])),
    ("too_many_tokens", "at most 128", lambda here: here.trace("cat " * 2000)),
    ("unknown_trace", "No trace abc", lambda here: here.open("abc")),
    ("invalid_request", "a capture", lambda here: here.delete_capture(here.trace("a"))),
]
LOOKED: list[tuple[str, str, Ask]] = [
    ("unknown_stage", "no stage nonsense", lambda trace: trace.block("nonsense")),
    ("invalid_request", "layer is 9: it runs", lambda trace: trace.block("q", layer=9)),
    ("invalid_request", "layer is -9: it runs", lambda trace: trace.block("q", layer=-9)),
    ("invalid_request", "head is -9: it runs", lambda trace: trace.cell("q", head=-9)),
    ("invalid_request", "rows is -9: it runs", lambda trace: trace.block("q", rows=-9)),
    ("invalid_request", "rows is “9:10”", lambda trace: trace.block("q", rows=9)),
    ("invalid_request", "holds nothing", lambda trace: trace.block("q", rows=slice(-1, 0))),
    ("invalid_request", "1.5 is no span", lambda trace: trace.block("q", cols=1.5)),
    ("no_predictions", "predicts nothing", lambda trace: trace.predictions()),
]


@pytest.mark.parametrize(("code", "said", "ask"), ASKED)
def test_a_wrong_question(code: str, said: str, ask: Ask, here: attnscope.Client) -> None:
    with pytest.raises(attnscope.Problem) as problem:
        ask(here)
    assert problem.value.code == code
    assert said in str(problem.value)


@pytest.mark.parametrize(("code", "said", "look"), LOOKED)
def test_a_wrong_place(code: str, said: str, look: Ask, trace: attnscope.Trace) -> None:
    with pytest.raises(attnscope.Problem) as problem:
        look(trace)
    assert problem.value.code == code
    assert said in str(problem.value)


def test_a_problem_of_the_api_keeps_all_that_it_says(here: attnscope.Client) -> None:
    with pytest.raises(attnscope.Problem) as caught:
        here.trace("a", foo=1, bar=2)
    problem = caught.value
    assert (problem.code, problem.status) == ("invalid_request", 422)
    assert [error["at"] for error in problem.errors] == ["foo", "bar"]
    assert problem.detail == problem.errors[0]["message"]
    assert problem.errors[1]["message"] in str(problem)
    assert str(problem).endswith("(invalid_request, status 422)")
    assert len(problem.request_id or "") == 32
    again = pickle.loads(pickle.dumps(problem))
    assert vars(again) == vars(problem)
    assert str(again) == str(problem)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://x", "neither http nor https"),
        ("http://", "no host"),
        ("127.0.0.1:99999", "ports end at 65535"),
        ("http://x/?lang=zh", "what follows the host"),
        ("http://a b", "a space in it"),
    ],
)
def test_an_address_that_is_none(url: str, why: str) -> None:
    with pytest.raises(attnscope.Problem, match=why) as problem:
        attnscope.Client(url)
    assert (problem.value.code, problem.value.status) == ("bad_address", None)


@pytest.mark.parametrize("key", ["", "schlüssel", "two\nlines"])
def test_a_key_that_is_none_is_not_repeated(key: str) -> None:
    with pytest.raises(attnscope.Problem, match="copy it again") as problem:
        attnscope.Client("http://127.0.0.1:1", key)
    assert problem.value.code == "wrong_key"


def test_a_closed_client_and_one_that_mixes_both_ways() -> None:
    client = attnscope.Client("http://127.0.0.1:1")
    client.close()
    client.close()
    with pytest.raises(attnscope.Problem, match="make another one"):
        client.trace("a")
    options: dict[str, Any] = {"models": ["somewhere"]}
    with pytest.raises(attnscope.Problem, match="leave them out"):
        attnscope.Client("http://127.0.0.1:1", **options)


class MetaTensor:
    """As a tensor of PyTorch's meta device, which holds no numbers."""

    def detach(self) -> MetaTensor:
        return self

    def cpu(self) -> None:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, "at least one array"),
        ({"weights": np.array([["a"]], dtype=object)}, "must hold numbers"),
        ({"weights": np.ones((1, 2, 2), np.uint16).view("V2")}, "raw bytes .*: give it as float32"),
        ({"weights": [[1, 2], [3]]}, "weights is no array"),
        ({"weights": MetaTensor()}, "weights is no array: Cannot copy out of meta tensor"),
        ({"weights": np.ma.masked_equal(np.eye(2)[None], 0)}, "a masked array"),
        ({"wieghts": np.ones((1, 2, 2))}, "no arrays named wieghts"),
        ({"weights": np.ones((1, 2, 2)), "tokens": ["a"]}, "tokens has 1 token, "),
    ],
)
def test_a_wrong_capture(arrays: dict[str, Any], said: str, here: attnscope.Client) -> None:
    with pytest.raises(attnscope.Problem, match=said):
        here.capture(**arrays)


def test_a_closed_client_of_an_event_loop_does_not_start_again() -> None:
    async def use_after_closing() -> None:
        async with attnscope.AsyncClient() as client:
            trace = await client.trace("a b")
        with pytest.raises(attnscope.Problem, match="make another one"):
            await trace.layers[0].weights

    async def use_another_after_closing() -> None:
        async with attnscope.AsyncClient("http://127.0.0.1:1") as client:
            assert repr(client) == "<client of http://127.0.0.1:1>"
        with pytest.raises(attnscope.Problem, match="make another one") as problem:
            await client.trace("a b")
        assert problem.value.code == "closed"

    asyncio.run(use_after_closing())
    asyncio.run(use_another_after_closing())


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), "5", None])
def test_a_time_limit_that_no_reply_can_keep(seconds: Any) -> None:
    with pytest.raises(attnscope.Problem, match="a number of seconds above 0"):
        attnscope.Client("http://127.0.0.1:1", timeout=seconds)


def test_pickling_says_what_to_do_instead(here: attnscope.Client) -> None:
    trace = here.trace("a b")
    remote = attnscope.Client("http://127.0.0.1:1")
    for one in (here, remote, trace, trace.layers[0]):
        with pytest.raises(TypeError, match="open a trace there by its id"):
            pickle.dumps(one)
    remote.close()


def test_a_notebook_prints_the_line_that_called_and_the_sentence(here: attnscope.Client) -> None:
    """IPython prints what `_render_traceback_` returns; without it, 82 lines of this package."""
    sentence = "There is no token here, only white space or nothing: type at least one word."
    with pytest.raises(attnscope.Problem) as problem:
        exec(compile("\n\nhere.trace('')", "<cell>", "exec"), {"here": here})
    problem.value.add_note("A note.")
    first, *rest = problem.value._render_traceback_()
    assert first.startswith("test_problems.py, line ")
    assert rest == ["line 3", f"Problem: {sentence} (empty_text, status 422)", "A note."]
    with pytest.raises(attnscope.CaptureError) as error:
        attnscope.capture(None, None, "a")  # type: ignore[arg-type]
    where, said = error.value._render_traceback_()
    assert where.endswith('attnscope.capture(None, None, "a")  # type: ignore[arg-type]')
    assert said.startswith("CaptureError: ")
