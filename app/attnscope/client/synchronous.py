from __future__ import annotations

import weakref
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attnscope.client.arrays import Array
from attnscope.client.asynchronous import SECONDS, AsyncClient, AsyncTrace, describe_trace
from attnscope.client.calls import Model
from attnscope.client.layers import Layers, Parameters
from attnscope.client.loop import Loop
from attnscope.client.spans import Span
from attnscope.client.table import Table
from attnscope.figures.figure import Figure

T = TypeVar("T")


class Trace:
    """Every stage of every layer and head, fetched on first access.

    Attributes:
        id: content hash of the question.
        tokens: [B][n], None in padding; None without tokens.
        context_tokens: [B][m]; None without a context.
        shape: `batch`, `num_layers`, `num_heads`, `num_kv_heads`, `n` queries, `m` keys, `d_model`,
            `d_k`, `d_v`.
        checks: `max_row_sum_error`, `fully_masked_rows`, `non_finite`, `max_reference_error`.
        dtype: float64, float32, float16 or bfloat16.
        layers: `trace.layers[3].weights` is [B, h, n, m]: see Layer.
        question: as the API takes it.
        about: the reply, with scale, notes, offsets …
    """

    def __init__(self, client: Client, trace: AsyncTrace) -> None:
        self._client = client
        self._trace = trace
        self.id = trace.id
        self.tokens = trace.tokens
        self.context_tokens = trace.context_tokens
        self.shape = trace.shape
        self.checks = trace.checks
        self.dtype = trace.dtype
        self.question = trace.question
        self.about = trace.about
        self.layers: Layers[Array, Parameters] = Layers(
            trace.id, trace.shape["num_layers"], self._stage, self._parameters
        )

    def __repr__(self) -> str:
        return describe_trace(self)

    def block(
        self, stage: str, layer: int = 0, head: int = 0, rows: Span = None, cols: Span = None, *,
        batch: int = 0,
    ) -> Array:  # fmt: skip
        """A block of a stage of one head [rows, cols].

        `rows`, `cols`: slices, (start, stop), "0:64", numbers, which drop their axis, or None for
        all. Negative numbers count from the end.

        Raises Problem: `unknown_stage`, `invalid_request`, `too_large` above 16,777,216 cells.
        """
        return self._run(self._trace.block(stage, layer, head, rows, cols, batch=batch))

    def cell(
        self, stage: str, layer: int = 0, head: int = 0, row: int = 0, col: int = 0, *,
        batch: int = 0,
    ) -> dict[str, Any]:  # fmt: skip
        """How a number was computed: `value` (None if masked), `formula`, `steps`,
        `masked_because`. Raises Problem as `block` does."""
        return self._run(self._trace.cell(stage, layer, head, row, col, batch=batch))

    def predictions(self, top: int = 10, position: int = -1, *, batch: int = 0) -> dict[str, Any]:
        """Likeliest tokens after a position: `position`, `token`, `predicts`, `top` (`id`, `piece`,
        `probability`, `log_probability`), and `surprises`, −ln p of each token in nats. Raises
        Problem: `no_predictions`."""
        return self._run(self._trace.predictions(top, position, batch=batch))

    def heads(self, *, batch: int = 0) -> Table:
        """A row for each head: `layer`, `head` and metrics of `/traces/{id}/heads`; undefined ones
        are None."""
        return self._run(self._trace.heads(batch=batch))

    def figure(
        self, stage: str = "weights", layer: int = 0, head: int = 0, *, batch: int = 0
    ) -> Figure:
        """Figure of one head: `trace.figure(layer=3).save("figure.svg")`. Raises Problem as `block`
        does."""
        return self._run(self._trace.figure(stage, layer, head, batch=batch))

    def export(
        self, path: str | Path, *, format: str | None = None,
        stages: str | Sequence[str] | None = None, layer: int | None = None,
        head: int | None = None, parameters: bool = False,
    ) -> Path:  # fmt: skip
        """Write or replace a .json, .csv, .npz, .safetensors, .html (page) or .zip (numpy program).
        `stages`, `layer`, `head` choose a part; `parameters` adds w_q …. Raises Problem and
        OSError."""
        return self._run(
            self._trace.export(
                path, format=format, stages=stages, layer=layer, head=head, parameters=parameters
            )
        )

    def _stage(self, layer: int, name: str) -> Array:
        array = self._trace.cached(layer, name)
        return self._run(self._trace.stage(layer, name)) if array is None else array

    def _parameters(self, layer: int) -> Parameters:
        return self._run(self._trace.parameters(layer))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._client._run(work)


