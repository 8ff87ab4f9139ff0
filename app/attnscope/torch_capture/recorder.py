from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from attnscope.torch_capture.captured_run import Captured, CaptureError

AGREES = {torch.float16: 1e-2, torch.bfloat16: 5e-2}  # tolerance; 1e-4 for other dtypes
COMPARED = 2**20  # cells of maps compared at once


class Recorder:
    """`wanted`: whether to record a module. `incomplete`: the model has to run again, with
    scores."""

    def __init__(
        self, wanted: Callable[[str], bool], scores: bool | None, folder: Path | None = None
    ) -> None:
        self.wanted = wanted
        self.folder = folder
        self.scores = scores
        self.incomplete = False
        self.layers: list[dict[str, np.ndarray]] = []
        self.modules: list[str] = []
        self.skipped: set[str] = set()

    def add(
        self,
        name: str,
        weights: Tensor,
        masked: Tensor | None,
        q: Tensor | None = None,
        k: Tensor | None = None,
        v: Tensor | None = None,
        scale: float | None = None,
    ) -> None:
        """Shapes: maps [B, h, n, m]; q, k and v [B, heads, tokens, width]."""
        if not self.wanted(name):
            self.skipped.add(name)
            return
        if self.scores is None and not _follows(weights, q, k, scale):
            self.scores = True
            self.incomplete = bool(self.layers)
        layer = {
            key: to_numpy(one) for key, one in (("q", q), ("k", k), ("v", v)) if one is not None
        }
        if self.scores and masked is not None:
            layer["masked_scores"] = _closed(masked, masked.dtype if q is None else q.dtype)
        layer["weights"] = to_numpy(weights)
        if q is not None:  # even the default scale, as other layers may differ
            factor = q.shape[-1] ** -0.5 if scale is None else scale
            layer["scale"] = np.array(factor, np.float32)
        if self.folder is not None:
            layer = {key: self._on_disk(key, array) for key, array in layer.items()}
        self.layers.append(layer)
        self.modules.append(name)

    def refuse_flex_attention(self, name: str) -> None:
        """Raises CaptureError if the module is wanted."""
        if not self.wanted(name):
            self.skipped.add(name)
            return
        raise CaptureError(
            f"{name or 'The model'} attends by flex_attention, which cannot be captured: compute "
            "it by torch.nn.functional.scaled_dot_product_attention, or choose other layers with "
            "part= a module's name."
        )

    def _on_disk(self, name: str, array: np.ndarray) -> np.ndarray:
        path = (self.folder or Path()) / f"layers.{len(self.layers)}.{name}.npy"
        np.save(path, array)
        on_disk: np.ndarray = np.load(path, mmap_mode="r")
        return on_disk

    def captured(self) -> Captured:
        if not self.layers:
            seen = f" Its attention modules: {_listed(self.skipped)}." if self.skipped else ""
            raise CaptureError(
                "No attention was computed that can be captured." + seen + " Load a model of "
                'transformers with attn_implementation="eager"; in another module, compute '
                "attention by torch.nn.functional.scaled_dot_product_attention."
            )
        shapes = {layer["weights"].shape for layer in self.layers}
        if len(shapes) > 1:
            sizes = " and ".join(sorted(str(list(shape)) for shape in shapes))
            raise CaptureError(
                f"Layers have maps of different sizes, {sizes}: choose some of them with part="
                f'"encoder", "decoder", "cross", or a part of their names: '
                f"{_listed(set(self.modules))}."
            )
        return Captured(self.layers, self.modules, folder=self.folder)


def to_numpy(tensor: Tensor) -> np.ndarray:
    """A contiguous copy in float32 or float64: the model may change its tensors."""
    if tensor.dtype not in (torch.float32, torch.float64):
        return np.ascontiguousarray(tensor.detach().float().cpu().numpy())
    return np.array(tensor.detach().cpu().numpy(), order="C")


def _closed(masked: Tensor, dtype: torch.dtype) -> np.ndarray:
    """Masked scores with −∞ where a mask added the dtype's minimum."""
    lowest = torch.finfo(dtype).min / 2
    return to_numpy(masked.masked_fill(masked <= lowest, -torch.inf))


def _follows(weights: Tensor, q: Tensor | None, k: Tensor | None, scale: float | None) -> bool:
    """Whether every row is the softmax of q kᵀ × scale."""
    if q is None or k is None:
        return False
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    step = max(1, COMPARED // max(1, weights[:, :, :1].numel()))
    rows = range(0, q.shape[2], step)
    with torch.autocast(q.device.type, enabled=False):
        return all(
            _is_softmax(weights[:, :, i : i + step], q[:, :, i : i + step], k, factor) for i in rows
        )


def _is_softmax(weights: Tensor, q: Tensor, k: Tensor, factor: float) -> bool:
    """Half precision rounds scores by up to 2 ε of the largest."""
    bound, epsilon = AGREES.get(weights.dtype, 1e-4), torch.finfo(weights.dtype).eps
    groups = q.float().unflatten(1, (k.shape[1], -1)) * factor
    scores = (groups @ k.float()[:, :, None].mT).flatten(1, 2)
    found = weights.float()
    expected = scores.masked_fill(found == 0, -torch.inf).softmax(-1).nan_to_num()
    rounded = torch.expm1(2 * epsilon * scores.abs().amax(-1, keepdim=True))
    return bool(((expected - found).abs() <= bound + expected * rounded).all())


def _listed(names: set[str]) -> str:
    first = sorted(names)[:6]
    return ", ".join(first) + ", …" * (len(names) > len(first))
