from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from attnscope.client import calls, figures
from attnscope.client.arrays import Array, check_size, pack
from attnscope.client.calls import Call, Model, Reply
from attnscope.client.layers import Layers, Parameters
from attnscope.client.problem import Problem, UnknownStage, invalid
from attnscope.client.servers import InProcess, RelayServer, Remote, Server
from attnscope.client.spans import Span, counts_from_end, from_start, window_of
from attnscope.client.table import Table
from attnscope.figures.figure import Figure
from attnscope.torch_capture.captured_run import Captured
from attnscope.trace.stages import BY_NAME, PARAMETER_NAMES, Stage

SECONDS = 300.0


class AsyncTrace:
    """See Trace. Stages are awaited: `await trace.layers[3].weights`."""

    def __init__(self, server: Server, question: Mapping[str, Any], about: dict[str, Any]) -> None:
        self._server = server
        self._arrays: dict[tuple[int, str], Array] = {}
        self._parameters: dict[int, Parameters] = {}
        self._sizes: dict[tuple[str, int], tuple[int, int]] = {}
        self.question = dict(question)
        self.about = about
        self.id: str = about["trace"]
        self.tokens: list[list[str | None]] | None = about["tokens"]
        self.context_tokens: list[list[str | None]] | None = about["context_tokens"]
        self.shape: dict[str, int] = about["shape"]
        self.checks: dict[str, Any] = about["checks"]
        self.dtype: str = about["dtype"]
        self.layers: Layers[Awaitable[Array], Awaitable[Parameters]] = Layers(
            self.id, self.shape["num_layers"], self.stage, self.parameters
        )

    def __repr__(self) -> str:
        return describe_trace(self)

    def cached(self, layer: int, name: str) -> Array | None:
        """The stage if it is cached, else None."""
        return self._arrays.get((layer, name))

    async def stage(self, layer: int, name: str) -> Array:
        """Fetch a stage or parameter, and cache it."""
        if name in PARAMETER_NAMES:
            return await self._parameter(layer, name)
        if (layer, name) not in self._arrays:
            try:
                arrays = await self._arrays_of(layer, name)
            except Problem as problem:
                if problem.code == "too_large":
                    problem.add_note(f"trace.block({name!r}, layer={layer}, …) gives a part of it.")
                raise
            self._arrays[layer, name] = arrays[f"layers.{layer}.{name}"]
        return self._arrays[layer, name]

    async def parameters(self, layer: int) -> Parameters:
        """Parameters of a layer by name."""
        if layer not in self._parameters:
            if self.question["model"]["source"] == "captured":
                raise Problem("not_captured", "A capture has no parameters of its model.")
            arrays = await self._arrays_of(layer)
            self._parameters[layer] = {
                name: array
                for key, array in arrays.items()
                if (name := key.rpartition(".")[2]) in PARAMETER_NAMES
            }
        return self._parameters[layer]

    async def block(
        self, stage: str, layer: int = 0, head: int = 0, rows: Span = None, cols: Span = None, *,
        batch: int = 0,
    ) -> Array:  # fmt: skip
        """See Trace.block."""
        place = {"layer": self._layer(layer), "head": self._head(stage, head), "batch": batch}
        height = width = None
        if counts_from_end(rows) or counts_from_end(cols):
            height, width = await self._sizes_of(stage, place)
        tall, wide = window_of("rows", rows, height), window_of("cols", cols, width)
        call = calls.block(self.id, stage, place, tall.text, wide.text)
        arrays, _ = (await self._request(call)).arrays()
        (array,) = arrays.values()
        return array[..., wide.take][tall.take]

    async def cell(
        self, stage: str, layer: int = 0, head: int = 0, row: int = 0, col: int = 0, *,
        batch: int = 0,
    ) -> dict[str, Any]:  # fmt: skip
        """See Trace.cell."""
        place = {"layer": self._layer(layer), "head": self._head(stage, head), "batch": batch}
        if row < 0 or col < 0:
            height, width = await self._sizes_of(stage, place)
            row, col = from_start("row", row, height), from_start("col", col, width)
        call = calls.cell(self.id, stage, {**place, "row": row, "col": col})
        return dict((await self._request(call)).json())

    async def predictions(
        self, top: int = 10, position: int = -1, *, batch: int = 0
    ) -> dict[str, Any]:
        """See Trace.predictions."""
        return dict((await self._request(calls.predictions(self.id, top, position, batch))).json())

    async def heads(self, *, batch: int = 0) -> Table:
        """See Trace.heads."""
        return Table((await self._request(calls.heads(self.id, batch))).json()["heads"])

    async def figure(
        self, stage: str = "weights", layer: int = 0, head: int = 0, *, batch: int = 0
    ) -> Figure:
        """See Trace.figure."""
        drawn = figures.stage_of(stage)
        place = {"layer": self._layer(layer), "head": self._head(stage, head), "batch": batch}
        if max(self.shape["n"], self.shape["m"]) <= figures.WHOLE:
            values, closed = await self._numbers(drawn, layer, head, batch)
            return figures.figure_of(drawn, values, closed, (1, 1), self, place)
        call = calls.picture(self.id, stage, place, figures.SIZE)
        values, closed, sides = figures.decode_picture(await self._request(call))
        return figures.figure_of(drawn, values, closed, sides, self, place)

    async def export(
        self, path: str | Path, *, format: str | None = None,
        stages: str | Sequence[str] | None = None, layer: int | None = None,
        head: int | None = None, parameters: bool = False,
    ) -> Path:  # fmt: skip
        """See Trace.export."""
        file = Path(path)
        call = calls.export(
            self.id, format or calls.format_of(file.suffix), stages,
            layer=None if layer is None else self._layer(layer),
            head=None if head is None else self._head("q", head), parameters=parameters,
        )  # fmt: skip
        content = (await self._request(call)).content
        await asyncio.to_thread(file.write_bytes, content)
        return file

    async def _arrays_of(self, layer: int, stage: str | None = None) -> dict[str, Array]:
        """Fetch a stage, or the parameters if `stage` is None."""
        if "whole_tokens" in self.about:
            call = calls.layer_of_question(self.question, layer, stage)
        else:
            call = calls.layer_of_trace(self.id, layer, stage)
        return (await self._request(call)).arrays()[0]

    async def _request(self, call: Call) -> Reply:
        """Send a call; if the trace is unknown, store the question and send again."""
        try:
            return await self._server.send(call)
        except Problem as problem:
            if problem.code != "unknown_trace":
                raise
            again = (await self._server.send(calls.ask_again(self.question))).json()
            if again["trace"] != self.id:  # the model has changed
                raise
        return await self._server.send(call)

    async def _numbers(
        self, stage: Stage, layer: int, head: int, batch: int
    ) -> tuple[Array, Array]:
        """Values and closed cells of a stage, without padding."""
        values = await self.block(stage.name, layer, head, batch=batch)
        values = values.reshape(-1, values.shape[-1])
        closed = np.zeros(values.shape, bool)
        if figures.is_map(stage):
            with suppress(Problem):  # captures may lack masked_scores
                closed = np.isneginf(await self.block("masked_scores", layer, head, batch=batch))
        rows, cols = figures.lengths(self, stage, batch)
        return values[:rows, :cols], closed[:rows, :cols]

    async def _parameter(self, layer: int, name: str) -> Array:
        there = await self.parameters(layer)
        if name not in there:
            detail = f"Layer {layer} has no {name}. It has {', '.join(there) or 'no parameters'}."
            raise UnknownStage("unknown_stage", detail)
        return there[name]

    async def _sizes_of(self, stage: str, place: calls.Query) -> tuple[int, int]:
        key = stage, int(place["layer"])
        if key not in self._sizes:
            ends = []
            for name, rows, cols in (("rows", ":", "0:1"), ("cols", "0:1", ":")):
                call = calls.block(self.id, stage, place, rows, cols)
                ends.append((await self._request(call)).arrays()[1][name][1])
            self._sizes[key] = ends[0], ends[1]
        return self._sizes[key]

    def _layer(self, layer: int) -> int:
        return from_start("layer", layer, self.shape["num_layers"])

    def _head(self, stage: str, head: int) -> int:
        of_keys = stage in BY_NAME and BY_NAME[stage].head_axis == "kv_head"
        return from_start("head", head, self.shape["num_kv_heads" if of_keys else "num_heads"])