class Client:
    """A server, or the application in this process. Thread-safe.

    Args:
        url: such as http://127.0.0.1:8000; None: the application in this process, with settings
            from ATTNSCOPE_* variables.
        key: API key.
        data_dir: data directory of the application; None: a temporary one.
        models: for the application: checkpoints, .gguf files, or their folders.
        timeout: longest wait for the next bytes of a reply, in seconds.

    `close()` or `with` frees everything. Raises Problem: `bad_address`, `wrong_key` ….
    """

    def __init__(
        self, url: str | None = None, key: str | None = None, *,
        data_dir: str | Path | None = None, models: str | Path | Sequence[str | Path] = (),
        timeout: float = SECONDS,
    ) -> None:  # fmt: skip
        self._client = AsyncClient(url, key, data_dir=data_dir, models=models, timeout=timeout)
        self._loop = Loop()
        self._end = weakref.finalize(self, self._loop.end, self._client.close)

    def __repr__(self) -> str:
        return repr(self._client)

    def trace(
        self, text: str | Sequence[str] | None = None, model: Model = "echo", **question: Any
    ) -> Trace:
        """Ask about a text or a list of texts (a batch). `model`: an installed name, or a dict such
        as `{"source": "seeded", "seed": 1}`.

        Other options by name: `tokens` or `x` instead of the text; `context`, `causal`, `window`,
        `scale`, `temperature`, `dtype`, `drop`, `knockouts` …

        Raises Problem: `empty_text`, `unknown_model`, `too_many_tokens`, `invalid_request` ….
        """
        return self._trace(self._client.trace(text, model, **question))

    def open(self, trace: str) -> Trace:
        """A trace by its id. Raises Problem: `unknown_trace`."""
        return self._trace(self._client.open(trace))

    def capture(
        self, weights: Any = None, *, tokens: Sequence[Any] | None = None,
        context_tokens: Sequence[Any] | None = None, name: str | None = None,
        tokenizer: str | Path | None = None, **arrays: Any,
    ) -> Trace:  # fmt: skip
        """Attention of another program, as numpy arrays, tensors or nested lists.

        `weights`: [L, h, n, m], [L, B, h, n, m], [h, n, m], a list of layers, or a `Captured`.
        `arrays`: `attentions`, `q`, `k`, `v`, `x`, `scores`, `scaled_scores`, `masked_scores`,
        `head_outputs`, `output`, `w_o`. `tokens`: strings, or ids with the path of a
        tokenizer.json as `tokenizer`.

        Numbers are not renormalised: `checks["max_capture_error"]` is the largest difference of
        the given maps from those computed from q and k, or from earlier maps. Raises Problem:
        `shape_mismatch`, `unknown_layout`, `not_captured` …, and OSError.
        """
        return self._trace(
            self._client.capture(
                weights,
                tokens=tokens,
                context_tokens=context_tokens,
                name=name,
                tokenizer=tokenizer,
                **arrays,
            )
        )

    def delete_capture(self, trace: Trace) -> None:
        """Delete a capture's arrays. Raises Problem: `unknown_model`."""
        self._run(self._client.delete_capture(trace._trace))

    def models(self) -> list[dict[str, Any]]:
        """Installed models: `name`, `family`, `shape`, `context`, `vocabulary`, `predicts`, `bytes`
        …; broken ones have only `name` and `problem`."""
        return self._run(self._client.models())

    def close(self) -> None:
        """Close connections, or the application with its temporary folder."""
        self._end()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _trace(self, asked: Coroutine[Any, Any, AsyncTrace]) -> Trace:
        return Trace(self, self._run(asked))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)
