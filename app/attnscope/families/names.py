"""Native names of stored tensors.

The family converts placeholders: a result with the address of a placeholder is a view of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from attnscope.families.model import Family, ModelConfig, Sizes, Weights

LAYER = re.compile(r"(?<![^.])\d+(?![^.])")


def our_names(family: Family, about: ModelConfig, sizes: Sizes) -> dict[str, list[str]]:
    stand_ins = {name: np.broadcast_to(np.zeros((), np.float32), shape)
                 for name, shape in sizes.items()}  # fmt: skip
    owner = {_address(array): name for name, array in stand_ins.items()}
    first: dict[str, list[str]] = {}
    for native, array in _arrays(family.convert(about, stand_ins)):
        if (name := owner.get(_address(array))) is not None:
            first.setdefault(name, []).append(native)
    found = {name: _names_in_layer(name, first, about.architecture.num_layers) for name in sizes}
    return {name: native for name, native in found.items() if native}


def _names_in_layer(name: str, first: Mapping[str, list[str]], num_layers: int) -> list[str]:
    layer = LAYER.search(name)
    if layer is None:
        return first.get(name, [])
    if int(layer[0]) >= num_layers:
        return []
    like = f"{name[: layer.start()]}0{name[layer.end() :]}"
    return [native.replace("layers.0.", f"layers.{layer[0]}.", 1) for native in first.get(like, [])]


def _arrays(weights: Weights) -> Iterator[tuple[str, np.ndarray]]:
    for name, array in weights.layers[0].arrays().items():
        yield f"layers.0.{name}", array
    named = {"embedding": weights.embedding, "position": weights.position}
    if (norm := weights.embedding_norm) is not None:
        named |= {"embedding_norm_gain": norm.gain, "embedding_norm_bias": norm.bias}
    if (head := weights.unembedding) is not None:
        named |= {"unembedding": head.matrix, "final_norm_gain": head.norm_gain}
        named |= {"final_norm_bias": head.norm_bias, "unembedding_bias": head.bias}
    yield from ((name, array) for name, array in named.items() if array is not None)


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
