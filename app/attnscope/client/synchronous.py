"""The client for scripts and notebooks: each call waits for its reply."""

from __future__ import annotations

import weakref
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attnscope.client.arrays import Array
from attnscope.client.asynchronous import SECONDS, AsyncClient, AsyncTrace, described
from attnscope.client.calls import Model
from attnscope.client.layers import Layers, Parameters
from attnscope.client.loop import Loop
from attnscope.client.spans import Span
from attnscope.client.table import Table
from attnscope.figures.figure import Figure

T = TypeVar("T")


class Trace:
    """An answer: every stage of every layer and head, fetched on first access.

    Attributes:
        id: content hash of the question; the same question has the same id everywhere.
        tokens: the tokens of each text [B][n], None in padding.
        context_tokens: those of the context [B][m]; None without one.
        shape: `batch`, `num_layers`, `num_heads`, `num_kv_heads`, `n` queries, `m` keys, `d_model`,
            `d_k`, `d_v`.
        checks: `max_row_sum_error`, `fully_masked_rows`, `non_finite`, `max_reference_error`.
        dtype: float64, float32, float16 or bfloat16, in which it was computed.
        layers: `trace.layers[3].weights` is an array [B, h, n, m]: see Layer.
        question: what was asked, as the API takes it.
        about: the whole reply, with scale, notes, offsets …
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
        return described(self)

    def block(
        self, stage: str, layer: int = 0, head: int = 0, rows: Span = None, cols: Span = None, *,
        batch: int = 0,
    ) -> Array:  # fmt: skip
        """A part of one stage of one head [rows, cols], of texts of any length.

        `rows` and `cols` are slices (`slice(0, 64)`, `slice(-8, None)`), (start, stop), "0:64", a
        number, whose axis goes away, or None for all. `head` counts key/value heads for k and v;
        stages without heads ignore it. Negative numbers count from the end.

        Raises Problem: `unknown_stage`, `invalid_request` beyond the last layer, head or row,
        `too_large` above 16,777,216 cells of a long text.
        """
        return self._run(self._trace.block(stage, layer, head, rows, cols, batch=batch))

    def cell(
        self, stage: str, layer: int = 0, head: int = 0, row: int = 0, col: int = 0, *,
        batch: int = 0,
    ) -> dict[str, Any]:  # fmt: skip
        """How one number was computed: `value` (None where masked), `formula`, `steps` with their
        operands, `masked_because`. Raises Problem as `block` does."""
        return self._run(self._trace.cell(stage, layer, head, row, col, batch=batch))

    def predictions(self, top: int = 10, position: int = -1, *, batch: int = 0) -> dict[str, Any]:
        """The likeliest pieces after a position: `position`, `token`, `predicts`, `top` (a list of
        `id`, `piece`, `probability`, `log_probability`), and `surprises`, −ln p of each token, in
        nats. Raises Problem: `no_predictions` for a model without a head for it."""
        return self._run(self._trace.predictions(top, position, batch=batch))

    def heads(self, *, batch: int = 0) -> Table:
        """One row a head: `layer`, `head`, and the metrics that `/api` describes under
        `/traces/{id}/heads`: `entropy`, `induction` …; None where undefined."""
        return self._run(self._trace.heads(batch=batch))

    def figure(
        self, stage: str = "weights", layer: int = 0, head: int = 0, *, batch: int = 0
    ) -> Figure:
        """A stage of one head as a picture for paper: `trace.figure(layer=3).save("figure.svg")`.
        Notebooks show it. Above 64 tokens cells stand for several tokens, as on the page. Raises
        Problem as `block` does."""
        return self._run(self._trace.figure(stage, layer, head, batch=batch))

    def export(
        self, path: str | Path, *, format: str | None = None,
        stages: str | Sequence[str] | None = None, layer: int | None = None,
        head: int | None = None, parameters: bool = False,
    ) -> Path:  # fmt: skip
        """Writes a file, replacing one that is there: .json, .csv, .npz, .safetensors, .html (a
        page that opens from disk) or .zip (a numpy program that computes every stage). `stages`,
        `layer` and `head` choose a part, `parameters` adds w_q …. Raises Problem and OSError."""
        return self._run(
            self._trace.export(
                path, format=format, stages=stages, layer=layer, head=head, parameters=parameters
            )
        )

    def _stage(self, layer: int, name: str) -> Array:
        kept = self._trace.cached(layer, name)
        return self._run(self._trace.stage(layer, name)) if kept is None else kept

    def _parameters(self, layer: int) -> Parameters:
        return self._run(self._trace.parameters(layer))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._client._run(work)


class Client:
    """A server, or the application in this process.

    Args:
        url: the server's address, such as http://127.0.0.1:8000; None: no server and no port, the
            application runs in this process, with the settings of the environment (ATTNSCOPE_*).
        key: its API key, if it wants one.
        data_dir: of the application here: where uploads and questions are kept; models that
            `attnscope install` brought there can be asked. None: a temporary folder.
        models: of the application here: checkpoints and .gguf files, or folders of some; each is
            asked by the name of its folder or file.
        timeout: seconds without a byte after which a server's reply counts as lost.

    Safe to use from several threads. `close()` or `with` frees the application, its temporary
    folder and its thread; so does the end of the program. Raises Problem: `bad_address`.
    """

    def __init__(
        self, url: str | None = None, key: str | None = None, *,
        data_dir: str | Path | None = None, models: Sequence[str | Path] = (),
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
        """Asks a question: a text, or a list of texts (a batch), and a model, the name of an
        installed one or a dict as the API has it: `{"source": "seeded", "seed": 1}`.

        Other options of the API's question go by name: `context`, `tokens` or `x` in place of the
        text (numpy arrays too), `causal`, `window`, `scale`, `temperature`, `dtype`, `drop`,
        `knockouts` …

        Raises Problem: `empty_text`, `unknown_model`, `too_many_tokens`, `invalid_request` ….
        """
        return self._trace(self._client.trace(text, model, **question))

    def open(self, trace: str) -> Trace:
        """A trace by its id, such as that of a page's link. Raises Problem: `unknown_trace`."""
        return self._trace(self._client.open(trace))

    def capture(
        self, weights: Any = None, *, tokens: Sequence[Any] | None = None,
        context_tokens: Sequence[Any] | None = None, name: str | None = None,
        tokenizer: str | Path | None = None, **arrays: Any,
    ) -> Trace:  # fmt: skip
        """Attention that another program computed: weights [L, h, n, m], [L, B, h, n, m], [h, n, m]
        or a list with an array for each layer; also `attentions`, `q`, `k`, `v`, `x`, `scores`,
        `scaled_scores`, `masked_scores`, `head_outputs`, `output`, `w_o`: numpy arrays, tensors of
        torch, nested lists. `tokens` is a list of strings, or one for each text of a batch; or of
        ids, with the path of the model's tokenizer.json as `tokenizer`. A `Captured`, the value of
        `attnscope.capture`, has all of them.

        Numbers are never renormalised. What follows from the arrays is computed and compared:
        `checks["max_capture_error"]`. Raises Problem: `shape_mismatch`, `unknown_layout` …, and
        OSError for a missing tokenizer; a stage that does not follow raises `not_captured`.
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
        """Deletes the arrays of a capture from the server. Raises Problem: `unknown_model`."""
        self._run(self._client.delete_capture(trace._trace))

    def models(self) -> list[dict[str, Any]]:
        """The installed models: `name`, `family`, `shape`, `context`, `vocabulary`, `predicts`,
        `bytes` …; a model that cannot be opened has `name` and `problem`."""
        return self._run(self._client.models())

    def close(self) -> None:
        """Ends connections, or the application and its temporary folder."""
        self._end()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _trace(self, asked: Coroutine[Any, Any, AsyncTrace]) -> Trace:
        return Trace(self, self._run(asked))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)
