"""Formulas of `backward.py` in LaTeX: ∇ Y is ∂f/∂Y."""

from __future__ import annotations

from attnscope.trace.formula_words import formula_words
from attnscope.trace.plan import Plan
from attnscope.trace.stages import BY_NAME
from attnscope.trace.trace import Trace

HEADS = "[H]"


def formulas(trace: Trace, layer: int = 0) -> dict[str, str]:
    names = [*trace.plan.stages_of(layer), *trace.parameters[layer].arrays()]
    found = {name: _usual(name, trace.plan, layer) for name in names}
    found |= {**_of_maps(trace.plan), **_of_projections(trace.plan, layer)}
    if trace.parameters[layer].w_o is None:
        found["concat"] = rf"\nabla_{{{HEADS}}} = \nabla_O"
    if trace.plan.question.drop:
        found["head_outputs"] = rf"\nabla_{{H_i}} = \delta_i \nabla_{{{HEADS}_i}}"
    return {name: found[name] for name in names}


def _usual(name: str, planned: Plan, layer: int) -> str:
    computed = BY_NAME[name].formula_for(formula_words(planned, layer), layer).latex
    short = {"x": "X", "output": "O", "block_output": "X'", "mlp_output": r"\mathrm{MLP}(Y)"}
    symbol = short.get(name, computed)
    symbol = symbol.partition("=")[0].strip()
    if r"\odot" in symbol:
        symbol = f"({symbol})"
    return rf"\nabla_{{{symbol}}} = \frac{{\partial f}}{{\partial {symbol}}}"


def _of_maps(planned: Plan) -> dict[str, str]:
    factor = {"sqrt_d_k": r"\frac{1}{\sqrt{d_k} \, T}", "none": r"\frac{1}{T}"}.get(
        planned.scaling, r"\frac{c}{T}"
    )
    if planned.model.score_cap is not None:
        factor += r" (1 - \tilde{S}^2 / \kappa^2) \odot"
    group = r"\textstyle\sum_h " if planned.model.shape.queries_per_kv_head > 1 else ""
    return {
        "head_outputs": rf"[\nabla_H] = \nabla_{{{HEADS}}}",
        "weights": r"\nabla_A = \nabla_H V^\top",
        "v": rf"\nabla_V = {group}A^\top \nabla_H",
        "masked_scores": r"\nabla_{\hat{S}_i} = \nabla_{A_i} J_i",
        "scaled_scores": r"\nabla_{\tilde{S}} = \nabla_{\hat{S}}",
        "scores": rf"\nabla_S = {factor} \nabla_{{\tilde{{S}}}}",
        "q": r"\nabla_Q = \nabla_S K",
        "k": rf"\nabla_K = {group}\nabla_S^\top Q",
    }


def _of_projections(planned: Plan, layer: int) -> dict[str, str]:
    model, cross = planned.model.at(layer), planned.attends_to_context(layer)
    norm = r"\mathrm{RMS}" if model.norm == "rms" else r"\mathrm{LN}"

    def before(y: str) -> str:
        g = rf"R^\top(\nabla_{y})" if model.positions == "rotary" else rf"\nabla_{y}"
        return rf"({g} \frac{{\partial {norm}}}{{\partial X}})" if model.normed_heads else g

    g_q, g_k = before("Q"), before("K")
    x = rf"{norm}(X)" if model.norms_input else "X"
    asked = "Z" if cross else x
    from_asked = rf"{g_k} W_K^\top + \nabla_V W_V^\top"
    through = rf"{g_q} W_Q^\top" if cross else rf"{g_q} W_Q^\top + {from_asked}"
    after = "Y" if model.mlp_width else "X'"
    if model.norms_input:
        through = rf"( {through} ) \frac{{\partial {norm}(X)}}{{\partial X}}"
    beside = {"attention": "", "post_norm": r"\nabla_{X + O} + "}
    g_x = beside.get(model.block, rf"\nabla_{{{after}}} + ") + through
    return {
        "x": rf"\nabla_X = {g_x}",
        "w_q": rf"\nabla_{{W_Q}} = {x}^\top {g_q}",
        "w_k": rf"\nabla_{{W_K}} = {asked}^\top {g_k}",
        "w_v": rf"\nabla_{{W_V}} = {asked}^\top \nabla_V",
        "b_q": rf"\nabla_{{b_Q}} = \mathbf{{1}}^\top {g_q}",
        "b_k": rf"\nabla_{{b_K}} = \mathbf{{1}}^\top {g_k}",
        "b_v": r"\nabla_{b_V} = \mathbf{1}^\top \nabla_V",
        "concat": rf"\nabla_{{{HEADS}}} = \nabla_O W_O^\top",
        "w_o": rf"\nabla_{{W_O}} = {HEADS}^\top \nabla_O",
        "b_o": r"\nabla_{b_O} = \mathbf{1}^\top \nabla_O",
        "context": rf"\nabla_Z = {from_asked}",
    }
