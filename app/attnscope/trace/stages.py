from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from attnscope.errors import InvalidRequest, UnknownStage
from attnscope.trace.variants import (
    BELOW,
    BLOCK_OUTPUTS,
    GIVEN,
    Variant,
    activated,
    embedded,
    encoded,
    from_mlp,
    into_mlp,
    projected,
    scaled,
    unnormed,
    unrotated,
)

Kind = Literal["signed", "weights"]


@dataclass(frozen=True)
class Stage:
    """`inputs`: stages and parameters that `formula` needs."""

    name: str
    axes: tuple[str, ...]
    formula: str
    latex: str
    inputs: tuple[str, ...] = ()
    kind: Kind = "signed"
    variants: tuple[Variant, ...] = ()

    def formula_for(self, holds: Set[str], layer: int = 0) -> Variant:
        holds = holds | {"later"} if layer > 0 else holds
        fitting = [one for one in self.variants if holds >= set(one.when.split())]
        usual = Variant("", self.formula, self.latex)
        best = max([usual, *fitting], key=lambda one: len(one.when.split()))
        if "rms" not in holds:
            return best
        return Variant(
            best.when, *(said.replace("LN", "RMS") for said in (best.formula, best.latex))
        )

    @cached_property
    def head_axis(self) -> str | None:
        return self.axes[1] if len(self.axes) == 4 else None


MAP = ("batch", "head", "query", "key")
TOKEN = ("batch", "query", "d_model")
HIDDEN = ("batch", "query", "hidden")
QUERY = ("batch", "head", "query", "d_k")
KEY = ("batch", "kv_head", "key", "d_k")
STAGES = (
    Stage(
        "x",
        TOKEN,
        "embedding + position",
        r"X = E + P",
        ("block_output",),
        variants=(
            *(Variant(given, "given", r"X") for given in GIVEN),
            *embedded("X"),
            *(
                Variant(f"{when} later".strip(), "block_output of the layer below", BELOW)
                for when in ("", *GIVEN, *(one.when for one in embedded("X")))
            ),
        ),
    ),
    Stage(
        "q", QUERY, "x w_q", r"Q = X W_Q", ("x", "w_q", "b_q"), variants=projected("q", turned=True)
    ),
    Stage(
        "k", KEY, "x w_k", r"K = X W_K", ("x", "w_k", "b_k"), variants=projected("k", turned=True)
    ),
    Stage(
        "v",
        ("batch", "kv_head", "key", "d_v"),
        "x w_v",
        r"V = X W_V",
        ("x", "w_v", "b_v"),
        variants=projected("v", turned=False),
    ),
    Stage("scores", MAP, "q kᵀ", r"S = Q K^\top", ("q", "k")),
    Stage(
        "scaled_scores",
        MAP,
        "scores × scale / temperature",
        r"\tilde{S} = \frac{S}{\sqrt{d_k} \, T}",
        ("scores",),
        variants=scaled(),
    ),
    Stage(
        "masked_scores",
        MAP,
        "scaled_scores where the query may attend, −∞ elsewhere",
        r"\hat{S}_{ij} \in \{ \tilde{S}_{ij}, {-\infty} \}",
        ("scaled_scores",),
        variants=(Variant("unmasked", "scaled_scores", r"\hat{S} = \tilde{S}"),),
    ),
    Stage(
        "weights",
        MAP,
        "exp(masked_scores − max) / Σ exp(masked_scores − max)",
        r"A_{ij} = \frac{e^{\hat{S}_{ij}}}{\sum_k e^{\hat{S}_{ik}}}",
        ("masked_scores",),
        "weights",
    ),
    Stage(
        "head_outputs", ("batch", "head", "query", "d_v"), "weights v", r"H = A V", ("weights", "v")
    ),
    Stage(
        "concat",
        ("batch", "query", "head·d_v"),
        "heads side by side",
        r"C = [H_1 \ldots H_h]",
        ("head_outputs",),
        variants=(
            Variant(
                "drop",
                "heads side by side, 0 for those that are dropped",
                r"C = [\delta_1 H_1 \ldots \delta_h H_h]",
            ),
        ),
    ),
    Stage(
        "output",
        TOKEN,
        "concat w_o",
        r"O = C W_O",
        ("concat", "w_o", "b_o"),
        variants=(
            Variant("b_o", "concat w_o + b_o", r"O = C W_O + b_O"),
            Variant("unprojected", "concat", r"O = C"),
        ),
    ),
    Stage(
        "block_output",
        TOKEN,
        "output",
        r"X' = O",
        ("output", "x"),
        variants=BLOCK_OUTPUTS,
    ),
)

