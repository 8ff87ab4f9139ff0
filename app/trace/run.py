"""answer(question) → Trace: read the words, open the model, run the layers, check the numbers."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from app.attention.attend import Options
from app.attention.masks import Mask
from app.attention.parameters import Parameters, Shape
from app.attention.precision import GRIDS, Dtype, fit, held
from app.attention.transformer import forward
from app.errors import InvalidRequest, ShapeMismatch, TooLarge
from app.trace.checks import Checks, check
from app.trace.embed import Embedded, embed
from app.trace.inputs import Words, read_context, read_words
from app.trace.models import FindUpload, Opened, open_model
from app.trace.question import Question
from app.trace.stages import NAMES


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
    dtype: Dtype
    batch: int
    context: Words | None = None

    @property
    def n(self) -> int:
        """Query positions."""
        return self.words.n

    @property
    def m(self) -> int:
        """Key positions: of the context, where there is one."""
        return (self.context or self.words).n

    @property
    def stages(self) -> tuple[str, ...]:
        """What can be sent: every stage of the table, and the context where there is one."""
        return NAMES if self.context is None else (*NAMES, "context")

    @property
    def numbers(self) -> int:
        """How many numbers all stages and parameters hold."""
        s, n, m, b = self.model.shape, self.n, self.m, self.batch
        queries = s.num_heads * (s.d_k + 2 * s.d_v) + s.d_model + 2 * self.model.output_width
        keys = s.num_kv_heads * (s.d_k + s.d_v)
        keys += 0 if self.context is None else s.d_model
        maps = 4 * s.num_heads * n * m
        stages = b * (n * (queries + self._inner_width) + m * keys + maps)
        tensors = ("w_q", "w_k", "w_v", "w_o")
        weights = sum(math.prod(s.of(w, self.model.output_width)) for w in tensors)
        weights += 2 * s.d_model * self.model.mlp_width
        return self.model.num_layers * (stages + weights)

    @property
    def _inner_width(self) -> int:
        """Numbers a token of the arrays between the stages, in one layer."""
        s, model = self.model.shape, self.model
        turned = (s.num_heads + s.num_kv_heads) * s.d_k if model.positions == "rotary" else 0
        sublayers = 1 if model.mlp_width == 0 else 2
        normed = 0 if model.block in ("attention", "residual") else sublayers * s.d_model
        mlp = 0 if model.mlp_width == 0 else 2 * s.d_model + 2 * model.mlp_width
        return turned + normed + mlp

    @property
    def bytes(self) -> int:
        return self.numbers * np.dtype(held(self.dtype)).itemsize

    def lengths(self) -> list[tuple[int, int]]:
        """The real queries and the real keys of each row of the batch."""
        asked = self.words if self.context is None else self.context
        return list(zip(self.words.lengths, asked.lengths, strict=True))


@dataclass(frozen=True)
class Trace:
    """Every stage of every layer; `layers[i][stage]` has the axes of the stage table. The operands
    between the stages (stages.OPERANDS) are among them, where the question has any."""

    plan: Plan
    embedding: np.ndarray
    position: np.ndarray | None
    layers: list[dict[str, np.ndarray]]
    parameters: list[Parameters]
    checks: Checks
    elapsed_ms: float
    context: Embedded | None = None

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
    context = read_context(question, limits.max_tokens, limits.max_characters)
    for at, given in (("x", question.x), ("context_x", question.context_x)):
        if given is not None and given.shape[-1] != shape.d_model:
            raise ShapeMismatch("x_width", at=at, columns=given.shape[-1], d_model=shape.d_model)
    if context is not None:
        _check_context(question, words, context)
    n, m = words.n, (context or words).n
    for i, j in question.blocked:
        if i >= n or j >= m:
            raise InvalidRequest("blocked_out_of_range", at="blocked", cell=[i, j], n=n, m=m)
    scale, mask = _scale(question, shape), _mask(question)
    dtype = question.dtype or model.dtype
    options = Options(scale, question.temperature, mask, model.positions, GRIDS.get(dtype))
    batch = len(words.lengths)
    planned = Plan(question.id(), question, words, model, options, dtype, batch, context)
    if planned.bytes > limits.max_trace_bytes:
        raise TooLarge(
            "trace", estimate=_megabytes(planned.bytes), limit=_megabytes(limits.max_trace_bytes)
        )
    return planned


def answer(planned: Plan) -> Trace:
    """Runs the layers and checks the numbers."""
    started = time.perf_counter()
    dtype, grid, shape = held(planned.dtype), planned.options.grid, planned.model.shape
    parameters = [p.astype(dtype, grid) for p in planned.model.layers()]
    question, model = planned.question, planned.model
    start = embed(planned.words, question.x, model)
    asked = None
    if planned.context is not None:
        asked = embed(planned.context, question.context_x, model)
    x = fit(start.x(dtype), grid)
    context = None if asked is None else fit(asked.x(dtype), grid)
    layers: list[dict[str, np.ndarray]] = [{} for _ in parameters]

    def keep(layer: int, name: str, array: np.ndarray) -> None:
        layers[layer][name] = array

    lengths, options, block = planned.lengths(), planned.options, model.block
    forward(x, parameters, shape, lengths, options, block, keep, context)
    checks = check(layers, parameters, shape, lengths, options, block)
    elapsed = (time.perf_counter() - started) * 1e3
    return Trace(
        planned, start.embedding, start.position, layers, parameters, checks, round(elapsed, 3),
        context=asked,
    )  # fmt: skip


def _check_context(question: Question, words: Words, context: Words) -> None:
    """A text asks one context; masks that compare places of one text mean nothing here."""
    texts, contexts = len(words.lengths), len(context.lengths)
    if texts != contexts:
        raise ShapeMismatch("batch_sizes", at=context.at, texts=texts, contexts=contexts)
    masks = {"causal": question.causal, "window": question.window, "prefix": question.prefix}
    for name, given in masks.items():
        if given:
            raise InvalidRequest("mask_with_context", at=name)


def _scale(question: Question, shape: Shape) -> float:
    if question.scale == "sqrt_d_k":
        return 1 / math.sqrt(shape.d_k)
    return 1.0 if question.scale == "none" else float(question.scale)


def _mask(question: Question) -> Mask:
    causal = not question.has_context if question.causal is None else question.causal
    blocked = frozenset((i, j) for i, j in question.blocked)
    return Mask(causal, question.window, question.prefix, blocked)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"
