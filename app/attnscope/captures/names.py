from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attnscope.captures.generation_steps import STEP, joined_steps
from attnscope.errors import ShapeMismatch, UnknownLayout
from attnscope.weights.layouts.shapes import MAX_HEADS

MAP = ("batch", "head", "query", "key")
AXES = {
    "x": ("batch", "query", "d_model"),
    "q": ("batch", "head", "query", "d_k"),
    "k": ("batch", "kv_head", "key", "d_k"),
    "v": ("batch", "kv_head", "key", "d_v"),
    "scores": MAP,
    "scaled_scores": MAP,
    "masked_scores": MAP,
    "weights": MAP,
    "head_outputs": ("batch", "head", "query", "d_v"),
    "output": ("batch", "query", "out"),
    "w_o": ("head·d_v", "out"),
    "scale": (),
}
ALIASES = {"attentions": "weights"}
NAMES = ("weights", "attentions", *(name for name in AXES if name != "weights"))
OF_LAYER = re.compile(r"layers\.(\d{1,9})\.(\w+)", re.ASCII)
LISTED = 12  # most names in an error message
MOST_LAYERS = 256

Layers = list[dict[str, np.ndarray]]


@dataclass(frozen=True)
class Sizes:
    """Unknown widths are 0."""

    batch: int
    num_heads: int
    num_kv_heads: int
    n: int
    m: int
    d_model: int
    d_k: int
    d_v: int
    out: int


def layers_of(arrays: Mapping[str, np.ndarray]) -> Layers:
    """Arrays of each layer by stage, with a batch axis. Raises UnknownLayout and ShapeMismatch."""
    _check_names(arrays)
    found: dict[tuple[int, str], tuple[str, np.ndarray]] = {}
    stacked: dict[str, int] = {}
    for name, array in joined_steps(arrays).items():
        stage = stage_of(name)
        stage = ALIASES.get(stage, stage)
        if layer := OF_LAYER.fullmatch(name):
            rows = {int(layer[1]): _of_one_layer(name, stage, array)}
        else:
            rows = dict(enumerate(_of_all_layers(name, stage, array)))
            stacked[name] = len(rows)
        for i, row in rows.items():
            if (i, stage) in found:
                other = found[i, stage][0]
                raise _mismatch("capture_twice", layer=i, stage=stage, name=name, other=other)
            found[i, stage] = name, row
    there = {i for i, _ in found}
    count = len(there)
    if count > MOST_LAYERS:
        raise _mismatch("capture_many_layers", found=count, limit=MOST_LAYERS)
    if missing := set(range(count)) - there:
        raise _mismatch("capture_gap", layer=min(missing), layers=count)
    for name, own in stacked.items():
        if own != count:
            raise _mismatch("capture_layers", name=name, found=own, expected=count)
    return [{stage: found[i, stage][1] for stage in AXES if (i, stage) in found}
            for i in range(count)]  # fmt: skip


def sizes_of(layers: Layers) -> Sizes:
    """Raises ShapeMismatch if arrays disagree, w_o is alone or heads are too many."""
    sizes: dict[str, tuple[int, str]] = {}
    for i, arrays in enumerate(layers):
        for stage, array in arrays.items():
            name = f"layers.{i}.{stage}"
            for axis, size in zip(AXES[stage], array.shape, strict=True):
                expected, other = sizes.setdefault(axis, (size, name))
                if size != expected:
                    values = {"found": size, "expected": expected, "axis": axis}
                    raise _mismatch("capture_sizes", name=name, other=other, **values)
    known = {axis: size for axis, (size, _) in sizes.items()}
    heads = known.get("head") or known.get("kv_head") or 1
    kv_heads = known.get("kv_head", heads)
    if heads > MAX_HEADS:
        raise _mismatch("capture_many_heads", found=heads, limit=MAX_HEADS)
    if heads % kv_heads:
        raise _mismatch("capture_kv_heads", heads=heads, kv_heads=kv_heads)
    concat = known.get("head·d_v")
    d_v = known.get("d_v") or (concat or 0) // heads
    if concat not in (None, heads * d_v):
        raise _mismatch("capture_w_o", found=concat, heads=heads, d_v=d_v, expected=heads * d_v)
    n, m = (known.get("query") or known.get("key"), known.get("key") or known.get("query"))
    if n is None or m is None:
        raise _mismatch("capture_w_o_alone")
    width = known.get("d_model") or known.get("out", 0)
    return Sizes(known.get("batch", 1), heads, kv_heads, n, m, width, known.get("d_k", 0), d_v,
                 known.get("out", heads * d_v))  # fmt: skip


def stage_of(name: str) -> str:
    layer = OF_LAYER.fullmatch(name)
    return layer[2] if layer else name


def _check_names(arrays: Mapping[str, np.ndarray]) -> None:
    unknown = [name for name in arrays if stage_of(name) not in NAMES and not STEP.fullmatch(name)]
    if unknown:
        found = ", ".join(unknown[:LISTED]) + ", …" * (len(unknown) > LISTED)
        raise UnknownLayout("not_of_a_capture", at="arrays", found=found, names=", ".join(NAMES))


def _of_one_layer(name: str, stage: str, array: np.ndarray) -> np.ndarray:
    axes = AXES[stage]
    if array.ndim == len(axes):
        return array
    if array.ndim == len(axes) - 1 and axes[0] == "batch":
        return array[None]
    raise _wrong_axes(name, array, axes)


def _of_all_layers(name: str, stage: str, array: np.ndarray) -> list[np.ndarray]:
    axes = AXES[stage]
    least = len([axis for axis in axes if axis != "batch"])
    if not least <= array.ndim <= len(axes) + 1:
        raise _wrong_axes(name, array, axes)
    layers = array if array.ndim > least else array[None]
    if len(layers) > MOST_LAYERS:
        raise _mismatch("capture_many_layers", found=len(layers), limit=MOST_LAYERS)
    return list(layers if layers.ndim == len(axes) + 1 else layers[:, None])


def _wrong_axes(name: str, array: np.ndarray, axes: tuple[str, ...]) -> ShapeMismatch:
    wanted = "[" + ", ".join(axes) + "]"
    return _mismatch("capture_axes", name=name, found=list(array.shape), wanted=wanted)


def _mismatch(reason: str, **values: object) -> ShapeMismatch:
    return ShapeMismatch(reason, at="arrays", **values)
