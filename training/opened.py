"""Shipped models, run by the app in float32."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load_file

from attnscope.attention.architecture import ALL_TENSORS, Parameters
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.attention.ops import layer_norm
from attnscope.attention.products import project
from attnscope.attention.transformer import forward
from attnscope.installed.model import Config, unembedding_of

Tensors = dict[str, np.ndarray]


class Answer(NamedTuple):
    """For ids [B, n]."""

    weights: np.ndarray  # [layer, B, head, n, n]
    logits: np.ndarray  # [B, n, V]


Run = Callable[[np.ndarray], Answer]


def opened(folder: Path, revision: str = "model") -> Run:
    """`revision`: such as `step-400`."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return run_of(config, load_file(folder / f"{revision}.safetensors"))


def run_of(config: dict[str, Any], half: Tensors) -> Run:
    tensors = {name: a.astype(np.float32) for name, a in half.items()}
    layers = [_layer(tensors, i) for i in range(config["num_layers"])]
    unembedding = unembedding_of(tensors)

    def run(ids: np.ndarray) -> Answer:
        kept: dict[int, np.ndarray] = {}

        def keep(layer: int, name: str, array: np.ndarray) -> None:
            if name == "weights":
                kept[layer] = array

        y = forward(tensors["embedding"][ids], layers, _setting(config, ids.shape), keep)
        normed = layer_norm(y, tensors["final_norm_gain"], tensors["final_norm_bias"])
        logits = project(normed, unembedding, None)
        return Answer(np.stack([kept[i] for i in range(len(layers))]), logits)

    return run


def _layer(tensors: Tensors, i: int) -> Parameters:
    here = f"layers.{i}."
    return Parameters(**{n: tensors[here + n] for n in ALL_TENSORS if here + n in tensors})


def _setting(config: dict[str, Any], sizes: tuple[int, ...]) -> LayerContext:
    rows, n = sizes
    architecture = Config(**config).about().architecture
    options = Options(scale=config["d_k"] ** -0.5, mask=Mask(causal=config["causal"]))
    return LayerContext(architecture, [(n, n)] * rows, options)
