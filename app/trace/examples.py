"""Worked examples of the literature: the published figure beside ours, computed now.

examples.json holds the questions and what was printed. Where only a row of scores was printed,
the question has x = I and w_k = I, so that w_q itself holds the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from app.attention.attend import Options, attend
from app.attention.parameters import Shape
from app.trace.question import Question
from app.trace.run import Limits, answer, plan
from app.weights import embeddings, schemes

FILE = Path(__file__).with_name("examples.json")


@dataclass(frozen=True)
class Figure:
    """`why` names the sentence that tells what went wrong in print."""

    stage: str
    at: dict[str, int]
    published: Any
    computed: Any
    agrees: bool
    why: str | None


@dataclass(frozen=True)
class Example:
    """`question` is a body for POST /attention; None: not expressible as one."""

    id: str
    question: dict[str, Any] | None
    figures: tuple[Figure, ...]


@cache
def examples() -> tuple[Example, ...]:
    """All of them, computed once."""
    return tuple(_example(entry) for entry in orjson.loads(FILE.read_bytes()))


def _example(entry: dict[str, Any]) -> Example:
    @cache
    def stages(num_heads: int | None) -> dict[str, np.ndarray]:
        if "cross" in entry:
            return _cross_attention(entry["cross"])
        return _answer(entry["question"], num_heads)

    figures = []
    for figure in entry["figures"]:
        array = stages(figure["at"].get("num_heads"))[figure["stage"]]
        figures.append(_figure(figure, array))
    return Example(entry["id"], entry["question"], tuple(figures))


def _figure(figure: dict[str, Any], array: np.ndarray) -> Figure:
    stage, at, why = figure["stage"], figure["at"], figure.get("why")
    if "published_shape" in figure:
        published, shape = figure["published_shape"], list(array.shape)
        if array.ndim > len(published):  # printed for one batch row
            shape = shape[1:]
        return Figure(stage, at, published, shape, shape == published, why)
    ours = _part(array, at, figure.get("row"))
    agrees = _rounds_to(ours, figure["published"], figure.get("tolerance"))
    computed = np.where(np.isneginf(ours), np.array(None), ours).tolist()  # masked: null
    return Figure(stage, at, figure["published"], computed, agrees, why)


def _answer(body: dict[str, Any], num_heads: int | None) -> dict[str, np.ndarray]:
    """Every stage and parameter of the question, with another head count where `at` says so."""
    if num_heads is not None:
        body = {**body, "model": {**body["model"], "num_heads": num_heads}}
    trace = answer(plan(Question.model_validate(body), Limits(), _no_upload))
    return {**trace.layers[0], **trace.parameters[0].arrays()}


def _no_upload(model_id: str) -> Any:
    raise LookupError(model_id)  # no example uses an upload


def _part(array: np.ndarray, at: dict[str, int], row: int | None) -> np.ndarray:
    """One batch, the row if one is named, and no head axis where there is one head."""
    part: np.ndarray = array[at.get("batch", 0)]
    if "row" in at:
        part = part[..., at["row"] if row is None else row, :]
    return part[0] if part.shape[0] == 1 and array.ndim == 4 else part


def _rounds_to(ours: np.ndarray, published: Any, tolerance: float | None) -> bool:
    """Half a unit of the last printed digit, unless a tolerance is given; null is masked."""
    printed = np.array(published, dtype=float)  # None becomes NaN
    masked = np.isnan(printed)
    if ours.shape != printed.shape or (np.isneginf(ours) != masked).any():
        return False
    if tolerance is None:
        decimals = max(len(repr(float(v)).partition(".")[2]) for v in printed[~masked].flat)
        tolerance = 0.5 * 10.0**-decimals
    return bool((np.abs(ours - printed)[~masked] <= tolerance).all())


def _cross_attention(sizes: dict[str, Any]) -> dict[str, np.ndarray]:
    """Decoder positions that ask encoder positions: n ≠ m."""
    d_model, heads = sizes["d_model"], sizes["num_heads"]
    shape = Shape(heads, heads, d_model, d_model // heads, d_model // heads)
    x, context = (
        embeddings.seeded(sizes[name], 0, d_model)[None] for name in ("tokens", "context_tokens")
    )
    stages: dict[str, np.ndarray] = {}
    parameters = schemes.seeded_layer(shape, 0, 0)
    options = Options(scale=1 / np.sqrt(shape.d_k))
    lengths = [(x.shape[1], context.shape[1])]
    attend(x, context, parameters, shape, lengths, options, stages.__setitem__)
    return stages
