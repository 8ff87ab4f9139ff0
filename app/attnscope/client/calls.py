"""Requests to the API, and replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import orjson

from attnscope.client.arrays import Array, plain_json, read_safetensors
from attnscope.client.problem import Problem, invalid, problem_of

BASE = "/api/v1"
JSON, SAFETENSORS, ANY = "application/json", "application/x-safetensors", "*/*"
PROBLEM = "application/problem+json"
PAGE = 10_000  # tokens per request

PART_OPTIONS = ("stages", "layers", "heads", "parameters")
FORMATS = {
    ".json": "json", ".csv": "csv", ".npz": "npz", ".safetensors": "safetensors",
    ".html": "html", ".zip": "py",
}  # fmt: skip

Model = str | Mapping[str, Any]
Query = Mapping[str, str | int | float]


@dataclass(frozen=True)
class Call:
    """A request; with `files`, a multipart form that has `fields` too."""

    method: str
    path: str
    query: Query = field(default_factory=dict)
    accept: str = JSON
    content: bytes | None = None
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    def options(self) -> dict[str, Any]:
        headers = {"accept": self.accept}
        if self.content is not None:
            headers["content-type"] = JSON
        return {
            "headers": headers, "content": self.content, "params": self.query or None,
            "files": self.files or None, "data": self.fields or None,
        }  # fmt: skip


@dataclass(frozen=True)
class Reply:
    """Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def media(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    def json(self) -> Any:
        return orjson.loads(self.content)

    def arrays(self) -> tuple[dict[str, Array], dict[str, Any]]:
        return read_safetensors(self.content)


def check(reply: Reply, call: Call, server: str) -> Reply:
    """Return a successful reply of attnscope, else raise Problem."""
    if reply.media == PROBLEM:
        body = reply.json()
        wait = reply.headers.get("retry-after", "")
        seconds = float(wait) if wait.isdigit() else None
        raise problem_of(reply.status, body, seconds)
    expected = (call.accept, "") if reply.status < 300 else ()
    if call.accept != ANY and reply.media not in expected:
        moved = reply.headers.get("location")
        what = f"points to {moved}" if moved else f"answers {reply.media or 'nothing'}"
        raise Problem(
            "no_attnscope",
            f"{server} {what} with status {reply.status} where attnscope would not: check the "
            "address of the server, without a path of its pages.",
            status=reply.status,
        )
    return reply


# Questions


def question_of(text: Any, model: Model, options: Mapping[str, Any]) -> dict[str, Any]:
    """Raises Problem for a wrong `model`, and for options that choose a part of the answer."""
    if chosen := [name for name in PART_OPTIONS if name in options]:
        detail = (
            f"{chosen[0]} chooses a part of one reply, and a trace has all of them: leave it out, "
            "and read trace.layers[0].weights, for example."
        )
        raise invalid(detail, *chosen)
    source = {"source": "installed", "name": model} if isinstance(model, str) else model
    if not isinstance(source, Mapping):
        detail = f"model is {model!r}: give an installed one's name, or a dict with its source."
        raise invalid(detail, "model")
    question = {"model": dict(source), **options}
    if text is not None:
        question["text"] = text
    return question


def ask(question: Mapping[str, Any]) -> Call:
    """Unlike /traces, /attention does not wait until a short question is stored."""
    body = {**question, "stages": []}
    return Call("POST", "/attention", content=plain_json(body))


def ask_again(question: Mapping[str, Any]) -> Call:
    return Call("POST", "/traces", content=plain_json(question))


def capture(
    arrays: bytes,
    tokens: Sequence[Any] | None,
    context_tokens: Sequence[Any] | None,
    name: str | None,
    tokenizer: bytes | None = None,
) -> Call:
    """`tokenizer`: content of tokenizer.json, if tokens are ids."""
    fields = {
        key: plain_json(rows).decode()
        for key, rows in (("tokens", tokens), ("context_tokens", context_tokens))
        if rows is not None
    }
    if name is not None:
        fields["name"] = name
    files = {"arrays": ("capture.safetensors", arrays)}
    if tokenizer is not None:
        files["tokenizer"] = ("tokenizer.json", tokenizer)
    return Call("POST", "/captures", files=files, fields=fields)


def models() -> Call:
    return Call("GET", "/models")


def capture_id(question: Mapping[str, Any]) -> str:
    model = question["model"]
    if model["source"] != "captured":
        raise invalid(f"This trace is of a model ({model['source']}), not of a capture.")
    return str(model["id"])


def delete_capture(id: str) -> Call:
    return Call("DELETE", f"/captures/{quote(id, safe='')}")


# Traces


def about(trace: str) -> Call:
    return _trace_call(trace, "")


def question(trace: str) -> Call:
    return _trace_call(trace, "/question")


def token_pages(trace: str, batch: int, size: int, context: bool) -> Iterator[Call]:
    for first in range(0, size, PAGE):
        query: dict[str, str | int] = {"batch": batch, "rows": f"{first}:{first + PAGE}"}
        if context:
            query["context"] = "true"
        yield _trace_call(trace, "/tokens", query)


def layer_of_trace(trace: str, layer: int, stage: str | None) -> Call:
    """A stage, or x with the parameters, as the server refuses exports without a stage."""
    query: Query = {"format": "safetensors", "stages": stage or "x", "layer": layer}
    more = {} if stage else {"parameters": "true"}
    return _trace_call(trace, "/export", {**query, **more}, SAFETENSORS)


def layer_of_question(question: Mapping[str, Any], layer: int, stage: str | None) -> Call:
    """Like `layer_of_trace`, but for long texts, which the server does not export."""
    more = {"stages": [stage]} if stage else {"stages": [], "parameters": True}
    body = {**question, **more, "layers": [layer]}
    return Call("POST", "/attention", accept=SAFETENSORS, content=plain_json(body))


def block(trace: str, stage: str, place: Query, rows: str, cols: str) -> Call:
    query = {**place, "rows": rows, "cols": cols, "format": "safetensors"}
    return _trace_call(trace, f"/stages/{quote(stage, safe='')}", query, SAFETENSORS)


def picture(trace: str, stage: str, place: Query, size: int) -> Call:
    query = {**place, "size": size, "encoding": "u8", "spacing": "root"}
    return _trace_call(trace, f"/pictures/{quote(stage, safe='')}", query, ANY)


def cell(trace: str, stage: str, place: Query) -> Call:
    return _trace_call(trace, f"/cells/{quote(stage, safe='')}", place)


def heads(trace: str, batch: int) -> Call:
    return _trace_call(trace, "/heads", {"batch": batch})


def predictions(trace: str, top: int, position: int, batch: int) -> Call:
    return _trace_call(trace, "/predictions", {"top": top, "position": position, "batch": batch})


def format_of(suffix: str) -> str:
    if suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise invalid(f"{suffix or 'A name without an ending'} is no format of files: {known}.")
    return FORMATS[suffix.lower()]


def export(
    trace: str, format: str, stages: str | Sequence[str] | None, layer: int | None,
    head: int | None, parameters: bool,
) -> Call:  # fmt: skip
    query: dict[str, str | int] = {"format": format}
    if stages is not None:
        query["stages"] = stages if isinstance(stages, str) else ",".join(stages)
    if layer is not None:
        query["layer"] = layer
    if head is not None:
        query["head"] = head
    if parameters:
        query["parameters"] = "true"
    return _trace_call(trace, "/export", query, ANY)


def _trace_call(trace: str, path: str, query: Query | None = None, accept: str = JSON) -> Call:
    return Call("GET", f"/traces/{quote(trace, safe='')}{path}", query or {}, accept)
