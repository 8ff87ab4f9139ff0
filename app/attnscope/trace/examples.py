"""Worked examples from the literature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import answer

FILE = Path(__file__).with_name("examples.json")


@dataclass(frozen=True)
class Figure:
    """`why`: key of a message that explains a difference from the publication."""

    stage: str
    at: dict[str, int]
    published: Any
    computed: Any
    agrees: bool
    why: str | None


@dataclass(frozen=True)
class Example:
    id: str
    question: dict[str, Any]
    figures: tuple[Figure, ...]


@cache
def examples() -> tuple[Example, ...]:
    return tuple(map(example, questions()))


def questions() -> dict[str, dict[str, Any]]:
    return {name: entry["question"] for name, entry in _entries().items()}


@cache
def _entries() -> dict[str, dict[str, Any]]:
    return {entry["id"]: entry for entry in orjson.loads(FILE.read_bytes())}


@cache
def example(name: str) -> Example:
    entry = _entries()[name]

    @cache
    def stages(num_heads: int | None) -> dict[str, np.ndarray]:
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
        if array.ndim > len(published):
            shape = shape[1:]
        return Figure(stage, at, published, shape, shape == published, why)
    ours = _part(array, at, figure.get("row"))
    agrees = _rounds_to(ours, figure["published"], figure.get("tolerance"))
    computed = np.where(np.isneginf(ours), np.array(None), ours).tolist()
    return Figure(stage, at, figure["published"], computed, agrees, why)


def _answer(body: dict[str, Any], num_heads: int | None) -> dict[str, np.ndarray]:
    if num_heads is not None:
        body = {**body, "model": {**body["model"], "num_heads": num_heads}}
    trace = answer(make_plan(Question.model_validate(body), Limits(), no_upload))
    return {**trace.layers[0], **trace.parameters[0].arrays()}


def no_upload(model_id: str) -> Any:
    raise LookupError(model_id)


def _part(array: np.ndarray, at: dict[str, int], row: int | None) -> np.ndarray:
    part: np.ndarray = array[at.get("batch", 0)]
    if "row" in at:
        part = part[..., at["row"] if row is None else row, :]
    return part[0] if part.shape[0] == 1 and array.ndim == 4 else part


def _rounds_to(ours: np.ndarray, published: Any, tolerance: float | None) -> bool:
    printed = np.array(published, dtype=float)
    masked = np.isnan(printed)
    if ours.shape != printed.shape or (np.isneginf(ours) != masked).any():
        return False
    if tolerance is None:
        decimals = max(len(repr(float(v)).partition(".")[2]) for v in printed[~masked].flat)
        tolerance = 0.5 * 10.0**-decimals
    return bool((np.abs(ours - printed)[~masked] <= tolerance).all())
