from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attnscope.attention.masks import Mask
from attnscope.captures.generation_steps import STEP, joined_cells
from attnscope.captures.missing_stages import (
    Completed,
    Stages,
    complete,
    computed_numbers,
    is_causal,
    scale_of,
)
from attnscope.captures.names import NAMES, Layers, Sizes, layers_of, sizes_of, stage_of
from attnscope.captures.tokens import fitted, read_tokens
from attnscope.errors import AttnscopeError, InvalidRequest, NonFinite, TooLarge
from attnscope.storage.manifest import ReceivedUpload
from attnscope.weights.formats import Budget, Limits, WeightsFile, kind_of, read_arrays
from attnscope.weights.upload import merge_shards, title_of

WIDE = 8  # bytes of the widest number
MOST_MAPS = 2**17  # each map has a fixed cost
SEARCHED = 2**18  # numbers checked at once


@dataclass(frozen=True)
class Capture:
    """`scales`: the factor on q kᵀ of each layer. `tokens` contain no padding."""

    name: str
    sizes: Sizes
    layers: tuple[Completed, ...]
    w_o: tuple[np.ndarray | None, ...]
    scales: tuple[float, ...]
    causal: bool
    tokens: list[list[str]] | None
    context_tokens: list[list[str]] | None
    dtype: str

    @property
    def has_context(self) -> bool:
        return self.context_tokens is not None or self.sizes.n != self.sizes.m

    @property
    def bytes(self) -> int:
        stages = [array for layer in self.layers for array in layer.stages.values()]
        masks = [one.mask.given for one in self.layers if one.mask.given is not None]
        arrays = {id(one): one for one in (*stages, *masks, *self.w_o) if one is not None}
        texts = [*(self.tokens or ()), *(self.context_tokens or ())]
        return sum(one.nbytes for one in arrays.values()) + 100 * sum(map(len, texts))

    @property
    def max_capture_error(self) -> float | None:
        return max((one.error for one in self.layers if one.error is not None), default=None)


def read_capture(sent: ReceivedUpload, limits: Limits) -> dict[str, np.ndarray]:
    """Raises BadWeightsFile, NonFinite and InvalidRequest."""
    try:
        arrays = merge_shards(sent.files, limits, _read).arrays
    except AttnscopeError as error:
        error.at = "arrays"  # field of the form
        raise
    for name, array in arrays.items():
        _check_numbers(name, array)
    return arrays


def cost_of_layers(arrays: Mapping[str, np.ndarray], max_bytes: int) -> int:
    """Bytes that `layers_in` needs besides the arrays. Raises TooLarge."""
    joined = WIDE * joined_cells(arrays)
    widened = sum(WIDE * one.size for one in arrays.values() if one.dtype.kind != "f")
    return _checked(joined + widened, max_bytes)


def layers_in(arrays: Mapping[str, np.ndarray]) -> Layers:
    """Arrays of each layer, as floats. Raises UnknownLayout and ShapeMismatch."""
    return [{name: _floating(one) for name, one in own.items()} for own in layers_of(arrays)]


def cost_of_stages(layers: Layers, max_bytes: int) -> int:
    """Bytes of `layers` and of what `open_capture` computes. Raises ShapeMismatch and TooLarge."""
    arrays = [one for own in layers for one in own.values()]
    sizes = sizes_of(layers)
    maps = len(layers) * sizes.batch * sizes.num_heads
    if maps > MOST_MAPS:
        raise TooLarge("maps", at="arrays", estimate=f"{maps:,}", limit=f"{MOST_MAPS:,}")
    computed_bytes = max(one.itemsize for one in arrays) * computed_numbers(layers, sizes)
    return _checked(computed_bytes + sum(one.nbytes for one in arrays), max_bytes)


def open_capture(sent: ReceivedUpload, layers: Layers, *, spare: int = 0) -> Capture:
    """`tokens` may have `spare` more tokens than the maps have rows. Raises ShapeMismatch and
    InvalidRequest."""
    sizes = sizes_of(layers)
    tokens = _tokens(sent.tokens, "tokens", sizes.batch, sizes.n, spare)
    context = _tokens(sent.context_tokens, "context_tokens", sizes.batch, sizes.m, 0)
    apart = context is not None or sizes.n != sizes.m
    causal = is_causal(layers, sizes, context=apart)
    lengths = list(zip(_lengths(tokens, sizes.batch, sizes.n),
                       _lengths(context if apart else tokens, sizes.batch, sizes.m),
                       strict=True))  # fmt: skip
    mask = Mask(causal=causal)
    wide = any(one.dtype == np.float64 for own in layers
               for name, one in own.items() if name != "scale")  # fmt: skip
    return Capture(
        title_of(sent.name, sent.files[0][0]), sizes,
        tuple(complete(Stages(own), sizes, mask, lengths) for own in layers),
        tuple(own.get("w_o") for own in layers),
        tuple(scale_of(own, sizes) for own in layers),
        causal, tokens, context, "float64" if wide else "float32",
    )  # fmt: skip


def spare_tokens(arrays: Mapping[str, np.ndarray]) -> int:
    """1 for maps of generate(), whose last token never attends, else 0."""
    return int(any(map(STEP.fullmatch, arrays)))


def read_and_open(sent: ReceivedUpload, limits: Limits, max_bytes: int) -> Capture:
    arrays = read_capture(sent, limits)
    cost_of_layers(arrays, max_bytes)
    layers = layers_in(arrays)
    cost_of_stages(layers, max_bytes)
    return open_capture(sent, layers, spare=spare_tokens(arrays))


def _read(filename: str, data: bytes, budget: Budget) -> WeightsFile:
    """A .npy file holds weights unless it has the name of a known array."""
    file = read_arrays(filename, data, budget)
    if kind_of(filename, data) != ".npy":
        return file
    ((name, array),) = file.arrays.items()
    if stage_of(name) in NAMES:
        return file
    return WeightsFile({"weights": array}, {"weights": file.dtypes[name]}, {}, budget=budget)


def _check_numbers(name: str, array: np.ndarray) -> None:
    stage = name.split(".")[0] if name.startswith(("attentions.", "weights.")) else name
    stage = stage.split(".")[-1]
    flat = array.reshape(-1)
    for start in range(0, flat.size, SEARCHED):
        part = flat[start : start + SEARCHED]
        fine = np.isfinite(part)
        if stage == "masked_scores":
            fine |= np.isneginf(part)
        negative = stage in ("weights", "attentions") and bool(part.min() < 0)
        if not fine.all() or negative:
            at = start + int(np.argmin(fine if not fine.all() else part))
            index = [int(i) for i in np.unravel_index(at, array.shape)]
            values = {"tensor": name, "index": index, "value": str(flat[at])}
            if not fine.all():
                raise NonFinite("in_capture", at="arrays", **values)
            raise InvalidRequest("negative_weight", at="arrays", **values)


def _floating(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _tokens(text: str | None, at: str, batch: int, n: int, spare: int) -> list[list[str]] | None:
    return None if text is None else fitted(read_tokens(text, at), batch, n, at, spare=spare)


def _lengths(tokens: list[list[str]] | None, batch: int, n: int) -> list[int]:
    return [n] * batch if tokens is None else [len(row) for row in tokens]


def _checked(size: int, limit: int) -> int:
    if size > limit:
        estimate, most = (f"{one / 2**20:,.0f} MB" for one in (size, limit))
        raise TooLarge("capture", at="arrays", estimate=estimate, limit=most)
    return size
