"""Native names: w_q, layers.<i>.w_q, embedding."""

from __future__ import annotations

import re

import numpy as np

from attnscope.attention.architecture import TENSORS, Parameters
from attnscope.errors import UnknownLayout
from attnscope.weights.formats import WeightsFile
from attnscope.weights.layouts.recognised import Heads, Recognised, check_floats, heads_of, vocab_of
from attnscope.weights.layouts.shapes import check_stack, shape_of

NAME = "canonical"
NEEDED = ("w_q", "w_k", "w_v")
TENSOR = re.compile(rf"(?:layers\.(0|[1-9]\d{{0,3}})\.)?({'|'.join(TENSORS)})", re.ASCII)
EMBEDDING = "embedding"


def is_native(name: str) -> bool:
    return name == EMBEDDING or TENSOR.fullmatch(name) is not None


def match(file: WeightsFile) -> bool:
    """Any layer tensor: `convert` reports missing ones."""
    return any(TENSOR.fullmatch(name) for name in file.arrays)


def convert(file: WeightsFile, num_heads: Heads) -> Recognised:
    layers = _layers(file.arrays)
    check_floats(file)
    at = "weights" if len(layers) == 1 else "weights.layers.0"
    heads, stated = heads_of(file, num_heads, layers[0], at)
    shape = shape_of(layers[0], heads, at)
    check_stack(shape, layers)
    vocab = vocab_of(file, shape.d_model)
    return Recognised(
        NAME,
        shape,
        tuple(Parameters(**tensors) for tensors in layers),
        file.arrays.get(EMBEDDING),
        vocab,
        heads_stated=stated,
    )


def _layers(arrays: dict[str, np.ndarray]) -> list[dict[str, np.ndarray]]:
    found: dict[int, dict[str, np.ndarray]] = {}
    for name, array in arrays.items():
        if not is_native(name):
            raise UnknownLayout("left_over", at="weights", tensor=name)
        if tensor := TENSOR.fullmatch(name):
            layer = found.setdefault(int(tensor[1] or 0), {})
            if tensor[2] in layer:
                raise UnknownLayout("named_twice", at="weights", tensor=tensor[2])
            layer[tensor[2]] = array
    for i in range(max(found) + 1):
        missing = [name for name in NEEDED if name not in found.get(i, {})]
        if missing:
            raise UnknownLayout("missing", at="weights", layer=i, missing=", ".join(missing))
    return [dict(sorted(found[i].items())) for i in range(len(found))]
