from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnscope.attention.architecture import Parameters, Shape
from attnscope.errors import BadWeightsFile, InvalidRequest, ShapeMismatch
from attnscope.weights.formats import WeightsFile
from attnscope.weights.formats.limits import BadWeights
from attnscope.weights.formats.vocab import count_of, read_vocab
from attnscope.weights.layouts.shapes import MAX_HEADS, fitting_heads, listed

Heads = int | Literal["file"] | None  # only None may assume 1 head


@dataclass(frozen=True)
class Recognised:
    """`embedding` [vocab, d_model]. `heads_stated`: False if 1 head is assumed."""

    layout: str
    shape: Shape
    layers: tuple[Parameters, ...]
    embedding: np.ndarray | None = None
    vocab: tuple[str, ...] | None = None
    heads_stated: bool = True


def check_floats(file: WeightsFile) -> None:
    for name, array in file.arrays.items():
        if array.dtype.kind != "f":
            raise BadWeights("dtype_not_supported", tensor=name, dtype=file.dtypes[name])


def heads_of(
    file: WeightsFile, num_heads: Heads, layer: Mapping[str, np.ndarray], at: str
) -> tuple[int, bool]:
    """Return (heads, stated): as given or in the file, else the only fit, else 1.

    Raises BadWeightsFile unless 1 to MAX_HEADS, ShapeMismatch if 1 does not fit, InvalidRequest if
    "file" leaves several numbers.
    """
    text = file.metadata.get("num_heads") if num_heads in (None, "file") else str(num_heads)
    if text is not None:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
        if not 1 <= number <= MAX_HEADS:
            raise BadWeightsFile(
                "num_heads_no_number", at="num_heads", given=text[:40], most=MAX_HEADS
            )
        return number, True
    fitting = fitting_heads(layer, at)
    if len(fitting) == 1:
        return fitting[0], True
    if num_heads is None and fitting[0] == 1:
        return 1, False
    error = InvalidRequest if num_heads == "file" else ShapeMismatch
    widths = {"q_width": layer["w_q"].shape[1], "k_width": layer["w_k"].shape[1]}
    raise error("heads_not_given", at="num_heads", **widths, fitting=listed(fitting))


def vocab_of(file: WeightsFile, d_model: int) -> tuple[str, ...] | None:
    """None if there is neither vocab nor embedding. Raises ShapeMismatch, BadWeightsFile."""
    if file.vocab is None:
        if "embedding" in file.arrays:
            raise BadWeights("embedding_without_vocab")
        return None
    _check_embedding(file.arrays, count_of(file.vocab), d_model)
    vocab = read_vocab(file.vocab, file.budget)
    _check_embedding(file.arrays, len(vocab), d_model)
    return vocab


def _check_embedding(arrays: Mapping[str, np.ndarray], texts: int | None, d_model: int) -> None:
    embedding = arrays.get("embedding")
    if embedding is None:
        raise BadWeights("vocab_without_embedding")
    rows = len(embedding) if texts is None and embedding.ndim else texts
    if embedding.shape != (rows, d_model):
        raise ShapeMismatch(
            "embedding", at="weights", found=list(embedding.shape), vocab=rows, d_model=d_model
        )
