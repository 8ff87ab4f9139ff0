"""Replies: JSON with masked cells as null, or safetensors with the rest as metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import orjson
from fastapi import Depends, Query, Request, Response
from safetensors.numpy import save

from app.errors import InvalidRequest, TooLarge, UnknownStage
from app.trace.run import Plan, Trace
from app.trace.stages import BY_NAME, NAMES
from app.web.problems import NotAcceptable
from app.web.schemas import AttentionRequest

JSON, SAFETENSORS = "application/json", "application/x-safetensors"
QUALITY = re.compile(r"[01](\.\d{0,3})?", re.ASCII)
FOR_EVER = "private, max-age=31536000, immutable"


def to_json(data: Any) -> bytes:
    """numpy arrays as nested lists; NaN and infinities, and so masked cells, as null."""
    return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)


async def chosen_format(
    request: Request,
    format: Annotated[
        str | None,
        Query(
            description="json or safetensors; left out: what Accept wants most.",
            json_schema_extra={"enum": ["json", "safetensors"]},
        ),
    ] = None,
) -> str:
    """The media type: ?format= where given, else by Accept; JSON if both are equally welcome."""
    if format is not None:
        if format not in ("json", "safetensors"):
            raise NotAcceptable("format", at="format", given=format[:40])
        return SAFETENSORS if format == "safetensors" else JSON
    accept = request.headers.get("accept", "").strip() or "*/*"
    wanted = {media: welcome(accept, media) for media in (JSON, SAFETENSORS)}
    best = max(wanted, key=lambda media: wanted[media])
    if wanted[best] <= 0:
        raise NotAcceptable("accept", given=accept[:80])
    return best


def welcome(accept: str, media: str) -> float:
    """The quality of a media type by its closest range (RFC 9110, section 12.5.1); 0: unwanted."""
    ranges = {media: 3, f"{media.partition('/')[0]}/*": 2, "*/*": 1}
    closest, quality = 0, 0.0
    for part in accept.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        if ranges.get(name, 0) > closest:
            closest, quality = ranges[name], _quality(parameters)
    return quality


def _quality(parameters: Sequence[str]) -> float:
    """q of a range; 1 where it is missing, 0 where it is no number."""
    given = next((p.removeprefix("q=") for p in parameters if p.startswith("q=")), "1")
    return float(given) if QUALITY.fullmatch(given) else 0.0


Media = Annotated[str, Depends(chosen_format)]


@dataclass(frozen=True)
class Selection:
    """Which part of a trace to send; None: all of it."""

    stages: Sequence[str] | None = None
    layers: Sequence[int] | None = None
    heads: Sequence[int] | None = None
    parameters: bool = False

    @classmethod
    def of(cls, body: AttentionRequest) -> Selection:
        return cls(body.stages, body.layers, body.heads, body.parameters)

    def check(self, planned: Plan) -> None:
        for stage in self.stages or ():
            if stage not in planned.stages:
                raise UnknownStage(
                    "unknown_stage",
                    at="stages", stage=stage[:40], stages=", ".join(planned.stages),
                )  # fmt: skip
        counts = {"layers": planned.model.num_layers, "heads": planned.model.shape.num_heads}
        for name, count in counts.items():
            chosen = getattr(self, name) or ()
            if len(set(chosen)) < len(chosen):
                raise InvalidRequest("repeated", at=name)
            for value in chosen:
                if value >= count:
                    raise InvalidRequest(
                        "out_of_range", at=name, name=name, value=value, last=count - 1
                    )

    def cut(self, trace: Trace) -> list[tuple[int, dict[str, np.ndarray]]]:
        """(layer, {stage: array}) in order."""
        indices = range(len(trace.layers)) if self.layers is None else self.layers
        known = trace.plan.stages
        names = NAMES if self.stages is None else [n for n in known if n in self.stages]
        return [
            (i, {name: self._heads(name, trace.layers[i][name], trace) for name in names})
            for i in indices
        ]

    def _heads(self, name: str, array: np.ndarray, trace: Trace) -> np.ndarray:
        axis = BY_NAME[name].head_axis
        if self.heads is None or axis is None:
            return array
        heads = list(self.heads)
        if axis == "kv_head":
            group = trace.plan.model.shape.queries_per_kv_head
            heads = sorted({head // group for head in heads})
        return array[:, heads]


def about(planned: Plan) -> dict[str, Any]:
    """The reply without its numbers."""
    shape, words, context = planned.model.shape, planned.words, planned.context
    sizes = {"batch": planned.batch, "num_layers": planned.model.num_layers}
    heads = {"num_heads": shape.num_heads, "num_kv_heads": shape.num_kv_heads}
    widths = {"d_model": shape.d_model, "d_k": shape.d_k, "d_v": shape.d_v}
    return {
        "trace": planned.id,
        "tokens": words.tokens,
        "context_tokens": context and context.tokens,
        "offsets": words.offsets,
        "lengths": words.lengths,
        "context_lengths": context and context.lengths,
        "shape": {**sizes, **heads, "n": planned.n, "m": planned.m, **widths},
        "scale": planned.options.scale,
        "temperature": planned.options.temperature,
        "dtype": planned.dtype,
    }


def checked(trace: Trace) -> dict[str, Any]:
    return {"checks": asdict(trace.checks), "elapsed_ms": trace.elapsed_ms}


def attention_json(trace: Trace, selection: Selection, max_numbers: int) -> bytes:
    """Raises TooLarge where safetensors, or a smaller selection, is the way."""
    layers = []
    numbers = 0
    for index, stages in selection.cut(trace):
        layer: dict[str, Any] = {n: np.ascontiguousarray(a) for n, a in stages.items()}
        numbers += sum(a.size for a in stages.values())
        if selection.parameters:
            layer["parameters"] = trace.parameters[index].arrays()
            numbers += sum(a.size for a in layer["parameters"].values())
            layer["parameters"] = {
                n: np.ascontiguousarray(a) for n, a in layer["parameters"].items()
            }
        layers.append(layer)
    if numbers > max_numbers:
        raise TooLarge("json", estimate=f"{numbers:,}", limit=f"{max_numbers:,}")
    return to_json({**about(trace.plan), "layers": layers, **checked(trace)})


def attention_safetensors(trace: Trace, selection: Selection) -> bytes:
    """One tensor a stage, `layers.<i>.<stage>`; −∞ in masked cells."""
    head = {**about(trace.plan), **checked(trace)}
    return save(named_arrays(trace, selection), {"attnscope": to_json(head).decode()})


def named_arrays(trace: Trace, selection: Selection) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for index, stages in selection.cut(trace):
        if selection.parameters:
            stages = {**stages, **trace.parameters[index].arrays()}
        for name, array in stages.items():
            arrays[f"layers.{index}.{name}"] = np.ascontiguousarray(array)
    return arrays


def reply(content: bytes, media: str, trace_id: str, *, keep: bool, status: int = 200) -> Response:
    """Answers are immutable; what a POST got is not kept by anybody in between."""
    headers = {
        "ETag": f'"{trace_id}"',
        "Cache-Control": FOR_EVER if keep else "no-store",
        "Vary": "Accept, Accept-Language",
    }
    return Response(content, status, headers, media)