class AsyncClient:
    """See Client. Methods are awaited."""

    def __init__(
        self, url: str | None = None, key: str | None = None, *,
        data_dir: str | Path | None = None, models: str | Path | Sequence[str | Path] = (),
        timeout: float = SECONDS,
    ) -> None:  # fmt: skip
        self._server: RelayServer
        if not isinstance(timeout, Real) or not timeout > 0:
            raise invalid(f"timeout is {timeout!r}: it has to be a number of seconds above 0.")
        if url is None:
            folder = None if data_dir is None else Path(data_dir)
            listed = [models] if isinstance(models, str | Path) else models  # str is a Sequence
            self._server = InProcess(folder, [Path(model) for model in listed])
        elif data_dir is not None or models:
            raise invalid(
                "data_dir and models are for a client without an address: leave them out."
            )
        else:
            self._server = Remote(url, key, timeout)

    def __repr__(self) -> str:
        return f"<client of {self._server.url}>"

    async def trace(
        self, text: str | Sequence[str] | None = None, model: Model = "echo", **question: Any
    ) -> AsyncTrace:
        """See Client.trace."""
        asked = calls.question_of(text, model, question)
        about = (await self._server.send(calls.ask(asked))).json()
        return await self._trace_of(asked, about)

    async def open(self, trace: str) -> AsyncTrace:
        """See Client.open."""
        about = (await self._server.send(calls.about(trace))).json()
        asked = (await self._server.send(calls.question(trace))).json()
        return await self._trace_of(asked, about)

    async def capture(
        self, weights: Any = None, *, tokens: Sequence[Any] | None = None,
        context_tokens: Sequence[Any] | None = None, name: str | None = None,
        tokenizer: str | Path | None = None, **arrays: Any,
    ) -> AsyncTrace:  # fmt: skip
        """See Client.capture."""
        given = {"weights": weights, **arrays}
        if isinstance(weights, Captured):
            given = weights.arrays() | arrays
            tokens = weights.tokens if tokens is None else tokens
            context_tokens = weights.context_tokens if context_tokens is None else context_tokens
            name = name or weights.name
        there = {key: array for key, array in given.items() if array is not None}
        check_size(there, await self._server.most_sent())
        packed = pack(there)
        table = None if tokenizer is None else Path(tokenizer).read_bytes()
        call = calls.capture(packed, tokens, context_tokens, name, table)
        return await self.open((await self._server.send(call)).json()["trace"])

    async def delete_capture(self, trace: AsyncTrace) -> None:
        """See Client.delete_capture."""
        await self._server.send(calls.delete_capture(calls.capture_id(trace.question)))

    async def models(self) -> list[dict[str, Any]]:
        """See Client.models."""
        return list((await self._server.send(calls.models())).json()["models"])

    async def close(self) -> None:
        """See Client.close."""
        await self._server.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _trace_of(self, question: Mapping[str, Any], about: dict[str, Any]) -> AsyncTrace:
        """Fetch the tokens that the reply to a long text lacks."""
        about.pop("layers", None)
        shape = about["shape"]
        for name, size in (("tokens", shape["n"]), ("context_tokens", shape["m"])):
            lengths = about["lengths" if name == "tokens" else "context_lengths"]
            if about[name] is None and lengths is not None and "whole_tokens" in about:
                about[name] = await self._tokens(about["trace"], name, len(lengths), size)
        return AsyncTrace(self._server, question, about)

    async def _tokens(
        self, trace: str, name: str, batch: int, size: int
    ) -> list[list[str | None]] | None:
        context = name == "context_tokens"
        texts = []
        for text in range(batch):
            pages = calls.token_pages(trace, text, size, context)
            found = [(await self._server.send(page)).json()["tokens"] for page in pages]
            if None in found:
                return None
            texts.append([token for page in found for token in page])
        return texts


def describe_trace(trace: Any) -> str:
    shape = trace.shape
    size = f"{shape['num_layers']} layers × {shape['num_heads']} heads × {shape['n']} tokens"
    if shape["batch"] > 1:
        size = f"{shape['batch']} texts, {size}"
    return f"<trace {trace.id}: {size}, {trace.dtype}>"
