"""A block around each sublayer f, attention and MLP:

attention       f(x)
residual        x + f(x)
pre_norm        x + f(LN x)       Xiong et al. 2020
post_norm       LN(x + f(x))      Vaswani et al. 2017
sublayer_norm   x + LN(f(x))      Liu et al. 2022
sandwich_norm   x + LN(f(LN x))   Ding et al. 2021
parallel        x + f(LN x) + MLP(LN x)   Wang & Komatsuzaki 2021
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory, thread_pool
from attnscope.attention.architecture import Parameters
from attnscope.attention.attend import Keep, Past, attend
from attnscope.attention.dtypes import round_to_grid
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.ops import ACTIVATIONS, FEW, NORMS, Norm, add, fill_in_chunks, map_rows
from attnscope.attention.products import BlockIndex, multiply, over_blocks, project

KeepLayer = Callable[[int, str, np.ndarray], None]
Rows = Float[np.ndarray, "batch query width"]
Out = Float[np.ndarray, "batch query out"]


class Sublayer(NamedTuple):
    normed_input: str
    added: str
    normed_output: str
    norm: str
    post_norm: str


ATTENTION = Sublayer("normed_x", "x_plus_output", "normed_output", "norm", "post_norm")
MLP = Sublayer("normed_middle", "middle_plus_mlp", "normed_mlp_output", "mlp_norm", "mlp_post_norm")


def forward(
    x: Float[np.ndarray, "batch query d_model"],
    layers: Iterable[Parameters],
    setting: LayerContext,
    keep: KeepLayer,
    pasts: Sequence[Past] | None = None,
    first: int = 0,
) -> Float[np.ndarray, "batch query out"]:
    """`pasts`: KV cache of each layer. `first`: index of the first layer."""
    for i, parameters in enumerate(layers, first):
        own = setting.at(i)
        keep(i, "x", x)
        if own.context is not None:
            keep(i, "context", own.context)
        past = None if pasts is None else pasts[i - first]
        x = layer(x, parameters, own, partial(keep, i), past)
        keep(i, "block_output", x)
    return x


def encode(
    x: Float[np.ndarray, "batch source d_model"],
    layers: Sequence[Parameters],
    setting: LayerContext,
    keep: KeepLayer,
    behind: Norm | None = None,
    first: int = 0,
) -> Float[np.ndarray, "batch source d_model"]:
    """Run the encoder and `behind`, the norm after it."""
    model, grid = setting.architecture, setting.options.grid
    y = forward(x, layers_between(layers, first, model.encoder_layers), setting, keep, first=first)
    if behind is None:
        return y
    return NORMS[model.norm](y, behind.gain, behind.bias, grid, behind.epsilon)


def layers_between(
    layers: Sequence[Parameters], first: int, end: int | None = None
) -> Iterator[Parameters]:
    return (layers[i] for i in range(first, len(layers) if end is None else end))


def layer(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: LayerContext,
    keep: Keep,
    past: Past | None = None,
) -> Float[np.ndarray, "batch query out"]:
    if setting.architecture.block == "parallel":
        return parallel_block(x, p, setting, keep, past)
    attention = partial(attend, p=p, setting=setting, keep=keep, past=past)
    x = apply_block(attention, x, ATTENTION, p, setting, keep)
    if p.w_in is None:
        return x
    keep("middle", x)
    feed_forward = partial(mlp, p=p, setting=setting, keep=keep)
    return apply_block(feed_forward, x, MLP, p, setting, keep)


def norm(name: str, z: Rows, p: Parameters, setting: LayerContext) -> Rows:
    gain, bias = (getattr(p, f"{name}_{what}", None) for what in ("gain", "bias"))
    model = setting.architecture
    grid, kind = setting.options.grid, NORMS[model.norm]
    return map_rows(lambda rows: kind(rows, gain, bias, grid, model.epsilon), z)


def parallel_block(
    x: Rows, p: Parameters, setting: LayerContext, keep: Keep, past: Past | None = None
) -> Out:
    """Without a norm of its own, the MLP reads the normed x of attention."""
    grid = setting.options.grid
    normed_x = norm("norm", x, p, setting)
    keep("normed_x", normed_x)
    middle = add(x, attend(normed_x, p, setting, keep, past), grid)
    keep("middle", middle)
    normed = normed_x if p.mlp_norm_gain is None else norm("mlp_norm", x, p, setting)
    keep("normed_middle", normed)
    with np.errstate(over="ignore", invalid="ignore"):
        return add(middle, mlp(normed, p, setting, keep), grid)


def apply_block(
    f: Callable[[Rows], Out],
    x: Rows,
    names: Sublayer,
    p: Parameters,
    setting: LayerContext,
    keep: Keep,
) -> Out:
    block, grid = setting.architecture.block, setting.options.grid

    def normed(name: str, z: Rows, tensors: str = names.norm) -> Rows:
        y = norm(tensors, z, p, setting)
        keep(name, y)
        return y

    with np.errstate(over="ignore", invalid="ignore"):
        if block == "attention":
            y = f(x)
        elif block == "residual":
            y = add(x, f(x), grid)
        elif block == "pre_norm":
            y = add(x, f(normed(names.normed_input, x)), grid)
        elif block == "sublayer_norm":
            y = add(x, normed(names.normed_output, f(x)), grid)
        elif block == "sandwich_norm":
            inner = f(normed(names.normed_input, x))
            y = add(x, normed(names.normed_output, inner, names.post_norm), grid)
        else:
            added = add(x, f(x), grid)
            keep(names.added, added)
            y = norm(names.norm, added, p, setting)
    return y


def mlp(z: Rows, p: Parameters, setting: LayerContext, keep: Keep) -> Rows:
    """φ(hidden) w_out + b_out with hidden = z w_in + b_in; gated: (φ(gate) · hidden) w_out +
    b_out."""
    grid, phi = setting.options.grid, ACTIVATIONS[setting.architecture.activation]
    assert p.w_in is not None
    assert p.w_out is not None
    w_in, w_gate = p.w_in, p.w_gate
    rows, sizes = z.reshape(-1, len(w_in)), (*z.shape[:-1], w_in.shape[1])
    names = ("hidden", "activated") if w_gate is None else ("hidden", "gate", "activated")
    arrays = {name: memory.empty((len(rows), sizes[-1]), z.dtype) for name in names}

    def activate(here: BlockIndex) -> None:
        hidden, activated = arrays["hidden"][here], arrays["activated"][here]
        if w_gate is None:
            fill_in_chunks(lambda h: phi(h, grid), hidden, out=activated)
        else:
            fill_in_chunks(
                lambda gate, h: round_to_grid(phi(gate, grid) * h, grid),
                arrays["gate"][here],
                hidden,
                out=activated,
            )

    def block(_: int, here: BlockIndex) -> None:
        multiply(rows, w_in, p.b_in, here, arrays["hidden"], grid)
        if w_gate is not None:
            multiply(rows, w_gate, p.b_gate, here, arrays["gate"], grid)
        if not few:
            activate(here)

    few = arrays["hidden"].size <= FEW
    over_blocks(block, len(rows), [w_in])
    if few:
        thread_pool.for_each(activate, [(slice(None), slice(None))], spread=False)
    arrays = {name: array.reshape(sizes) for name, array in arrays.items()}
    mlp_output = project(arrays["activated"], p.w_out, p.b_out, grid)
    for name, array in {**arrays, "mlp_output": mlp_output}.items():
        keep(name, array)
    return mlp_output
