"""make_plan(question) → Plan: what is asked, understood, and refused where it costs too much."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.attention.dtypes import GRIDS, Dtype, held
from app.attention.masks import Mask
from app.attention.parameters import Shape
from app.attention.setting import Options, Setting
from app.attention.strips import count_strips
from app.errors import InvalidRequest, ShapeMismatch, TooLarge
from app.installed.shelf import Shelf, shipped
from app.trace.given_mask import given_mask
from app.trace.inputs import Words, read_context, read_words, splitting
from app.trace.models import FindUpload, Opened, open_model, resolved
from app.trace.question import Installed, Question
from app.trace.room import Room, Split
from app.trace.stages import BY_NAME, NAMES

OUTPUTS = ("output", "block_output", "w_o", "b_o")  # as wide as w_o; without it, as concat
# Name → the axes of a stage, an operand or a parameter, each as the factors of its size.
FACTORS = {name: [axis.split("·") for axis in stage.axes] for name, stage in BY_NAME.items()}
MOST_STRIPS = 1 << 17  # of all maps of all layers: six seconds, even where each is one cell
WORD_BYTES = 300  # a token as Python keeps it, with its place in the text


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

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The sizes of a stage, an operand or a parameter, as its axes name them."""
        sizes = self._sizes
        shape = tuple(math.prod([sizes[one] for one in factors]) for factors in FACTORS[name])
        return (*shape[:-1], self.model.output_width) if name in OUTPUTS else shape

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """The sizes that the axes of stages are made of."""
        s = self.model.shape
        return {
            "batch": self.batch, "head": s.num_heads, "kv_head": s.num_kv_heads,
            "query": self.n, "key": self.m, "d_model": s.d_model, "d_k": s.d_k, "d_v": s.d_v,
            "hidden": self.model.mlp_width,
        }  # fmt: skip

    @cached_property
    def numbers(self) -> int:
        """How many numbers all stages and parameters hold."""
        stages = sum(math.prod(self.shape_of(name)) for name in self.stages)
        stages += self.batch * self.n * self._inner_width
        return self.model.num_layers * (stages + self.parameter_numbers)

    @property
    def parameter_numbers(self) -> int:
        """How many numbers the matrices of one layer hold, and its MLP's."""
        s, model = self.model.shape, self.model
        tensors = ("w_q", "w_k", "w_v", "w_o")
        weights = sum(math.prod(s.of(w, model.output_width)) for w in tensors)
        return weights + 2 * s.d_model * model.mlp_width

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

    @property
    def held_bytes(self) -> int:
        """About what the plan itself takes: the question's arrays, its words with their places."""
        question = self.question
        given = [question.x, question.context_x, question.mask, *vars(question.model).values()]
        arrays = sum(one.nbytes for one in given if isinstance(one, np.ndarray))
        words = [one for one in (self.words, self.context) if one is not None]
        positions = sum(len(one.lengths) * one.n for one in words)
        lists = len(question.blocked) + len(question.drop)
        return 4096 + arrays + WORD_BYTES * (positions + lists)

    @property
    def setting(self) -> Setting:
        """What the layers are asked, but for the numbers of a context."""
        drop = frozenset((layer, head) for layer, head in self.question.drop)
        return Setting(self.model, self.lengths(), self.options, drop=drop)

    @property
    def holds(self) -> frozenset[str]:
        """The words that choose between the variants of a stage's formula: of the question, of the
        model, and what only the lengths tell."""
        question, model = self.question, self.model
        scale = question.scaling if isinstance(question.scaling, str) else "number"
        placed = {"sinusoidal": (), "none": ("unplaced",)}.get(model.positions, (model.positions,))
        said = {
            "context": question.has_context,
            "given": question.x is not None,
            "context_given": question.context_x is not None,
            "drop": bool(question.drop),
            "mlp": model.mlp_width > 0,
            "gelu": model.mlp_width > 0 and model.activation == "gelu",
            "relu": model.mlp_width > 0 and model.activation == "relu",
            "unmasked": self.options.mask.closes_nothing(self.n, self.m, self.lengths()),
            "unprojected": not model.output_projection,
        }
        words = [word for word, it in said.items() if it]
        return frozenset([scale, model.block, *placed, *words]) | model.biases

    def lengths(self) -> list[tuple[int, int]]:
        """The real queries and the real keys of each row of the batch."""
        asked = self.words if self.context is None else self.context
        return list(zip(self.words.lengths, asked.lengths, strict=True))


def make_plan(
    question: Question, limits: Limits, find: FindUpload, shelf: Shelf | None = None
) -> Plan:
    """Everything that can be refused is refused here; nothing is multiplied yet."""
    shelf = shelf or shipped()
    question = resolved(question, shelf)
    words, context, model = _read(question, limits, find, shelf)
    shape = model.shape
    for at, given in (("x", question.x), ("context_x", question.context_x)):
        if given is not None and given.shape[-1] != shape.d_model:
            raise ShapeMismatch("x_width", at=at, columns=given.shape[-1], d_model=shape.d_model)
    if context is not None:
        _check_context(question, words, context)
    n, m = words.n, (context or words).n
    for i, j in question.blocked:
        if i >= n or j >= m:
            raise InvalidRequest("blocked_out_of_range", at="blocked", cell=[i, j], n=n, m=m)
    for layer, head in question.drop:
        if layer >= model.num_layers or head >= shape.num_heads:
            there = {"num_layers": model.num_layers, "num_heads": shape.num_heads}
            raise InvalidRequest("no_such_head", at="drop", dropped=[layer, head], **there)
    batch = len(words.lengths)
    given = given_mask(question.mask, (batch, shape.num_heads, n, m))
    scale, mask = _scale(question, shape), _mask(question, model, given)
    dtype = question.dtype or model.dtype
    options = Options(scale, question.temperature, mask, GRIDS.get(dtype))
    planned = Plan(question.id(), question, words, model, options, dtype, batch, context)
    if planned.bytes > limits.max_trace_bytes:
        raise TooLarge(
            "trace", estimate=_megabytes(planned.bytes), limit=_megabytes(limits.max_trace_bytes)
        )
    strips = model.num_layers * count_strips(batch, shape.num_heads, n)
    if strips > MOST_STRIPS:
        raise TooLarge("maps", at=words.at, estimate=f"{strips:,}", limit=f"{MOST_STRIPS:,}")
    return planned


def _read(
    question: Question, limits: Limits, find: FindUpload, shelf: Shelf
) -> tuple[Words, Words | None, Opened]:
    """The words, those of the context, and the model: first, where its own tokenizer is asked, or
    it says how long a text may be."""
    first = question.splitting == "model" or isinstance(question.model, Installed)
    model = open_model(question, find, shelf) if first else None
    split: Split = splitting(question, None if model is None else model.pieces)
    room = Room(limits.max_tokens, None if model is None else model.context)
    words = read_words(question, room, limits.max_characters, split)
    model = model or open_model(question, find, shelf)
    return words, read_context(question, room, limits.max_characters, split), model


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
    if question.scaling == "sqrt_d_k":
        return 1 / math.sqrt(shape.d_k)
    return 1.0 if question.scaling == "none" else float(question.scaling)


def _mask(question: Question, model: Opened, given: np.ndarray | None) -> Mask:
    by_model = model.causal and not question.has_context
    causal = by_model if question.causal is None else question.causal
    blocked = frozenset((i, j) for i, j in question.blocked)
    return Mask(causal, question.window, question.prefix, blocked, given, question.padding)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"
