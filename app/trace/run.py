"""answer(question) → Trace: read the words, open the model, run the layers, check the numbers."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from app.attention.attend import Options
from app.attention.masks import Mask
from app.attention.parameters import Parameters, Shape
from app.attention.transformer import forward
from app.errors import InvalidRequest, ShapeMismatch, TooLarge
from app.trace.checks import Checks, check
from app.trace.inputs import Words, read_words
from app.trace.models import FindUpload, Opened, open_model
from app.trace.question import Question

DTYPES = {"float64": np.float64, "float32": np.float32}


@dataclass(frozen=True)
class Limits:
    """What is refused before it costs anything."""

    max_tokens: int = 4096
    max_characters: int = 100_000
    max_trace_bytes: int = 512 << 20


@dataclass(frozen=True)
class Plan:
    """A question understood: everything that is known before the first product."""

    id: str
    question: Question
    words: Words
    model: Opened
    options: Options
    dtype: str
    batch: int

    @property
    def numbers(self) -> int:
        """How many numbers all stages and parameters hold."""
        s, n, b = self.model.shape, self.words.n, self.batch
        queries = s.num_heads * (s.d_k + 2 * s.d_v) + s.d_model + 2 * self.model.output_width
        keys = s.num_kv_heads * (s.d_k + s.d_v)
        stages = b * n * (queries + keys + 4 * s.num_heads * n)
        tensors = ("w_q", "w_k", "w_v", "w_o")
        weights = sum(math.prod(s.of(w, self.model.output_width)) for w in tensors)
        return self.model.num_layers * (stages + weights)

    @property
    def bytes(self) -> int:
        return self.numbers * np.dtype(self.dtype).itemsize

    def lengths(self) -> list[tuple[int, int]]:
        return [(length, length) for length in self.words.lengths]


@dataclass(frozen=True)
class Trace:
    """Every stage of every layer; `layers[i][stage]` has the axes of the stage table."""

    plan: Plan
    embedding: np.ndarray
    position: np.ndarray | None
    layers: list[dict[str, np.ndarray]]
    parameters: list[Parameters]
    checks: Checks
    elapsed_ms: float

    @property
    def bytes(self) -> int:
        arrays = [a for layer in self.layers for a in layer.values()]
        tensors = [a for p in self.parameters for a in p.arrays().values()]
        return sum(a.nbytes for a in (*arrays, *tensors, self.embedding))


def plan(question: Question, limits: Limits, find: FindUpload) -> Plan:
    """Everything that can be refused is refused here; nothing is multiplied yet."""
    words = read_words(question, limits.max_tokens, limits.max_characters)
    model = open_model(question, find)
    shape = model.shape
    if question.x is not None and question.x.shape[-1] != shape.d_model:
        raise ShapeMismatch("x_width", at="x", columns=question.x.shape[-1], d_model=shape.d_model)
    for cell in question.blocked:
        if max(cell) >= words.n:
            raise InvalidRequest("blocked_out_of_range", at="blocked", cell=list(cell), n=words.n)
    options = Options(_scale(question, shape), question.temperature, _mask(question))
    dtype = question.dtype or model.dtype
    planned = Plan(question.id(), question, words, model, options, dtype, len(words.lengths))
    if planned.bytes > limits.max_trace_bytes:
        raise TooLarge(
            "trace", estimate=_megabytes(planned.bytes), limit=_megabytes(limits.max_trace_bytes)
        )
    return planned


def answer(planned: Plan) -> Trace:
    """Runs the layers and checks the numbers."""
    started = time.perf_counter()
    dtype, shape = DTYPES[planned.dtype], planned.model.shape
    parameters = [p.astype(dtype) for p in planned.model.layers()]
    embedding, position = _embed(planned)
    with np.errstate(over="ignore"):  # counted in checks.non_finite
        x = (embedding if position is None else embedding + position).astype(dtype)
    layers: list[dict[str, np.ndarray]] = [{} for _ in parameters]

    def keep(layer: int, name: str, array: np.ndarray) -> None:
        layers[layer][name] = array

    lengths, options = planned.lengths(), planned.options
    forward(x, parameters, shape, lengths, options, planned.model.block, keep)
    checks = check(layers, parameters, shape, lengths, options)
    elapsed = (time.perf_counter() - started) * 1e3
    return Trace(planned, embedding, position, layers, parameters, checks, round(elapsed, 3))


def _embed(planned: Plan) -> tuple[np.ndarray, np.ndarray | None]:
    """The embeddings and positions, [B, n, d_model] each; rows of padding are zero."""
    words, model, given = planned.words, planned.model, planned.question.x
    embedding = np.zeros((planned.batch, words.n, model.shape.d_model))
    if given is not None:
        embedding[:, : words.lengths[0]] = given
        return embedding, None
    rows = model.position(words.n)
    position = None if rows is None else np.zeros_like(embedding)
    for b, length in enumerate(words.lengths):
        tokens = [token for token in (words.tokens or [])[b] if token is not None]
        embedding[b, :length] = model.embed(tokens)
        if position is not None and rows is not None:
            position[b, :length] = rows[:length]
    return embedding, position


def _scale(question: Question, shape: Shape) -> float:
    if question.scale == "sqrt_d_k":
        return 1 / math.sqrt(shape.d_k)
    return 1.0 if question.scale == "none" else float(question.scale)


def _mask(question: Question) -> Mask:
    causal = True if question.causal is None else question.causal
    blocked = frozenset((i, j) for i, j in question.blocked)
    return Mask(causal, question.window, question.prefix, blocked)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"
