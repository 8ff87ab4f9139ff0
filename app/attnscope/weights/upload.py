from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from attnscope.attention.architecture import Parameters, Shape
from attnscope.errors import BadWeightsFile, InvalidRequest
from attnscope.storage.manifest import ReceivedUpload
from attnscope.weights.formats import (
    Budget,
    Limits,
    WeightsFile,
    decode_safetensors,
    read_weights,
    unpacked_size,
)
from attnscope.weights.formats.limits import UNPRINTABLE, BadWeights
from attnscope.weights.layouts import Heads, Recognised, recognise
from attnscope.weights.layouts.canonical import NAME
from attnscope.weights.layouts.checkpoints import ENCODERS
from attnscope.weights.layouts.mapping import apply_mapping
from attnscope.weights.layouts.shapes import listed

KEY = "attnscope"  # metadata key in uploads stored by version 0.1.0
WIDEST = ("float64", "float32", "float16", "bfloat16")
LONGEST_NAME = 120
MOST_FILES = 64
LISTED = 12  # tensors in a note
OF_A_TENSOR, OF_A_LAYER = 512, 1024  # bytes of Python objects
Read = Callable[[str, bytes, Budget], WeightsFile]


class TensorInfo(NamedTuple):
    name: str
    shape: tuple[int, ...]
    dtype: str


class Note(NamedTuple):
    """`reason` selects the message, `values` fill it."""

    reason: str
    at: str
    values: dict[str, object]


@dataclass(frozen=True)
class Upload:
    """`dtype`: narrowest type that holds all tensors; half precision is computed as float32."""

    name: str
    layout: str
    shape: Shape
    dtype: str
    tensors: tuple[TensorInfo, ...]
    layers: Sequence[Parameters]
    embedding: np.ndarray | None = None
    vocab: tuple[str, ...] | None = None
    notes: tuple[Note, ...] = ()

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in self.arrays().values())

    @property
    def caveats(self) -> tuple[str, ...]:
        """Codes of differences from the original model."""
        return ("attention_only",) if len(self.layers) > 1 or self.layout != NAME else ()

    @property
    def causal(self) -> bool:
        return self.layout not in ENCODERS

    @property
    def accepted(self) -> tuple[str, ...]:
        return ()

    @property
    def held(self) -> int:
        texts = sum(map(sys.getsizeof, self.vocab or ()))
        return self.bytes + texts + OF_A_TENSOR * len(self.tensors) + OF_A_LAYER * len(self.layers)

    def arrays(self) -> dict[str, np.ndarray]:
        arrays = {
            f"layers.{i}.{name}": array
            for i, layer in enumerate(self.layers)
            for name, array in layer.arrays().items()
        }
        return arrays if self.embedding is None else {**arrays, "embedding": self.embedding}


def read_upload(
    files: Sequence[tuple[str, bytes]],
    *,
    num_heads: Heads = None,
    mapping: bytes | str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
) -> Upload:
    """`files`: (filename, content) of the shards of a checkpoint.

    Raises BadWeightsFile, BadMapping, UnknownLayout, ShapeMismatch, NonFinite, InvalidRequest.
    """
    limits = limits or Limits()
    if not files:
        raise BadWeights("no_file")
    title = title_of(name, files[0][0])
    file = merge_shards(files, limits)
    tensors = tuple(
        TensorInfo(name, array.shape, file.dtypes[name]) for name, array in file.arrays.items()
    )
    if mapping is not None:
        file = apply_mapping(mapping, file)
    recognised = recognise(file, num_heads)
    dtype = common_dtype(set(file.dtypes.values()))
    memory = np.dtype(np.float64 if dtype == "float64" else np.float32)
    narrower = [array for array in file.arrays.values() if array.dtype != memory]
    file.budget.make(sum(array.size for array in narrower) * memory.itemsize)
    embedding = recognised.embedding
    return Upload(
        title,
        recognised.layout,
        recognised.shape,
        dtype,
        tensors,
        tuple(layer.astype(memory) for layer in recognised.layers),
        None if embedding is None else embedding.astype(memory, copy=False),
        recognised.vocab,
        tuple(_notes(file, recognised)),
    )


