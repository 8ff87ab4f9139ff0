from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import overload

import numpy as np

from attnscope.attention.architecture import Architecture, Parameters, Shape
from attnscope.families.model import Sizes, Tensors

KEPT = 512 << 20  # bytes


class Layers(Sequence[Parameters]):
    """Parameters by layer, converted on access. Cached while their copies fit in KEPT bytes."""

    def __init__(self, count: int, convert: Callable[[int], Parameters]) -> None:
        self._count, self._convert = count, convert
        self._cached: dict[int, Parameters] = {}
        self._cached_bytes, self._lock = 0, Lock()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Parameters: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Parameters]: ...
    def __getitem__(self, at: int | slice) -> Parameters | Sequence[Parameters]:
        places = range(self._count)[at]
        if isinstance(places, range):
            return Layers(len(places), lambda i: self._one(places[i]))
        return self._one(places)

    def _one(self, layer: int) -> Parameters:
        cached = self._cached.get(layer)
        if cached is not None:
            return cached
        parameters = self._convert(layer)
        size = sum(a.nbytes for a in parameters.arrays().values() if _is_copy(a))
        with self._lock:
            if layer not in self._cached and self._cached_bytes + size <= KEPT:
                self._cached[layer], self._cached_bytes = parameters, self._cached_bytes + size
        return parameters


def _is_copy(array: np.ndarray) -> bool:
    base: object = array
    while isinstance(base, np.ndarray):
        if base.base is None:
            return True
        base = base.base
    return False


@dataclass(frozen=True)
class TensorNames:
    """`matrices`: letters of projections → modules, with weights [d_out, d_in]. `biased`: letters
    whose module has a bias. `vectors`: native → stored names. `by_kv_head`: a fused module
    stores the rows of each key/value head together."""

    matrices: Mapping[str, str]
    vectors: Mapping[str, str]
    biased: frozenset[str] = field(default_factory=frozenset)
    by_kv_head: bool = False

    @property
    def modules(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for letter, module in self.matrices.items():
            found.setdefault(module, []).append(letter)
        return found

    def wanted(self, at: str, architecture: Architecture) -> dict[str, tuple[int, ...]]:
        shape, hidden = architecture.shape, architecture.mlp_width
        found: dict[str, tuple[int, ...]] = {}
        for module, letters in self.modules.items():
            sizes = [_sizes(letter, shape, hidden) for letter in letters]
            d_in, d_out = sizes[0][0], sum(out for _, out in sizes)
            found[f"{at}{module}.weight"] = (d_out, d_in)
            if letters[0] in self.biased:
                found[f"{at}{module}.bias"] = (d_out,)
        for native, stored in self.vectors.items():
            of_head = native.startswith(("q_norm", "k_norm"))
            found[f"{at}{stored}"] = (shape.d_k if of_head else shape.d_model,)
        return found

    def unwanted(self, at: str, sizes: Sizes) -> list[str]:
        """Stored biases that the family does not read."""
        names = [f"{at}{module}.bias" for module, letters in self.modules.items()
                 if letters[0] not in self.biased]  # fmt: skip
        read = set(self.vectors.values())
        norms = {stored.removesuffix(".weight") + ".bias" for stored in read} - read
        names += [f"{at}{bias}" for bias in sorted(norms)]
        return [name for name in names if name in sizes]

    def read(self, at: str, tensors: Tensors, shape: Shape, gain: float = 0.0) -> Parameters:
        found: dict[str, np.ndarray] = {}
        for module, letters in self.modules.items():
            parts = self._apart(tensors[f"{at}{module}.weight"], letters, shape)
            found |= {f"w_{one}": part.T for one, part in zip(letters, parts, strict=True)}
            if letters[0] in self.biased:
                parts = self._apart(tensors[f"{at}{module}.bias"], letters, shape)
                found |= {f"b_{one}": part for one, part in zip(letters, parts, strict=True)}
        for native, stored in self.vectors.items():
            vector = tensors[f"{at}{stored}"]
            found[native] = (
                vector + np.float32(gain) if gain and native.endswith("gain") else vector
            )
        return Parameters(**found)

    def layers(
        self, at: str, tensors: Tensors, architecture: Architecture, gain: float = 0.0
    ) -> Layers:
        shape = architecture.shape
        return Layers(
            architecture.num_layers, lambda i: self.read(f"{at}.{i}.", tensors, shape, gain)
        )

    def _apart(
        self, fused: np.ndarray, letters: Sequence[str], shape: Shape
    ) -> Sequence[np.ndarray]:
        if len(letters) == 1:
            return [fused]
        if letters[0] != "q":
            return np.split(fused, len(letters))
        if self.by_kv_head:
            return _by_kv_head(fused, shape)
        widths = [shape.of(f"b_{letter}")[0] for letter in letters]
        return np.split(fused, np.cumsum(widths[:-1]))


def norm_vectors(native: str, stored: str) -> dict[str, str]:
    return {f"{native}_gain": f"{stored}.weight", f"{native}_bias": f"{stored}.bias"}


def _by_kv_head(fused: np.ndarray, shape: Shape) -> list[np.ndarray]:
    """Split [kv_heads · (queries + 2) · d_k, …] into q, k and v."""
    queries, rest = shape.queries_per_kv_head, fused.shape[1:]
    heads = fused.reshape(shape.num_kv_heads, queries + 2, shape.d_k, *rest)
    parts = heads[:, :queries], heads[:, queries], heads[:, queries + 1]
    return [part.reshape(-1, *rest) for part in parts]


def _sizes(letter: str, shape: Shape, hidden: int) -> tuple[int, ...]:
    if letter == "out":
        return hidden, shape.d_model
    return (shape.d_model, hidden) if letter in ("in", "gate") else shape.of(f"w_{letter}")
