from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import orjson

from attnscope.analysis.left_out_keys import without_keys
from attnscope.analysis.merged_words import Merging, between_words
from attnscope.attention.attend import MAPS
from attnscope.attention.dtypes import stored_dtype
from attnscope.attention.recomputed_stages import KEPT_STAGES
from attnscope.errors import InvalidRequest, TooLarge, UnknownStage
from attnscope.trace.plan import Plan
from attnscope.trace.reading_cost import MADE_BYTES
from attnscope.trace.stages import BY_NAME, NAMES, out_of_range
from attnscope.trace.trace import Trace
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import Content, Stream, join_small_parts
from attnscope.web.serializers.request import AttentionRequest

JSON_BYTES = 26  # most bytes of a number and its comma
DTYPES = {"float64": "F64", "float32": "F32"}


def to_json(data: Any) -> bytes:
    """Encode as JSON; NaN and ±∞ become null."""
    return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)


def check_numbers(reason: str, numbers: int, limit: int) -> None:
    if numbers > limit:
        raise TooLarge(reason, estimate=f"{numbers:,}", limit=f"{limit:,}")


def encode_values(media: str, fields: Mapping[str, Any], name: str, values: np.ndarray) -> Content:
    if media == JSON:
        return to_json({**fields, "values": values})
    return safetensors({name: values}, fields)


def safetensors(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> Stream:
    """Write safetensors without copies, which the library makes."""
    header: dict[str, Any] = {"__metadata__": {"attnscope": to_json(metadata).decode()}}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        entry = {"dtype": DTYPES[array.dtype.name], "shape": array.shape}
        header[name] = {**entry, "data_offsets": [begin, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    first = len(text).to_bytes(8, "little") + text

    def parts() -> Iterator[bytes]:
        yield first
        for array in arrays.values():
            # memoryview cannot cast empty arrays
            yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data  # type: ignore[misc]

    return Stream(join_small_parts(parts()), len(first) + end)


@dataclass(frozen=True)
class Selection:
    """What to send; None means all. `merging` of tokens into words; `skip`: left-out keys."""

    stages: Sequence[str] | None = None
    layers: Sequence[int] | None = None
    heads: Sequence[int] | None = None
    parameters: bool = False
    merging: Merging | None = None
    skip: tuple[int, ...] = ()

    @classmethod
    def of(cls, body: AttentionRequest) -> Selection:
        return cls(body.stages, body.layers, body.heads, body.parameters)

    def check(self, planned: Plan, *, one: bool = False) -> None:
        """Raises UnknownStage, NotCaptured, InvalidRequest. `one`: errors name `layer`, `head`."""
        for stage in self.stages or ():
            if stage in NAMES and stage not in planned.stages:
                planned.check_has_stage(stage)
            if stage not in planned.stages:
                names = {"stage": stage[:40], "stages": ", ".join(planned.stages)}
                raise UnknownStage("unknown_stage", at="stages", **names)
        counts = {"layers": planned.model.num_layers, "heads": planned.model.shape.num_heads}
        for name, count in counts.items():
            chosen = getattr(self, name) or ()
            if len(set(chosen)) < len(chosen):
                raise InvalidRequest("repeated", at=name)
            for value in chosen:
                if value >= count:
                    at = name.removesuffix("s") if one else name
                    raise out_of_range(at, value, count)

    def computed_cells(self, planned: Plan) -> int:
        if not planned.long:
            return 0
        return sum(
            count * self._size(planned, name, planned.shape_of(name, layer))
            for layer, count in self._kinds(planned)
            for name in self.names(planned, layer)
            if name in MAPS
        )

    def numbers(self, planned: Plan) -> int:
        """How many numbers are sent, biases and gains not counted."""
        numbers = 0
        for layer, count in self._kinds(planned):
            shapes = planned.shapes_of(self.names(planned, layer), layer)
            one = sum([self._size(planned, name, shape) for name, shape in shapes.items()])
            one += planned.parameter_numbers(layer) if self.parameters else 0
            numbers += one * count
        return numbers

    def copied_bytes(self, planned: Plan) -> int:
        """Bytes of copies: scattered heads, left-out keys, recomputed stages."""
        copies_heads = self.heads is not None and not self._contiguous()
        item = planned.item_bytes
        copied = self.numbers(planned) * item if copies_heads else 0
        copied += self.numbers(planned) * 3 * np.dtype(np.float64).itemsize if self.skip else 0
        if not planned.remakes:
            return copied
        again = [
            count * math.prod(planned.shape_of(name, layer))
            for layer, count in self._kinds(planned)
            for name in self.names(planned, layer)
            if name not in KEPT_STAGES and not (planned.long and name in MAPS)
        ]
        return copied + item * sum(again) + MADE_BYTES * self.computed_cells(planned)

    def cut(self, trace: Trace) -> list[tuple[int, dict[str, np.ndarray]]]:
        """Pairs (layer, {stage: array})."""
        planned = trace.plan

        def part(layer: int, name: str) -> np.ndarray:
            chosen = self._read(trace, layer, name)
            chosen = without_keys(chosen, self.skip) if self.skip else chosen
            return chosen if self.merging is None else between_words(
                chosen, planned, layer, self.merging
            )  # fmt: skip

        return [
            (i, {name: part(i, name) for name in self.names(planned, i)})
            for i in self._indices(planned)
        ]

    def names(self, planned: Plan, layer: int) -> list[str]:
        chosen = NAMES if self.stages is None else self.stages
        return [name for name in planned.stages_of(layer) if name in chosen]

    def _indices(self, planned: Plan) -> Sequence[int]:
        return range(planned.model.num_layers) if self.layers is None else self.layers

    def _kinds(self, planned: Plan) -> list[tuple[int, int]]:
        """(first layer, number of selected layers) of each kind."""
        chosen = self._indices(planned)
        counts = [(kind[0], sum(layer in kind for layer in chosen)) for kind in planned.kinds]
        return [(layer, count) for layer, count in counts if count]

    def _size(self, planned: Plan, name: str, shape: tuple[int, ...]) -> int:
        if self.heads is not None and BY_NAME[name].head_axis is not None:
            shape = (shape[0], len(self._selected_heads(name, planned)), *shape[2:])
        return math.prod(shape)

    def _selected_heads(self, name: str, planned: Plan) -> list[int]:
        heads = list(self.heads or ())
        if BY_NAME[name].head_axis == "kv_head":
            heads = sorted({planned.model.shape.kv_head_of(head) for head in heads})
        return heads

    def _contiguous(self) -> bool:
        """Whether a slice can take the heads, without a copy."""
        heads = list(self.heads or ())
        return bool(heads) and heads == list(range(heads[0], heads[0] + len(heads)))

    def _read(self, trace: Trace, layer: int, name: str) -> np.ndarray:
        if not trace.plan.long or name not in MAPS:
            return self._heads(name, trace.layers[layer][name], trace.plan)
        batch, count, *sides = trace.plan.shape_of(name, layer)
        heads = range(count) if self.heads is None else self.heads
        found = np.empty((batch, len(heads), *sides), stored_dtype(trace.plan.dtype))
        for text, (at, head) in product(range(batch), enumerate(heads)):
            found[text, at] = trace.block(name, layer, head, batch=text)
        return found

    def _heads(self, name: str, array: np.ndarray, planned: Plan) -> np.ndarray:
        if self.heads is None or BY_NAME[name].head_axis is None:
            return array
        heads = self._selected_heads(name, planned)
        if self._contiguous():
            return array[:, heads[0] : heads[-1] + 1]
        return array[:, heads]