PARAMETERS = (
    Stage("w_q", ("d_model", "head·d_k"), "query projection", r"W_Q"),
    Stage("w_k", ("d_model", "kv_head·d_k"), "key projection", r"W_K"),
    Stage("w_v", ("d_model", "kv_head·d_v"), "value projection", r"W_V"),
    Stage("w_o", ("head·d_v", "d_model"), "output projection", r"W_O"),
    Stage("b_q", ("head·d_k",), "query bias", r"b_Q"),
    Stage("b_k", ("kv_head·d_k",), "key bias", r"b_K"),
    Stage("b_v", ("kv_head·d_v",), "value bias", r"b_V"),
    Stage("b_o", ("d_model",), "output bias", r"b_O"),
    Stage("norm_gain", ("d_model",), "gain of the norm around attention", r"\gamma"),
    Stage("norm_bias", ("d_model",), "bias of the norm around attention", r"\beta"),
    Stage("w_in", ("d_model", "hidden"), "MLP, first matrix", r"W_{in}"),
    Stage("b_in", ("hidden",), "MLP, first bias", r"b_{in}"),
    Stage("w_out", ("hidden", "d_model"), "MLP, second matrix", r"W_{out}"),
    Stage("b_out", ("d_model",), "MLP, second bias", r"b_{out}"),
    Stage("mlp_norm_gain", ("d_model",), "gain of the norm around the MLP", r"\gamma'"),
    Stage("mlp_norm_bias", ("d_model",), "bias of the norm around the MLP", r"\beta'"),
    Stage("w_gate", ("d_model", "hidden"), "MLP, the gate's matrix", r"W_{gate}"),
    Stage("b_gate", ("hidden",), "MLP, the gate's bias", r"b_{gate}"),
    Stage("q_norm_gain", ("d_k",), "gain of the norm of q", r"\gamma_Q"),
    Stage("q_norm_bias", ("d_k",), "bias of the norm of q", r"\beta_Q"),
    Stage("k_norm_gain", ("d_k",), "gain of the norm of k", r"\gamma_K"),
    Stage("k_norm_bias", ("d_k",), "bias of the norm of k", r"\beta_K"),
    Stage("post_norm_gain", ("d_model",), "gain of the norm behind attention", r"\gamma_O"),
    Stage("mlp_post_norm_gain", ("d_model",), "gain of the norm behind the MLP", r"\gamma'_O"),
    Stage("relative_bias", ("bucket", "head"), "bias of each bucket of distances", r"b_h"),
)

# Intermediate stages, and the context.
OPERANDS = (
    Stage(
        "context",
        ("batch", "key", "d_model"),
        "embedding + position",
        r"Z = E + P",
        variants=(
            *(Variant(f"context_{given}", "given", r"Z") for given in GIVEN),
            *embedded("Z"),
            *encoded(),
        ),
    ),
    Stage("normed_x", TOKEN, "LN(x)", r"\mathrm{LN}(X)"),
    Stage("unrotated_q", QUERY, "q before rotation", r"X W_Q", variants=unrotated("q")),
    Stage("unrotated_k", KEY, "k before rotation", r"X W_K", variants=unrotated("k")),
    Stage("unnormed_q", QUERY, "q before its norm", r"X W_Q", variants=unnormed("q")),
    Stage("unnormed_k", KEY, "k before its norm", r"X W_K", variants=unnormed("k")),
    Stage("x_plus_output", TOKEN, "x + output", r"X + O"),
    Stage("normed_output", TOKEN, "LN(output)", r"\mathrm{LN}(O)"),
    Stage(
        "middle",
        TOKEN,
        "output",
        r"Y = O",
        ("output", "x"),
        variants=(
            Variant("residual", "x + output", r"Y = X + O"),
            Variant("pre_norm", "x + output", r"Y = X + O"),
            Variant("post_norm", "LN(x + output)", r"Y = \mathrm{LN}(X + O)"),
            Variant("sublayer_norm", "x + LN(output)", r"Y = X + \mathrm{LN}(O)"),
            Variant("sandwich_norm", "x + LN(output)", r"Y = X + \mathrm{LN}(O)"),
            Variant("parallel", "x + output", r"Y = X + O"),
        ),
    ),
    Stage(
        "normed_middle",
        TOKEN,
        "LN(middle)",
        r"\mathrm{LN}(Y)",
        variants=(Variant("parallel", "LN(x)", r"\mathrm{LN}(X)"),),
    ),
    Stage(
        "hidden",
        HIDDEN,
        "middle w_in",
        r"U = Y W_{in}",
        ("middle", "w_in", "b_in"),
        variants=into_mlp("U", "in"),
    ),
    Stage(
        "gate",
        HIDDEN,
        "middle w_gate",
        r"G = Y W_{gate}",
        ("middle", "w_gate", "b_gate"),
        variants=into_mlp("G", "gate"),
    ),
    Stage(
        "activated",
        HIDDEN,
        "gelu_tanh(hidden)",
        r"\mathrm{gelu}_{\tanh}(U)",
        ("hidden",),
        variants=activated(),
    ),
    Stage(
        "mlp_output",
        TOKEN,
        "activated w_out",
        r"\mathrm{MLP}(Y)",
        ("activated", "w_out", "b_out"),
        variants=from_mlp(),
    ),
    Stage("middle_plus_mlp", TOKEN, "middle + mlp_output", r"Y + \mathrm{MLP}(Y)"),
    Stage("normed_mlp_output", TOKEN, "LN(mlp_output)", r"\mathrm{LN}(\mathrm{MLP}(Y))"),
)

NAMES = tuple(stage.name for stage in STAGES)
PARAMETER_NAMES = frozenset(stage.name for stage in PARAMETERS)
MLP_NAMES = ("middle", "hidden", "activated", "mlp_output")
GATED_NAMES = ("middle", "hidden", "gate", "activated", "mlp_output")
BY_NAME = {stage.name: stage for stage in (*STAGES, *PARAMETERS, *OPERANDS)}


def unknown_stage(name: str) -> UnknownStage:
    return UnknownStage("unknown_stage", at="stage", stage=name[:40], stages=", ".join(NAMES))


def out_of_range(name: str, value: int, count: int) -> InvalidRequest:
    return InvalidRequest("out_of_range", at=name, name=name, value=value, last=count - 1)
