"""THE TABLE: every stage of a layer, in order, and every parameter.

Server, page, export and docs read the names, axes and formulas from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["signed", "weights"]


@dataclass(frozen=True)
class Stage:
    """One named array. `formula` is for text, `latex` for typesetting, `inputs` are upstream."""

    name: str
    axes: tuple[str, ...]
    formula: str
    latex: str
    inputs: tuple[str, ...] = ()
    kind: Kind = "signed"
    variants: tuple[tuple[str, str], ...] = ()  # (scale, its own latex)

    def latex_for(self, scale: str | float) -> str:
        """The formula as it is under a question's scale; a number counts as "number"."""
        kind = scale if isinstance(scale, str) else "number"
        return dict(self.variants).get(kind, self.latex)

    @property
    def head_axis(self) -> str | None:
        """ "head", "kv_head" or None: which heads its second axis counts."""
        return self.axes[1] if len(self.axes) == 4 else None


MAP = ("batch", "head", "query", "key")

STAGES = (
    Stage(
        "x",
        ("batch", "query", "d_model"),
        "embedding + position; later layers: block_output of the layer below",
        r"X = E + P",
        ("block_output",),
    ),
    Stage(
        "q",
        ("batch", "head", "query", "d_k"),
        "x w_q + b_q",
        r"Q = X W_Q + b_Q",
        ("x", "w_q", "b_q"),
    ),
    Stage(
        "k",
        ("batch", "kv_head", "key", "d_k"),
        "x w_k + b_k",
        r"K = X W_K + b_K",
        ("x", "w_k", "b_k"),
    ),
    Stage(
        "v",
        ("batch", "kv_head", "key", "d_v"),
        "x w_v + b_v",
        r"V = X W_V + b_V",
        ("x", "w_v", "b_v"),
    ),
    Stage("scores", MAP, "q kᵀ", r"S = Q K^\top", ("q", "k")),
    Stage(
        "scaled_scores",
        MAP,
        "scores × scale / temperature",
        r"\tilde{S} = \frac{S}{\sqrt{d_k} \, T}",
        ("scores",),
        variants=(("none", r"\tilde{S} = \frac{S}{T}"), ("number", r"\tilde{S} = \frac{c S}{T}")),
    ),
    Stage(
        "masked_scores",
        MAP,
        "scaled_scores where the query may attend, −∞ elsewhere",
        r"\hat{S}_{ij} = \tilde{S}_{ij} \;\text{or}\; {-\infty}",
        ("scaled_scores",),
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
        "head_outputs",
        ("batch", "head", "query", "d_v"),
        "weights v",
        r"H = A V",
        ("weights", "v"),
    ),
    Stage(
        "concat",
        ("batch", "query", "head·d_v"),
        "heads side by side",
        r"C = [H_1 \ldots H_h]",
        ("head_outputs",),
    ),
    Stage(
        "output",
        ("batch", "query", "d_model"),
        "concat w_o + b_o",
        r"O = C W_O + b_O",
        ("concat", "w_o", "b_o"),
    ),
    Stage(
        "block_output",
        ("batch", "query", "d_model"),
        "output, or x + output in a residual block",
        r"X' = X + O",
        ("x", "output"),
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
)

NAMES = tuple(stage.name for stage in STAGES)
BY_NAME = {stage.name: stage for stage in (*STAGES, *PARAMETERS)}
