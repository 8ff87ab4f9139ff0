from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attnscope.attention.architecture import Architecture, Parameters, Shape
from attnscope.attention.dtypes import Dtype
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.captures.capture import Capture
from attnscope.captures.missing_stages import not_captured
from attnscope.errors import InvalidRequest
from attnscope.trace.inputs import Words, check_positions, padded
from attnscope.trace.open_model import OpenModel
from attnscope.trace.plan import Limits, Plan
from attnscope.trace.question import Question
from attnscope.trace.stages import NAMES
from attnscope.trace.token_limits import check_length

NOTHING = np.empty((0, 0))


class GivenParameters(Parameters):
    @classmethod
    def of(cls, w_o: np.ndarray | None) -> GivenParameters:
        return cls(NOTHING, NOTHING, NOTHING, w_o)

    def arrays(self) -> dict[str, np.ndarray]:
        return {} if self.w_o is None else {"w_o": self.w_o}


@dataclass(frozen=True)
class CapturedSetting(LayerContext):
    masks: tuple[Mask, ...] = ()
    scales: tuple[float, ...] = ()

    def at(self, layer: int) -> CapturedSetting:
        options = replace(self.options, mask=self.masks[layer], scale=self.scales[layer])
        return replace(self, layer=layer, options=options)


@dataclass(frozen=True, kw_only=True)
class CapturedPlan(Plan):
    """Plan of a capture: stages are captured, or computed from captured ones."""

    capture: Capture

    def given(self, layer: int) -> bool:
        return True

    @property
    def stages(self) -> tuple[str, ...]:
        there = {name for layer in range(self.model.num_layers) for name in self.stages_of(layer)}
        return tuple(name for name in NAMES if name in there)

    def stages_of(self, layer: int) -> tuple[str, ...]:
        return tuple(self.capture.layers[self._there(layer)].stages)

    def check_has_stage(self, name: str, layer: int = 0) -> None:
        self._array(name, layer)

    def shape_of(self, name: str, layer: int = 0) -> tuple[int, ...]:
        shape: tuple[int, ...] = self._array(name, layer).shape
        return shape

    def shapes_of(self, names: Sequence[str], layer: int = 0) -> dict[str, tuple[int, ...]]:
        return {name: self.shape_of(name, layer) for name in names}

    def _array(self, name: str, layer: int) -> np.ndarray:
        at = self._there(layer)
        w_o = self.capture.w_o[at]
        return w_o if name == "w_o" and w_o is not None else self.capture.layers[at].stages[name]

    def _there(self, layer: int) -> int:
        """The layer, at most the last: callers check the range."""
        return min(layer, self.model.num_layers - 1)

    @cached_property
    def numbers(self) -> int:
        return sum(one.size for layer in self.capture.layers for one in layer.stages.values())

    @property
    def shares_parameters(self) -> bool:
        return True

    def parameter_numbers(self, layer: int = 0) -> int:
        w_o = self.capture.w_o[layer]
        return 0 if w_o is None else w_o.size

    @property
    def bytes(self) -> int:
        return self.capture.bytes

    @cached_property
    def setting(self) -> LayerContext:
        masks = tuple(layer.mask for layer in self.capture.layers)
        scales = self.capture.scales
        return CapturedSetting(self.model, self.lengths(), self.options, masks=masks, scales=scales)


def check_question(question: Question) -> None:
    """Raise InvalidRequest if any field but `model` is set."""
    for name in question.plain():
        if name != "model":
            raise InvalidRequest("captured_alone", at=name, name=name)


def plan_capture(question: Question, capture: Capture, limits: Limits) -> CapturedPlan:
    check_question(question)
    words, context = words_of(capture, limits)
    dtype: Dtype = "float64" if capture.dtype == "float64" else "float32"
    model = _opened(capture, dtype)
    options = Options(capture.scales[0], mask=Mask(capture.causal))
    return CapturedPlan(
        question.id(), question, words, model, options, dtype, capture.sizes.batch, context,
        capture=capture,
    )  # fmt: skip


def words_of(capture: Capture, limits: Limits) -> tuple[Words, Words | None]:
    sizes = capture.sizes
    words = _words(capture.tokens, sizes.batch, sizes.n, "tokens", limits)
    if not capture.has_context:
        return words, None
    context = _words(capture.context_tokens, sizes.batch, sizes.m, "context_tokens", limits)
    return words, context


def _words(tokens: list[list[str]] | None, batch: int, n: int, at: str, limits: Limits) -> Words:
    check_length(at, n, limits.max_tokens)
    check_positions(at, batch, n)
    offsets: list[list[tuple[int, int] | None]] = [[None] * n for _ in range(batch)]
    if tokens is None:
        return Words(None, offsets, [n] * batch, n, at)
    return Words(padded(tokens, n), offsets, [len(row) for row in tokens], n, at)


def _opened(capture: Capture, dtype: Dtype) -> OpenModel:
    sizes = capture.sizes
    shape = Shape(sizes.num_heads, sizes.num_kv_heads, sizes.d_model, sizes.d_k, sizes.d_v)
    given = capture.scales[0]
    usual = sizes.d_k > 0 and math.isclose(given, 1 / math.sqrt(sizes.d_k), rel_tol=1e-6)
    made = Architecture(shape, len(capture.layers), scale=None if usual else given)
    parameters = tuple(map(GivenParameters.of, capture.w_o))
    return OpenModel(
        **vars(made), output_width=sizes.out, layers=lambda: parameters, embed=_not_embedded,
        dtype=dtype, causal=capture.causal,
        output_projection=any(one is not None for one in capture.w_o),
    )  # fmt: skip


def _not_embedded(tokens: object) -> np.ndarray:
    raise not_captured("x")
