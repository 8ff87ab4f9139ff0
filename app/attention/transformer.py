"""Layers of attention on top of each other; every stage is handed to keep(layer, name, array).

A block lays each of its sublayers f, attention and then the MLP where there is one, around what
it receives:

    attention       f(x)
    residual        x + f(x)
    pre_norm        x + f(LN x)       Xiong et al. 2020, "On layer normalization"
    post_norm       LN(x + f(x))      Vaswani et al. 2017, section 3.1
    sublayer_norm   x + LN(f(x))      Liu et al. 2022, "Swin Transformer V2", as res-post-norm

MLP(x) = φ(x w_in + b_in) w_out + b_out, φ the activation. What is on the way but in no row of the
stage table (`middle`, `normed_x`, `hidden` …) goes to keep as well, under its own name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from app.attention.attend import Keep, Past, attend
from app.attention.dtypes import fit
from app.attention.ops import ACTIVATIONS, layer_norm, project
from app.attention.parameters import Parameters
from app.attention.setting import Setting

KeepLayer = Callable[[int, str, np.ndarray], None]
Rows = Float[np.ndarray, "batch query width"]
Out = Float[np.ndarray, "batch query out"]


class Sublayer(NamedTuple):
    """Names of what a sublayer keeps: LN of its input, input + output, LN of its output."""

    normed_input: str
    added: str
    normed_output: str


ATTENTION = Sublayer("normed_x", "x_plus_output", "normed_output")
MLP = Sublayer("normed_middle", "middle_plus_mlp", "normed_mlp_output")


def forward(
    x: Float[np.ndarray, "batch query d_model"],
    layers: Sequence[Parameters],
    setting: Setting,
    keep: KeepLayer,
    pasts: Sequence[Past] | None = None,
    first: int = 0,
) -> Float[np.ndarray, "batch query out"]:
    """The block output of the last layer; each layer's block output is the next one's x.

    Every layer attends to the same context, where there is one, in a decoder every other; else to
    its own x, and to its past, where there is one (of each layer, in `pasts`). `first` is the layer
    that the first of `layers` is: those below it have made x.
    """
    for i, parameters in enumerate(layers, first):
        own = setting.at(i)
        keep(i, "x", x)
        if own.context is not None:
            keep(i, "context", own.context)
        past = None if pasts is None else pasts[i - first]
        x = layer(x, parameters, own, partial(keep, i), past)
        keep(i, "block_output", x)
    return x


def layer(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: Setting,
    keep: Keep,
    past: Past | None = None,
) -> Float[np.ndarray, "batch query out"]:
    """One block: attention to the context or to itself, and the MLP where p has one."""

    def attention(z: Rows) -> Out:
        return attend(z, p, setting, keep, past)

    def feed_forward(z: Rows) -> Rows:
        return mlp(z, p, setting, keep)

    x = around(attention, x, ATTENTION, (p.norm_gain, p.norm_bias), setting, keep)
    if p.w_in is None:
        return x
    keep("middle", x)
    return around(feed_forward, x, MLP, (p.mlp_norm_gain, p.mlp_norm_bias), setting, keep)


def around(
    f: Callable[[Rows], Out],
    x: Rows,
    names: Sublayer,
    norm: tuple[np.ndarray | None, np.ndarray | None],
    setting: Setting,
    keep: Keep,
) -> Out:
    """f with the residual and the norm that a kind of block lays around it."""
    block, grid = setting.architecture.block, setting.options.grid
    epsilon = setting.architecture.epsilon

    def normed(name: str, z: Rows) -> Rows:
        y = layer_norm(z, *norm, grid, epsilon)
        keep(name, y)
        return y

    with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
        if block == "attention":
            y = f(x)
        elif block == "residual":
            y = fit(x + f(x), grid)
        elif block == "pre_norm":
            y = fit(x + f(normed(names.normed_input, x)), grid)
        elif block == "sublayer_norm":
            y = fit(x + normed(names.normed_output, f(x)), grid)
        else:
            added = fit(x + f(x), grid)
            keep(names.added, added)
            y = layer_norm(added, *norm, grid, epsilon)
    return y


def mlp(z: Rows, p: Parameters, setting: Setting, keep: Keep) -> Rows:
    """φ(z w_in + b_in) w_out + b_out, row by row."""
    grid, activation = setting.options.grid, ACTIVATIONS[setting.architecture.activation]
    assert p.w_in is not None
    assert p.w_out is not None
    hidden = project(z, p.w_in, p.b_in, grid)
    activated = activation(hidden, grid)
    mlp_output = project(activated, p.w_out, p.b_out, grid)
    for name, array in {"hidden": hidden, "activated": activated, "mlp_output": mlp_output}.items():
        keep(name, array)
    return mlp_output
