"""Layers of attention on top of each other; every stage is handed to keep(layer, name, array).

A block lays each of its sublayers f, attention and then the MLP where there is one, around what
it receives:

    attention       f(x)
    residual        x + f(x)
    pre_norm        x + f(LN x)       Xiong et al. 2020, "On layer normalization"
    post_norm       LN(x + f(x))      Vaswani et al. 2017, section 3.1
    sublayer_norm   x + LN(f(x))      Liu et al. 2022, "Swin Transformer V2", as res-post-norm

MLP(x) = gelu(x w_in + b_in) w_out + b_out. What is on the way but in no row of the stage table
(`middle`, `normed_x`, `hidden` …) goes to keep as well, under its own name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from app.attention.attend import Keep, Options, Past, attend
from app.attention.ops import gelu, layer_norm, project
from app.attention.parameters import Parameters, Shape
from app.attention.precision import Grid, fit

Block = Literal["attention", "residual", "pre_norm", "post_norm", "sublayer_norm"]
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
    shape: Shape,
    lengths: list[tuple[int, int]],
    options: Options,
    block: Block,
    keep: KeepLayer,
    context: Float[np.ndarray, "batch key d_model"] | None = None,
    pasts: Sequence[Past] | None = None,
) -> Float[np.ndarray, "batch query out"]:
    """The block output of the last layer; each layer's block output is the next one's x.

    Every layer attends to the same context, as it is, where there is one; else to its own x, and
    to its past, where there is one (of each layer, in `pasts`).
    """
    for i, parameters in enumerate(layers):
        keep(i, "x", x)
        if context is not None:
            keep(i, "context", context)
        past = None if pasts is None else pasts[i]
        x = layer(x, parameters, shape, lengths, options, block, partial(keep, i), context, past)
        keep(i, "block_output", x)
    return x


def layer(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    shape: Shape,
    lengths: list[tuple[int, int]],
    options: Options,
    block: Block,
    keep: Keep,
    context: Float[np.ndarray, "batch key d_model"] | None = None,
    past: Past | None = None,
) -> Float[np.ndarray, "batch query out"]:
    """One block: attention to the context or to itself, and the MLP where p has one."""

    def attention(z: Rows) -> Out:
        read = z if context is None else context
        return attend(z, read, p, shape, lengths, options, keep, past)

    grid, norm = options.grid, (p.norm_gain, p.norm_bias)
    x = around(attention, x, block, ATTENTION, norm, keep, grid)
    if p.w_in is None:
        return x
    keep("middle", x)
    norm = (p.mlp_norm_gain, p.mlp_norm_bias)
    return around(partial(mlp, p=p, keep=keep, grid=grid), x, block, MLP, norm, keep, grid)


def around(
    f: Callable[[Rows], Out],
    x: Rows,
    block: Block,
    names: Sublayer,
    norm: tuple[np.ndarray | None, np.ndarray | None],
    keep: Keep,
    grid: Grid | None = None,
) -> Out:
    """f with the residual and the norm that a kind of block lays around it."""

    def normed(name: str, z: Rows) -> Rows:
        y = layer_norm(z, *norm, grid)
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
            y = layer_norm(added, *norm, grid)
    return y


def mlp(z: Rows, p: Parameters, keep: Keep, grid: Grid | None = None) -> Rows:
    """gelu(z w_in + b_in) w_out + b_out, row by row."""
    assert p.w_in is not None
    assert p.w_out is not None
    hidden = project(z, p.w_in, p.b_in, grid)
    activated = gelu(hidden, grid)
    mlp_output = project(activated, p.w_out, p.b_out, grid)
    for name, array in {"hidden": hidden, "activated": activated, "mlp_output": mlp_output}.items():
        keep(name, array)
    return mlp_output
