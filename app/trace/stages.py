"""THE TABLE: every stage of a layer, in order, and every parameter.

Server, page, export and docs read the names, axes and formulas from here.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Literal

Kind = Literal["signed", "weights"]


@dataclass(frozen=True)
class Variant:
    """The formula where all words of `when` hold (`Plan.holds`, and `later` beyond layer 0)."""

    when: str
    formula: str
    latex: str


@dataclass(frozen=True)
class Stage:
    """One named array. `formula` is for text, `latex` for typesetting, `inputs` are upstream."""

    name: str
    axes: tuple[str, ...]
    formula: str
    latex: str
    inputs: tuple[str, ...] = ()
    kind: Kind = "signed"
    variants: tuple[Variant, ...] = ()

    def formula_for(self, holds: Set[str], layer: int = 0) -> Variant:
        """The formula as it is in a layer where these words hold: of the variants that fit, the
        one with most words. Beyond the first layer `later` holds too."""
        holds = holds | {"later"} if layer > 0 else holds
        fitting = [one for one in self.variants if holds >= set(one.when.split())]
        usual = Variant("", self.formula, self.latex)
        return max([usual, *fitting], key=lambda one: len(one.when.split()))

    @property
    def head_axis(self) -> str | None:
        """ "head", "kv_head" or None: which heads its second axis counts."""
        return self.axes[1] if len(self.axes) == 4 else None


MAP = ("batch", "head", "query", "key")
TOKEN = ("batch", "query", "d_model")
_UNADDED = ("unplaced", "rotary", "alibi")  # nothing is added to the embeddings
_BELOW = r"X = X'_{\ell - 1}"  # the output of the layer before
# Of encoders: the norm of a sum, of a token type too, and between two widths a matrix.
_NORMED = (
    ("normed_embedding", "LN(embedding + position)", r"\mathrm{LN}(E + P)"),
    (
        "normed_embedding typed",
        "LN(embedding + position + token type)",
        r"\mathrm{LN}(E + P + E_S)",
    ),
    (
        "normed_embedding typed projected",
        "LN(embedding + position + token type) w_e + b_e",
        r"\mathrm{LN}(E + P + E_S) W_E + b_E",
    ),
)
_GIVEN = ("given", *(f"given {positions}" for positions in _UNADDED))  # nor ever to numbers


def _products(letter: str) -> list[Variant]:
    """What q, k and v are before rotation: of a context, of a normed x, with a bias or without,
    in every mixture."""
    sources = {"": ("x", "X"), "pre_norm": ("LN(x)", r"\mathrm{LN}(X)")}
    if letter != "q":
        sources |= dict.fromkeys(("context", "context pre_norm"), ("context", "Z"))
    capital = letter.upper()
    products = []
    for when, (source, symbol) in sources.items():
        formula, latex = f"{source} w_{letter}", f"{symbol} W_{capital}"
        biased = f"{when} b_{letter}".strip()
        products += [
            Variant(when, formula, latex),
            Variant(biased, f"{formula} + b_{letter}", f"{latex} + b_{capital}"),
        ]
    return products


def _projected(letter: str, turned: bool) -> tuple[Variant, ...]:
    """The same as q, k and v themselves, turned where positions are rotary."""
    is_it = f"{letter.upper()} ="
    variants = []
    for one in _products(letter):
        variants.append(Variant(one.when, one.formula, f"{is_it} {one.latex}"))
        if turned:
            when = f"{one.when} rotary".strip()
            variants.append(Variant(when, f"R({one.formula})", f"{is_it} R({one.latex})"))
    return tuple(variants)


def _unrotated(letter: str) -> tuple[Variant, ...]:
    told = f"{letter} before rotation"
    return tuple(Variant(one.when, told, one.latex) for one in _products(letter))


_BLOCK_OUTPUTS = (
    Variant("residual", "x + output", r"X' = X + O"),
    Variant("pre_norm", "x + output", r"X' = X + O"),
    Variant("post_norm", "LN(x + output)", r"X' = \mathrm{LN}(X + O)"),
    Variant("sublayer_norm", "x + LN(output)", r"X' = X + \mathrm{LN}(O)"),
    Variant("attention mlp", "MLP(output)", r"X' = \mathrm{MLP}(O)"),
    Variant("residual mlp", "middle + MLP(middle)", r"X' = Y + \mathrm{MLP}(Y)"),
    Variant("pre_norm mlp", "middle + MLP(LN(middle))", r"X' = Y + \mathrm{MLP}(\mathrm{LN}(Y))"),
    Variant("post_norm mlp", "LN(middle + MLP(middle))", r"X' = \mathrm{LN}(Y + \mathrm{MLP}(Y))"),
    Variant(
        "sublayer_norm mlp", "middle + LN(MLP(middle))", r"X' = Y + \mathrm{LN}(\mathrm{MLP}(Y))"
    ),
)

STAGES = (
    Stage(
        "x",
        ("batch", "query", "d_model"),
        "embedding + position",
        r"X = E + P",
        ("block_output",),
        variants=(
            *(Variant(given, "given", r"X") for given in _GIVEN),
            *(Variant(positions, "embedding", r"X = E") for positions in _UNADDED),
            *(Variant(when, told, f"X = {latex}") for when, told, latex in _NORMED),
            *(
                Variant(f"{when} later".strip(), "block_output of the layer below", _BELOW)
                for when in ("", *_GIVEN, *_UNADDED, *(when for when, _, _ in _NORMED))
            ),
        ),
    ),
    Stage(
        "q",
        ("batch", "head", "query", "d_k"),
        "x w_q",
        r"Q = X W_Q",
        ("x", "w_q", "b_q"),
        variants=_projected("q", turned=True),
    ),
    Stage(
        "k",
        ("batch", "kv_head", "key", "d_k"),
        "x w_k",
        r"K = X W_K",
        ("x", "w_k", "b_k"),
        variants=_projected("k", turned=True),
    ),
    Stage(
        "v",
        ("batch", "kv_head", "key", "d_v"),
        "x w_v",
        r"V = X W_V",
        ("x", "w_v", "b_v"),
        variants=_projected("v", turned=False),
    ),
    Stage("scores", MAP, "q kᵀ", r"S = Q K^\top", ("q", "k")),
    Stage(
        "scaled_scores",
        MAP,
        "scores × scale / temperature",
        r"\tilde{S} = \frac{S}{\sqrt{d_k} \, T}",
        ("scores",),
        variants=(
            Variant("none", "scores / temperature", r"\tilde{S} = \frac{S}{T}"),
            Variant("number", "scores × scale / temperature", r"\tilde{S} = \frac{c S}{T}"),
            Variant(
                "alibi",
                "scores × scale / temperature − slope × |i − j|",
                r"\tilde{S}_{ij} = \frac{S_{ij}}{\sqrt{d_k} \, T} - s_h |i - j|",
            ),
            Variant(
                "alibi none",
                "scores / temperature − slope × |i − j|",
                r"\tilde{S}_{ij} = \frac{S_{ij}}{T} - s_h |i - j|",
            ),
            Variant(
                "alibi number",
                "scores × scale / temperature − slope × |i − j|",
                r"\tilde{S}_{ij} = \frac{c S_{ij}}{T} - s_h |i - j|",
            ),
        ),
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
        ("batch", "query", "d_model"),
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
        ("batch", "query", "d_model"),
        "output",
        r"X' = O",
        ("output", "x"),  # what was made last comes first: so the way back to x is told
        variants=_BLOCK_OUTPUTS,
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
)

# What a layer reads besides its stages: kept and explained like a stage where it is there.
OPERANDS = (
    Stage(
        "context",
        ("batch", "key", "d_model"),
        "embedding + position",
        r"Z = E + P",
        variants=(
            *(Variant(f"context_{given}", "given", r"Z") for given in _GIVEN),
            *(Variant(positions, "embedding", r"Z = E") for positions in _UNADDED),
            *(Variant(when, told, f"Z = {latex}") for when, told, latex in _NORMED),
        ),
    ),
    Stage("normed_x", TOKEN, "LN(x)", r"\mathrm{LN}(X)"),
    Stage(
        "unrotated_q",
        ("batch", "head", "query", "d_k"),
        "q before rotation",
        r"X W_Q",
        variants=_unrotated("q"),
    ),
    Stage(
        "unrotated_k",
        ("batch", "kv_head", "key", "d_k"),
        "k before rotation",
        r"X W_K",
        variants=_unrotated("k"),
    ),
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
        ),
    ),
    Stage("normed_middle", TOKEN, "LN(middle)", r"\mathrm{LN}(Y)"),
    Stage(
        "hidden",
        ("batch", "query", "hidden"),
        "middle w_in",
        r"U = Y W_{in}",
        ("middle", "w_in", "b_in"),
        variants=(
            Variant("b_in", "middle w_in + b_in", r"U = Y W_{in} + b_{in}"),
            Variant("pre_norm", "LN(middle) w_in", r"U = \mathrm{LN}(Y) W_{in}"),
            Variant(
                "pre_norm b_in", "LN(middle) w_in + b_in", r"U = \mathrm{LN}(Y) W_{in} + b_{in}"
            ),
        ),
    ),
    Stage(
        "activated",
        ("batch", "query", "hidden"),
        "gelu_tanh(hidden)",
        r"\mathrm{gelu}_{\tanh}(U)",
        ("hidden",),
        variants=(
            Variant("gelu", "gelu(hidden)", r"\mathrm{gelu}(U)"),
            Variant("relu", "max(hidden, 0)", r"\max(U, 0)"),
        ),
    ),
    Stage(
        "mlp_output",
        TOKEN,
        "activated w_out",
        r"\mathrm{MLP}(Y)",
        ("activated", "w_out", "b_out"),
        variants=(
            Variant("b_out", "activated w_out + b_out", r"\mathrm{MLP}(Y)"),
            Variant("pre_norm", "activated w_out", r"\mathrm{MLP}(\mathrm{LN}(Y))"),
            Variant("pre_norm b_out", "activated w_out + b_out", r"\mathrm{MLP}(\mathrm{LN}(Y))"),
        ),
    ),
    Stage("middle_plus_mlp", TOKEN, "middle + mlp_output", r"Y + \mathrm{MLP}(Y)"),
    Stage("normed_mlp_output", TOKEN, "LN(mlp_output)", r"\mathrm{LN}(\mathrm{MLP}(Y))"),
)

NAMES = tuple(stage.name for stage in STAGES)
MLP_NAMES = ("middle", "hidden", "activated", "mlp_output")  # of a layer with an MLP
BY_NAME = {stage.name: stage for stage in (*STAGES, *PARAMETERS, *OPERANDS)}
