"""How the cells around attention were made: residual, norms and MLP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.attention.transformer import ATTENTION, MLP, Sublayer
from app.trace.explain_attention import dot
from app.trace.reader import Reader, Step
from app.trace.written import equation, number, signed


def _block_output(r: Reader) -> Step:
    if "middle" in r.stages:
        return _around(r, "block_output", "middle", "mlp_output", MLP, "mlp_norm")
    return _around(r, "block_output", "x", "output", ATTENTION, "norm")


def _middle(r: Reader) -> Step:
    return _around(r, "middle", "x", "output", ATTENTION, "norm")


def _around(r: Reader, stage: str, x: str, f: str, names: Sublayer, norm: str) -> Step:
    """What a kind of block makes of x and f(x)."""
    block = r.trace.plan.model.block
    if block == "attention":
        operand = r.operand(f, r.place.row, r.place.col)
        return Step(stage, number(operand.value), [operand], operand.value)
    if block == "post_norm":
        return _normed(r, stage, names.added, norm)
    return _sum(r, stage, x, names.normed_output if block == "sublayer_norm" else f)


def _sum(r: Reader, stage: str, left: str, right: str) -> Step:
    p = r.place
    value = r.value(stage, None, p.row, p.col)
    operands = [r.operand(name, p.row, p.col) for name in (left, right)]
    read = [one.value for one in operands]
    expression = f"{number(read[0])} + {signed(read[1])}"
    return Step(stage, equation(expression, read, value), operands, value)


def _normed(r: Reader, stage: str, source: str, norm: str) -> Step:
    """(z − mean) / √(variance + ε) × gain + bias; mean and variance are those of the row."""
    p, value = r.place, r.value(stage, None, r.place.row, r.place.col)
    row = r.row(source, p.row)
    gain, bias = (r.operand(f"{norm}_{what}", 0, p.col) for what in ("gain", "bias"))
    z = np.array([one.value for one in row])
    epsilon = r.trace.plan.model.epsilon
    mean, root = float(z.mean()), float(np.sqrt(z.var() + epsilon))
    expression = (
        f"({number(z[p.col])} − {signed(mean)}) / {number(root)}"
        f" × {signed(gain.value)} + {signed(bias.value)}"
    )
    read = [float(z[p.col]), mean, root, gain.value, bias.value]
    written = f"(z − mean) / √(variance + {epsilon:g}) = {equation(expression, read, value)}"
    return Step(stage, written, [*row, gain, bias], value)


def _hidden(r: Reader) -> Step:
    source = "normed_middle" if "normed_middle" in r.stages else "middle"
    return dot(r, "hidden", r.row(source, r.place.row), r.column("w_in", r.place.col), "b_in")


def _activated(r: Reader) -> Step:
    operand = r.operand("hidden", r.place.row, r.place.col)
    activation = r.trace.plan.model.activation
    value = r.value("activated", None, r.place.row, r.place.col)
    said = number(operand.value)
    written = f"max({said}, 0)" if activation == "relu" else f"{activation}({said})"
    expression = equation(written, [operand.value], value)
    return Step("activated", expression, [operand], value)


def _mlp_output(r: Reader) -> Step:
    left, right = r.row("activated", r.place.row), r.column("w_out", r.place.col)
    return dot(r, "mlp_output", left, right, "b_out")


BLOCK_STEPS: dict[str, Callable[[Reader], Step]] = {
    "block_output": _block_output,
    "normed_x": lambda r: _normed(r, "normed_x", "x", "norm"),
    "x_plus_output": lambda r: _sum(r, "x_plus_output", "x", "output"),
    "normed_output": lambda r: _normed(r, "normed_output", "output", "norm"),
    "middle": _middle,
    "normed_middle": lambda r: _normed(r, "normed_middle", "middle", "mlp_norm"),
    "hidden": _hidden,
    "activated": _activated,
    "mlp_output": _mlp_output,
    "middle_plus_mlp": lambda r: _sum(r, "middle_plus_mlp", "middle", "mlp_output"),
    "normed_mlp_output": lambda r: _normed(r, "normed_mlp_output", "mlp_output", "mlp_norm"),
}