def reopen(stored: ReceivedUpload | bytes, limits: Limits) -> Upload:
    """Version 0.1.0 stored bytes; damaged ones raise KeyError, TypeError or ValueError."""
    if isinstance(stored, ReceivedUpload):
        return read_upload(
            stored.files,
            num_heads=stored.num_heads,
            mapping=stored.mapping,
            name=stored.name,
            limits=limits,
        )
    return from_bytes(stored)


def from_bytes(data: bytes) -> Upload:
    file = decode_safetensors(data)
    about = json.loads(file.metadata[KEY])
    layers: dict[int, dict[str, np.ndarray]] = {}
    for name, array in file.arrays.items():
        if name != "embedding":
            _, layer, tensor = name.split(".")
            layers.setdefault(int(layer), {})[tensor] = array
    return Upload(
        about["name"],
        about["layout"],
        Shape(**about["shape"]),
        about["dtype"],
        tuple(TensorInfo(name, tuple(shape), dtype) for name, shape, dtype in about["tensors"]),
        tuple(Parameters(**layers[i]) for i in range(len(layers))),
        file.arrays.get("embedding"),
        None if about["vocab"] is None else tuple(about["vocab"]),
    )


def title_of(name: str | None, filename: str) -> str:
    if name is None or not name.strip():
        # Browsers may send paths with either slash.
        stem = PurePath(filename.replace("\\", "/")).stem
        return UNPRINTABLE.sub("", stem).strip()[:LONGEST_NAME].rstrip() or "model"
    title = name.strip()
    if len(title) > LONGEST_NAME:
        raise InvalidRequest("name_too_long", at="name", limit=LONGEST_NAME)
    if UNPRINTABLE.search(title):
        raise InvalidRequest("name_unprintable", at="name")
    return title


def _notes(file: WeightsFile, recognised: Recognised) -> Iterator[Note]:
    if recognised.layout != NAME:
        yield Note("no_config", "config", {"layout": recognised.layout})
    if not recognised.heads_stated:
        width = recognised.shape.num_heads * recognised.shape.d_k
        yield Note("one_head", "num_heads", {"q_width": width})
    if file.as_stored:
        yield Note("not_transposed", "mapping", {"tensors": listed(file.as_stored, LISTED)})


def merge_shards(
    files: Sequence[tuple[str, bytes]], limits: Limits, read: Read = read_weights
) -> WeightsFile:
    """Raises BadWeightsFile, and the errors of `read`."""
    total = sum(len(data) for _, data in files)
    if total > limits.max_bytes:
        raise BadWeights("too_many_bytes", bytes=total, limit=limits.max_bytes)
    budget = Budget(limits)
    for filename, data in files:
        budget.unpack(unpacked_size(filename, data, limits))
    whole = WeightsFile({}, {}, {}, budget=budget)
    for filename, data in files:
        file = read(filename, data, budget)
        if twice := file.arrays.keys() & whole.arrays.keys():
            raise BadWeights("name_in_two_files", tensor=min(twice))
        whole.arrays.update(file.arrays)
        whole.dtypes.update(file.dtypes)
        one, other = (part.metadata.get("num_heads") for part in (whole, file))
        if one and other and one != other:
            raise BadWeightsFile(
                "heads_given_twice", at="num_heads", one=one[:40], other=other[:40]
            )
        whole.metadata.update(file.metadata)
        whole = whole if file.vocab is None else replace(whole, vocab=file.vocab)
        limits.check_count(len(whole.arrays))
    return whole


def common_dtype(dtypes: set[str]) -> str:
    """Narrowest type that holds all: float32 for float16 and bfloat16 together."""
    if {"float16", "bfloat16"} <= dtypes:
        dtypes = dtypes | {"float32"}
    return next((dtype for dtype in WIDEST if dtype in dtypes), "float32")
