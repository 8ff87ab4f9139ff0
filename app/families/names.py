"""What the tensors of a checkpoint became in our names, told without reading a number.

A family converts stand-ins of the right sizes that take no memory: what it turns or cuts still lies
where its stand-in lies, and so tells where it came from. What it computes anew does not, and has no
name here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from app.families.model import About, Family, Sizes, Weights

LAYER = re.compile(r"(?<![^.])\d+(?![^.])")  # a number between dots


def our_names(family: Family, about: About, sizes: Sizes) -> dict[str, list[str]]:
    """{tensor of the file: our names of it}; one layer is converted, the others follow it."""
    stand_ins = {name: np.broadcast_to(np.zeros((), np.float32), shape)
                 for name, shape in sizes.items()}  # fmt: skip
    owner = {_place(array): name for name, array in stand_ins.items()}
    first: dict[str, list[str]] = {}
    for ours, array in _arrays(family.convert(about, stand_ins)):
        if (name := owner.get(_place(array))) is not None:
            first.setdefault(name, []).append(ours)
    found = {name: _of_layer(name, first, about.architecture.num_layers) for name in sizes}
    return {name: ours for name, ours in found.items() if ours}


def _of_layer(name: str, first: Mapping[str, list[str]], num_layers: int) -> list[str]:
    """Our names of a tensor, from those of its like in layer 0."""
    layer = LAYER.search(name)
    if layer is None:
        return first.get(name, [])
    if int(layer[0]) >= num_layers:
        return []
    like = f"{name[: layer.start()]}0{name[layer.end() :]}"
    return [ours.replace("layers.0.", f"layers.{layer[0]}.", 1) for ours in first.get(like, [])]


def _arrays(weights: Weights) -> Iterator[tuple[str, np.ndarray]]:
    """Every array of a model by the name that it has in a model of ours."""
    for name, array in weights.layers[0].arrays().items():
        yield f"layers.0.{name}", array
    named = {"embedding": weights.embedding, "position": weights.position}
    if (norm := weights.embedding_norm) is not None:
        named |= {"embedding_norm_gain": norm.gain, "embedding_norm_bias": norm.bias}
    if (head := weights.unembedding) is not None:
        named |= {"unembedding": head.matrix, "final_norm_gain": head.norm_gain}
        named |= {"final_norm_bias": head.norm_bias, "unembedding_bias": head.bias}
    yield from ((name, array) for name, array in named.items() if array is not None)


def _place(array: np.ndarray) -> int:
    place: int = array.__array_interface__["data"][0]
    return place
