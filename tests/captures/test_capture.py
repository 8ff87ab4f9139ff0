"""A capture is opened within the memory that was estimated before."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
import pytest

from attnscope.captures.capture import (
    cost_of_layers,
    cost_of_stages,
    layers_in,
    open_capture,
    read_and_open,
    read_capture,
    spare_tokens,
)
from attnscope.errors import TooLarge
from attnscope.storage.manifest import ReceivedUpload
from attnscope.weights.estimate import estimate
from attnscope.weights.formats import Limits
from tests.safetensors_files import write_safetensors

T = TypeVar("T")
LAYERS, HEADS, N, D = 2, 2, 160, 16
MOST = 1 << 30
SMALL = 1 << 16  # bytes of objects


def arrays(*names: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    made = {name: rng.random((LAYERS, HEADS, N, D)) for name in ("q", "k", "v")}
    maps = ("weights", "scores", "scaled_scores", "masked_scores")
    made |= {name: rng.random((LAYERS, HEADS, N, N)) for name in maps}
    made["w_o"] = rng.random((LAYERS, HEADS * D, 24))
    return {name: made[name] for name in names}


def npz(dtype: str, *names: str) -> bytes:
    file = io.BytesIO()
    np.savez(file, **{n: a.astype(dtype) for n, a in arrays(*names).items()})  # type: ignore[arg-type]
    return file.getvalue()


def npy(dtype: str) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asfortranarray(arrays("weights")["weights"].astype(dtype)))
    return file.getvalue()


def generated() -> bytes:
    file = io.BytesIO()
    steps = {f"attentions.{s}.0": np.ones((1, 2, 1, s + 1), np.float32) for s in range(N)}
    np.savez(file, **steps)  # type: ignore[arg-type]
    return file.getvalue()


def safetensors(dtype: str) -> bytes:
    return write_safetensors(arrays("weights", "v"), {}, dtype)


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "weights": ("a.npz", lambda: npz("f4", "weights")),
    "weights, q, k, v": ("a.npz", lambda: npz("f4", "weights", "q", "k", "v", "w_o")),
    "every map": ("a.npz", lambda: npz("f8", "weights", "scores", "scaled_scores", "q", "k")),
    "masked": ("a.npz", lambda: npz("f8", "masked_scores")),
    "q, k": ("a.npz", lambda: npz("f4", "q", "k")),
    "integers": ("a.npz", lambda: npz("i1", "weights")),
    "float16": ("a.npz", lambda: npz("f2", "weights", "q", "k")),
    "bfloat16": ("a.safetensors", lambda: safetensors("bfloat16")),
    ".npy": ("a.npy", lambda: npy("f4")),
    ".npy of float16": ("a.npy", lambda: npy("f2")),
    "JSON": ("a.json", lambda: json.dumps({"weights": np.ones((1, 1, N, N)).tolist()}).encode()),
    "generate()": ("a.npz", generated),
}


def peak_of(work: Callable[[], T]) -> tuple[T, int]:
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_no_step_takes_more_than_the_estimate(subtests: pytest.Subtests) -> None:
    for kind, (name, make) in FILES.items():
        with subtests.test(kind):
            sent = ReceivedUpload([(name, make())], "", is_capture=True)
            estimated = estimate(sent.files)
            raw, peak = peak_of(partial(read_capture, sent, Limits()))
            assert peak <= estimated + SMALL
            estimated = cost_of_layers(raw, MOST)
            layers, peak = peak_of(partial(layers_in, raw))
            assert peak <= estimated + SMALL
            estimated = cost_of_stages(layers, MOST)
            opened = partial(open_capture, sent, layers, spare=spare_tokens(raw))
            _, peak = peak_of(opened)
            assert peak <= estimated + SMALL


def test_what_would_take_too_much_is_refused_before(subtests: pytest.Subtests) -> None:
    for kind in ("q, k", "weights, q, k, v", "generate()"):
        with subtests.test(kind):
            name, make = FILES[kind]
            sent = ReceivedUpload([(name, make())], "", is_capture=True)
            with pytest.raises(TooLarge):
                read_and_open(sent, Limits(), 100_000)
