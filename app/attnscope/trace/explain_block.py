from __future__ import annotations

from collections.abc import Callable

from attnscope.attention.transformer import ATTENTION, MLP, Sublayer
from attnscope.trace.cell_reader import Reader, Step
from attnscope.trace.explain_attention import copy_step, dot, norm_step
from attnscope.trace.format_arithmetic import format_number, signed


def _block_output(r: Reader) -> Step:
    if "middle" in r.stages:
        return _sublayer_step(r, "block_output", "middle", "mlp_output", MLP)
    return _sublayer_step(r, "block_output", "x", "output", ATTENTION)


def _sublayer_step(r: Reader, stage: str, x: str, f: str, names: Sublayer) -> Step:
    block = r.trace.plan.model.block
    if block == "attention":
        return copy_step(stage, r.operand(f, r.place.row, r.place.col))
    if block == "post_norm":
        return norm_step(r, stage, names.added, names.norm)
    behind = block in ("sublayer_norm", "sandwich_norm")
    return _sum(r, stage, x, names.normed_output if behind else f)


def _sum(r: Reader, stage: str, left: str, right: str) -> Step:
    p = r.place
    operands = [r.operand(name, p.row, p.col) for name in (left, right)]
    expression = f"{format_number(operands[0].value)} + {signed(operands[1].value)}"
    return r.equated(stage, expression, operands)


def _behind(r: Reader, names: Sublayer) -> str:
    return names.post_norm if r.trace.plan.model.block == "sandwich_norm" else names.norm


def _normed_middle(r: Reader) -> Step:
    if r.trace.plan.model.block != "parallel":
        return norm_step(r, "normed_middle", "middle", MLP.norm)
    own = MLP.norm if f"{MLP.norm}_gain" in r.parameters else ATTENTION.norm
    return norm_step(r, "normed_middle", "x", own)


def _into_mlp(r: Reader, stage: str) -> Step:
    name = {"hidden": "in"}.get(stage, stage)
    source = "normed_middle" if "normed_middle" in r.stages else "middle"
    right = r.column(f"w_{name}", r.place.col)
    return dot(r, stage, r.row(source, r.place.row), right, f"b_{name}")


def _activated(r: Reader) -> Step:
    operand = r.operand("hidden", r.place.row, r.place.col)
    activation = r.trace.plan.model.activation
    operands = [operand]
    if "gate" in r.stages:
        operands = [r.operand("gate", r.place.row, r.place.col), operand]
    said = format_number(operands[0].value)
    written = f"max({said}, 0)" if activation == "relu" else f"{activation}({said})"
    if len(operands) > 1:
        written += f" × {signed(operand.value)}"
    return r.equated("activated", written, operands)


def _mlp_output(r: Reader) -> Step:
    left, right = r.row("activated", r.place.row), r.column("w_out", r.place.col)
    return dot(r, "mlp_output", left, right, "b_out")


BLOCK_STEPS: dict[str, Callable[[Reader], Step]] = {
    "block_output": _block_output,
    "normed_x": lambda r: norm_step(r, "normed_x", "x", ATTENTION.norm),
    "x_plus_output": lambda r: _sum(r, "x_plus_output", "x", "output"),
    "normed_output": lambda r: norm_step(r, "normed_output", "output", _behind(r, ATTENTION)),
    "middle": lambda r: _sublayer_step(r, "middle", "x", "output", ATTENTION),
    "normed_middle": _normed_middle,
    "hidden": lambda r: _into_mlp(r, "hidden"),
    "gate": lambda r: _into_mlp(r, "gate"),
    "activated": _activated,
    "mlp_output": _mlp_output,
    "middle_plus_mlp": lambda r: _sum(r, "middle_plus_mlp", "middle", "mlp_output"),
    "normed_mlp_output": lambda r: norm_step(r, "normed_mlp_output", "mlp_output", _behind(r, MLP)),
}
