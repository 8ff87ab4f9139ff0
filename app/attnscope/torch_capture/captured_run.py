from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from attnscope.errors import ShortTraceback

DTYPES = {"float32": "F32", "float64": "F64"}
STAGES = ("q", "k", "v", "scale", "masked_scores", "weights")


class CaptureError(ShortTraceback, ValueError):
    """Attention could not be captured."""


@dataclass
class Captured:
    """Attention of one run, as float32 or float64.

    Each layer has `weights` and `masked_scores` [B, h, n, m], `q` [B, h, n, d_k], `k` [B, h_kv, m,
    d_k], `v` [B, h_kv, m, d_v], and `scale`, the factor on q kᵀ; only `weights` is always present.
    `context_tokens` belong to the keys in cross-attention. `folder` holds the arrays on disk.
    """

    layers: list[dict[str, np.ndarray]]
    modules: list[str]
    tokens: list[list[str]] | None = None
    context_tokens: list[list[str]] | None = None
    name: str = "capture"
    folder: Path | None = None
    _stacked: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        shape = [len(self.layers), *self.layers[0]["weights"].shape]
        others = [name for name in self.stages if name != "weights"]
        return f"<Captured {self.name!r}: {', '.join([f'weights {shape}', *others])}>"

    @property
    def stages(self) -> list[str]:
        """Arrays that every layer has."""
        return [name for name in STAGES if all(name in layer for layer in self.layers)]

    @property
    def weights(self) -> np.ndarray:
        """Attention weights, [L, B, h, n, m]."""
        return self._of_all("weights")

    @property
    def q(self) -> np.ndarray | None:
        """Queries (rotated, normed), [L, B, h, n, d_k]."""
        return self._of_all("q") if "q" in self.stages else None

    @property
    def k(self) -> np.ndarray | None:
        """Keys (rotated, normed), [L, B, h_kv, m, d_k]."""
        return self._of_all("k") if "k" in self.stages else None

    @property
    def v(self) -> np.ndarray | None:
        """Values, [L, B, h_kv, m, d_v]."""
        return self._of_all("v") if "v" in self.stages else None

    @property
    def scale(self) -> np.ndarray | None:
        """Factor on q kᵀ, [L]; None without q."""
        return self._of_all("scale") if "scale" in self.stages else None

    @property
    def scores(self) -> np.ndarray | None:
        """q kᵀ, [L, B, h, n, m], computed on access."""
        if self.q is None or self.k is None:
            return None
        return np.stack([_products(one["q"], one["k"]) for one in self.layers])

    @property
    def masked_scores(self) -> np.ndarray:
        """Input of the softmax, [L, B, h, n, m], −∞ in closed cells."""
        if "masked_scores" in self.stages:
            return self._of_all("masked_scores")
        return np.stack([_masked(one) for one in self.layers])

    def arrays(self) -> dict[str, np.ndarray]:
        """Arrays by their names in POST /captures."""
        found: dict[str, np.ndarray] = {}
        for name in self.stages:
            same = len({layer[name].shape for layer in self.layers}) == 1
            if same and (self.folder is None or name == "scale"):
                found[name] = self._of_all(name)
            else:
                found |= {f"layers.{i}.{name}": one[name] for i, one in enumerate(self.layers)}
        return found

    def form(self) -> dict[str, str]:
        """Text fields of POST /captures."""
        lists = {"tokens": self.tokens, "context_tokens": self.context_tokens}
        texts = {at: json.dumps(rows) for at, rows in lists.items() if rows is not None}
        return {**texts, "name": self.name}

    def save(self, path: str | Path) -> Path:
        """Write a .npz or .safetensors file for POST /captures, without tokens (see `form`). Raises
        CaptureError for other endings."""
        path = Path(path)
        if path.suffix == ".npz":
            with path.open("wb") as file:
                np.savez(file, **self.arrays())  # type: ignore[arg-type]
        elif path.suffix == ".safetensors":
            _write_safetensors(path, self.arrays())
        else:
            raise CaptureError(f"{path.name}: choose a name that ends in .npz or .safetensors.")
        return path

    def _of_all(self, name: str) -> np.ndarray:
        """Stack the layers, which become views of the stack."""
        if name not in self._stacked:
            first = self.layers[0][name]
            shapes = {layer[name].shape for layer in self.layers}
            if len(shapes) > 1:
                raise CaptureError(f"{name} has another shape in each layer: read layers[i].")
            whole = self._empty(name, (len(self.layers), *first.shape), first.dtype)
            del first
            for i, layer in enumerate(self.layers):
                whole[i] = layer[name]
                layer[name] = whole[i]
            self._stacked[name] = whole
        return self._stacked[name]

    def _empty(self, name: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        if self.folder is None:
            return np.empty(shape, dtype)
        file = self.folder / f"{name}.npy"
        return np.lib.format.open_memmap(file, "w+", dtype, shape)


def _write_safetensors(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    header, start = {}, 0
    for name, array in arrays.items():
        end = start + array.nbytes
        entry = {"dtype": DTYPES[array.dtype.name], "shape": array.shape}
        header[name] = {**entry, "data_offsets": (start, end)}
        start = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays.values():
            np.ascontiguousarray(array).tofile(file)


def _products(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """q kᵀ. A group of heads shares one key head."""
    batch, heads, n, d = q.shape
    groups = q.reshape(batch, k.shape[1], -1, n, d)
    scores: np.ndarray = groups @ k[:, :, None].mT
    return scores.reshape(batch, heads, n, k.shape[2])


def _masked(layer: dict[str, np.ndarray]) -> np.ndarray:
    q = layer["q"]
    scale = layer.get("scale", q.dtype.type(q.shape[-1] ** -0.5))
    scores: np.ndarray = _products(q, layer["k"]) * scale
    scores[layer["weights"] == 0] = -np.inf
    return scores
