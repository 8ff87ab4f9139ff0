"""Plan of a question: stages, sizes and settings, not computed yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from attnscope.attention.attend import MAPS
from attnscope.attention.dtypes import GRIDS, Dtype, stored_dtype
from attnscope.attention.layer_context import ContextMask, LayerContext, Options
from attnscope.attention.masks import KnockedOutCells, Mask
from attnscope.attention.recomputed_stages import KEPT, KEPT_MAPS, KEPT_STAGES, KEPT_X, STORED_MAPS
from attnscope.attention.strips import count_strips
from attnscope.errors import InvalidRequest, ShapeMismatch, TooLarge, TooManyTokens
from attnscope.installed.model_registry import ModelRegistry, shipped
from attnscope.trace.inputs import Words
from attnscope.trace.open_model import FindUpload, OpenModel, resolve
from attnscope.trace.parse_question import (
    check_context,
    context_mask_of,
    given_mask,
    knocked_out,
    mask_of,
    positions_of,
    read_question,
    scale_of,
)
from attnscope.trace.question import USUAL_SCALE, Question
from attnscope.trace.stages import BY_NAME, GATED_NAMES, MLP_NAMES, NAMES

OUTPUTS = ("output", "block_output", "w_o", "b_o")  # last axis: `output_width`
FACTORS = {axis: axis.split("·") for stage in BY_NAME.values() for axis in stage.axes}
DENSE_TOKENS = 4096  # longer texts have no n × m arrays
MOST_CELLS = 1 << 35  # weights of all texts, layers and heads
SMALL_MAPS = 4 << 20  # bytes; above, two maps are derived on access
LARGE_MAPS = 32 << 20  # bytes; above, `shared` models recompute all maps
MOST_STRIPS = 1 << 17  # so many take six seconds, even of tiny maps
GRADIENT_FACTOR = 2  # gradients take this many times a trace's bytes
WORD_BYTES = 300  # bytes of a token with its offsets


@dataclass(frozen=True)
class Limits:
    max_tokens: int = 131_072
    max_characters: int = 1_000_000
    max_trace_bytes: int = 512 << 20
    large_maps: int = LARGE_MAPS


@dataclass(frozen=True)
class Plan:
    id: str
    question: Question
    words: Words
    model: OpenModel
    options: Options
    dtype: Dtype
    batch: int
    context: Words | None = None
    context_mask: Mask = field(default_factory=Mask)  # of layers that attend to the context
    long: bool = False  # no n × m array
    whole_tokens: int = 0  # longest text whose maps would fit
    gradient_tokens: int = 0  # longest text whose gradients would fit
    large_maps: int = LARGE_MAPS
    small_maps: int = SMALL_MAPS
    knockouts: Mapping[int, KnockedOutCells] = field(default_factory=dict)  # layer → cells
    positions: np.ndarray | None = None  # [B, n]

    @property
    def n(self) -> int:
        return self.words.n

    @property
    def reach(self) -> int:
        """Largest position, plus 1."""
        return self.n if self.positions is None else int(self.positions.max()) + 1

    @property
    def m(self) -> int:
        return (self.context or self.words).n

    def attends_to_context(self, layer: int) -> bool:
        """Whether a layer attends to the context: in decoders every second one."""
        return self.context is not None and (
            not self.model.decoder or self.model.is_cross_attention(layer)
        )

    def words_of(self, layer: int) -> Words:
        """Tokens of a layer's queries: the context in an encoder's layers."""
        return self.context if self.context and self.model.is_encoder_layer(layer) else self.words

    def given(self, layer: int) -> bool:
        """Whether x, or in an encoder context_x, is given as numbers."""
        question = self.question
        return (
            question.context_x if self.model.is_encoder_layer(layer) else question.x
        ) is not None

    def sizes(self, layer: int) -> tuple[int, int]:
        return self.words_of(layer).n, self.keys(layer)

    def keys(self, layer: int) -> int:
        return self.m if self.attends_to_context(layer) else self.words_of(layer).n

    @property
    def stages(self) -> tuple[str, ...]:
        layers = (kind[0] for kind in self.kinds)
        return tuple(dict.fromkeys(name for i in layers for name in self.stages_of(i)))

    def stages_of(self, layer: int) -> tuple[str, ...]:
        context = ("context",) if self.attends_to_context(layer) else ()
        own = self.model.at(layer)
        mlp = GATED_NAMES if own.gated else MLP_NAMES
        return (*NAMES, *context, *(mlp if own.mlp_width else ()))

    def check_has_stage(self, name: str, layer: int = 0) -> None:
        """For captures, raises NotCaptured if the stage is missing."""

    def shape_of(self, name: str, layer: int = 0) -> tuple[int, ...]:
        return self._shape(name, self._sizes_of(layer))

    def shapes_of(self, names: Sequence[str], layer: int = 0) -> dict[str, tuple[int, ...]]:
        sizes = self._sizes_of(layer)
        return {name: self._shape(name, sizes) for name in names}

    def _shape(self, name: str, sizes: dict[str, int]) -> tuple[int, ...]:
        shape = tuple([sizes[axis] for axis in BY_NAME[name].axes])
        return (*shape[:-1], self.model.output_width) if name in OUTPUTS else shape

    def _sizes_of(self, layer: int) -> dict[str, int]:
        return self._sizes | {"query": self.words_of(layer).n, "key": self.keys(layer)}

    @cached_property
    def _sizes(self) -> dict[str, int]:
        s = self.model.shape
        sizes = {
            "batch": self.batch, "head": s.num_heads, "kv_head": s.num_kv_heads,
            "d_model": s.d_model, "d_k": s.d_k, "d_v": s.d_v, "hidden": self.model.mlp_width,
            "bucket": self.model.relative.buckets, "query": self.words.n, "key": self.m,
        }  # fmt: skip
        return {axis: math.prod([sizes[one] for one in own]) for axis, own in FACTORS.items()}

    @cached_property
    def kinds(self) -> list[range]:
        """Groups of layers whose stages have equal sizes."""
        return [kind for kind in self.model.kinds if kind]

    @cached_property
    def numbers(self) -> int:
        """Count of numbers in all stages and unshared parameters."""
        return self._of_all(self._numbers_of)

    def _of_all(self, sizes: Callable[[int], int]) -> int:
        return sum(len(kind) * sizes(kind[0]) for kind in self.kinds)

    def _numbers_of(self, layer: int) -> int:
        kept = (*NAMES, "context") if self.attends_to_context(layer) else NAMES
        stages = sum(map(math.prod, self.shapes_of(kept, layer).values()))
        inner = self.batch * self.words_of(layer).n * self._inner_width(layer)
        return stages + inner + (0 if self.shares_parameters else self.parameter_numbers(layer))

    @property
    def shares_parameters(self) -> bool:
        return self.model.shared and self.dtype == self.model.dtype

    def parameter_numbers(self, layer: int = 0) -> int:
        s, model = self.model.shape, self.model
        tensors = ("w_q", "w_k", "w_v", "w_o")
        weights = sum(math.prod(s.of(w, model.output_width)) for w in tensors)
        return weights + (3 if model.gated else 2) * s.d_model * model.at(layer).mlp_width

    def _inner_width(self, layer: int) -> int:
        """Numbers per token in intermediate stages: unrotated, unnormed, normed, of the MLP."""
        s, model = self.model.shape, self.model.at(layer)
        changed = (model.positions == "rotary") + model.normed_heads
        turned = changed * (s.num_heads + s.num_kv_heads) * s.d_k
        sublayers = 1 if model.mlp_width == 0 else 2
        normed = 0 if model.block in ("attention", "residual") else sublayers * s.d_model
        normed *= 2 if model.block == "sandwich_norm" else 1
        widths = 3 if model.gated else 2
        mlp = 0 if model.mlp_width == 0 else 2 * s.d_model + widths * model.mlp_width
        return turned + normed + mlp

    @property
    def bytes(self) -> int:
        if self.long:
            return self._long_bytes
        if not self.remakes:
            return self.dense_bytes
        return KEPT + self.item_bytes * self._of_all(self._kept_numbers)

    def _kept_numbers(self, layer: int) -> int:
        names = [name for name in KEPT_STAGES & {*NAMES, "context"}
                 if name != "context" or self.attends_to_context(layer)]  # fmt: skip
        return sum(map(math.prod, self.shapes_of(names, layer).values()))

    @property
    def _long_bytes(self) -> int:
        rows = self.batch * self.n * self.item_bytes
        inner = max(self._inner_width(kind[0]) for kind in self.kinds)
        return self.long_kept + rows * inner + self.parameter_bytes

    @property
    def parameter_bytes(self) -> int:
        numbers = 0 if self.shares_parameters else self._of_all(self.parameter_numbers)
        return self.item_bytes * numbers

    @property
    def computed_numbers(self) -> int:
        return self.numbers - self.parameter_bytes // self.item_bytes

    @property
    def long_kept(self) -> int:
        """Most bytes that a long trace keeps, except parameters."""
        sizes = {name: self.item_bytes * math.prod(self.shape_of(name)) for name in NAMES}
        layers = self.model.num_layers
        stages = sum(size for name, size in sizes.items() if name not in MAPS)
        x = min(sizes["x"] * layers, KEPT_X + sizes["x"])
        return x + max(KEPT, stages) + min(layers, KEPT_MAPS) * (sizes["q"] + sizes["k"])

    @property
    def dense_bytes(self) -> int:
        return self.numbers * self.item_bytes

    @cached_property
    def remakes(self) -> bool:
        """Whether most stages are recomputed on access."""
        return self.long or (self.model.shared and self._map_bytes > self.large_maps)

    @cached_property
    def kept_maps(self) -> tuple[str, ...]:
        if self.remakes:
            return ()
        return MAPS if self._map_bytes <= self.small_maps else STORED_MAPS

    @cached_property
    def item_bytes(self) -> int:
        return np.dtype(stored_dtype(self.dtype)).itemsize

    @cached_property
    def _map_bytes(self) -> int:
        return self.item_bytes * self._of_all(
            lambda layer: sum(map(math.prod, self.shapes_of(MAPS, layer).values()))
        )

    @property
    def held_bytes(self) -> int:
        question = self.question
        given = [*vars(question).values(), *vars(question.model).values()]
        arrays = sum(one.nbytes for one in given if isinstance(one, np.ndarray))
        words = [one for one in (self.words, self.context) if one is not None]
        positions = sum(len(one.lengths) * one.n for one in words)
        lists = len(question.blocked) + len(question.drop)
        lists += sum(map(len, self.knockouts.values()))
        given_positions = 0 if self.positions is None else 2 * self.positions.nbytes
        return 4096 + arrays + given_positions + WORD_BYTES * (positions + lists)

    @cached_property
    def setting(self) -> LayerContext:
        drop = frozenset((layer, head) for layer, head in self.question.drop)
        whole = LayerContext(
            self.model.for_length(self.reach), self.lengths(), self.options, drop=drop,
            knockouts=self.knockouts, positions=self.positions, maps=self.kept_maps,
        )  # fmt: skip
        if not self.model.decoder or self.context is None:
            return whole
        asked, encoder = ContextMask(self.context_mask, self.lengths()), None
        own = [(length, length) for length in self.words.lengths]
        if self.model.encoder_layers:
            source = [(length, length) for length in self.context.lengths]
            encoder = ContextMask(Mask(pads=self.question.padding), source)
        return replace(whole, lengths=own, asked=asked, encoder=encoder)

    @property
    def scaling(self) -> str:
        asked = self.question.scaling
        if asked != USUAL_SCALE:
            return asked if isinstance(asked, str) else "number"
        scales = {self.model.at(layer).scale for layer in range(self.model.num_layers)}
        return {frozenset([None]): "sqrt_d_k", frozenset([1.0]): "none"}.get(
            frozenset(scales), "number"
        )

    def lengths(self) -> list[tuple[int, int]]:
        """Queries and keys per text, without padding."""
        asked = self.words if self.context is None else self.context
        return list(zip(self.words.lengths, asked.lengths, strict=True))


def make_plan(
    question: Question,
    limits: Limits,
    find: FindUpload,
    registry: ModelRegistry | None = None,
    name: str | None = None,
) -> Plan:
    registry = registry or shipped()
    question = resolve(question, registry)
    words, context, model = read_question(
        question, find, registry, limits.max_tokens, limits.max_characters
    )
    shape = model.shape
    for at, given in (("x", question.x), ("context_x", question.context_x)):
        if given is not None and given.shape[-1] != shape.d_model:
            raise ShapeMismatch("x_width", at=at, columns=given.shape[-1], d_model=shape.d_model)
    check_context(question, words, context, model)
    n, m = words.n, (words if model.decoder else context or words).n
    _check_places(question, n, m)
    for layer, head in question.drop:
        if layer >= model.num_layers or head >= shape.num_heads:
            there = {"num_layers": model.num_layers, "num_heads": shape.num_heads}
            raise InvalidRequest("no_such_head", at="drop", dropped=[layer, head], **there)
    batch = len(words.lengths)
    given = given_mask(question.mask, "mask", (batch, shape.num_heads, n, m))
    scale, mask = scale_of(question, model), mask_of(question, model, given)
    usual: Dtype = "float32" if max(n, m) > DENSE_TOKENS else model.dtype
    dtype, by_model = question.dtype or usual, question.scaling == USUAL_SCALE
    options = Options(scale, question.temperature, mask, GRIDS.get(dtype), by_model)
    planned = Plan(
        name or question.id(), question, words, model, options, dtype, batch, context,
        context_mask_of(question, (batch, shape.num_heads, n, (context or words).n)),
        large_maps=limits.large_maps, positions=positions_of(question, words, model),
    )  # fmt: skip
    if question.knockouts:
        planned = replace(planned, knockouts=knocked_out(question.knockouts, model, planned.sizes))
    whole = planned.bytes <= limits.max_trace_bytes
    if max(n, m) > DENSE_TOKENS or not (whole or model.decoder or options.grid):
        _check_long(planned)
        found = whole_tokens(planned, limits.max_trace_bytes)
        planned = replace(planned, long=True, whole_tokens=found)
    elif GRADIENT_FACTOR * planned.dense_bytes > limits.max_trace_bytes:
        found = whole_tokens(planned, limits.max_trace_bytes // GRADIENT_FACTOR)
        planned = replace(planned, gradient_tokens=found)
    if planned.bytes > limits.max_trace_bytes:
        raise TooLarge(
            "question", estimate=megabytes(planned.bytes), limit=megabytes(limits.max_trace_bytes)
        )
    strips = sum(
        len(kind) * count_strips(batch, shape.num_heads, planned.words_of(kind[0]).n)
        for kind in planned.kinds
    )
    if strips > MOST_STRIPS:
        raise TooLarge("maps", at=words.at, estimate=f"{strips:,}", limit=f"{MOST_STRIPS:,}")
    return planned


def _check_places(question: Question, n: int, m: int) -> None:
    for i, j in question.blocked:
        if i >= n or j >= m:
            raise InvalidRequest("blocked_out_of_range", at="blocked", cell=[i, j], n=n, m=m)
    for i in [] if isinstance(question.global_tokens, int) else question.global_tokens:
        if i >= n:
            raise InvalidRequest("no_such_token", at="global_tokens", place=i, last=n - 1)


def _check_long(planned: Plan) -> None:
    """Refuse decoders, half precision (which rounds whole rows), and too many cells."""
    model, at = planned.model, planned.words.at
    if model.decoder:
        tokens = max(planned.n, planned.m)
        raise TooManyTokens("over_decoder", at=at, tokens=tokens, limit=DENSE_TOKENS)
    if planned.options.grid is not None:
        raise InvalidRequest("long_half_precision", at="dtype", limit=DENSE_TOKENS)
    cells = planned.batch * model.num_layers * model.shape.num_heads * planned.n * planned.m
    if cells > MOST_CELLS:
        raise TooLarge("cells", at=at, estimate=f"{cells:,}", limit=f"{MOST_CELLS:,}")


def whole_tokens(planned: Plan, limit: int) -> int:
    """Most tokens whose maps fit into `limit`; 0 if none, or with a context."""
    planned = replace(planned, dtype=planned.question.dtype or planned.model.dtype)
    fixed = planned.parameter_bytes
    maps, rest = planned._map_bytes, planned.dense_bytes - planned._map_bytes - fixed
    if planned.context is not None or fixed >= limit:
        return 0
    part = (math.sqrt(rest**2 + 4 * maps * (limit - fixed)) - rest) / (2 * maps)
    return min(int(part * planned.n), DENSE_TOKENS)


def megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"
