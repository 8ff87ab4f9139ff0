from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """`when`: words of `formula_words` that all must hold."""

    when: str
    formula: str
    latex: str


UNADDED = ("unplaced", "rotary", "alibi", "relative")
BELOW = r"X = X'_{\ell - 1}"  # previous layer
GIVEN = ("given", *(f"given {positions}" for positions in UNADDED))


def embedded(symbol: str) -> list[Variant]:
    variants = []
    for when, sum_, latex in (
        ("", "embedding + position", "E + P"),
        *((positions, "embedding", "E") for positions in UNADDED),
    ):
        c_sum, c_latex = sum_.replace("embedding", "embedding × c"), latex.replace("E", "c E")
        for more, formula, right in (
            ("", sum_, latex),
            ("normed_embedding", f"LN({sum_})", rf"\mathrm{{LN}}({latex})"),
            ("normed_embedding scaled_embedding", f"LN({c_sum})", rf"\mathrm{{LN}}({c_latex})"),
            ("scaled_embedding", c_sum, c_latex),
        ):
            variants.append(Variant(f"{when} {more}".strip(), formula, f"{symbol} = {right}"))
    typed, latex = "LN(embedding + position + token type)", r"\mathrm{LN}(E + P + E_S)"
    return [
        *variants[1:],
        Variant("normed_embedding typed", typed, f"{symbol} = {latex}"),
        Variant(
            "normed_embedding typed projected",
            f"{typed} w_e + b_e",
            f"{symbol} = {latex} W_E + b_E",
        ),
    ]


def encoded() -> list[Variant]:
    variants = []
    for one in ("", *(each.when for each in embedded("Z"))):
        variants += [
            Variant(f"{one} encoded".strip(), "block_output of the encoder", "Z = X'_e"),
            Variant(
                f"{one} encoded normed_context".strip(), "LN(block_output of the encoder)",
                r"Z = \mathrm{LN}(X'_e)",
            ),
        ]  # fmt: skip
    return variants


def products(letter: str) -> list[Variant]:
    sources = {"": ("x", "X"), "normed_input": ("LN(x)", r"\mathrm{LN}(X)")}
    if letter != "q":
        sources |= dict.fromkeys(("context", "context normed_input"), ("context", "Z"))
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


def normed(products: list[Variant]) -> list[Variant]:
    normed = [
        Variant(
            f"{one.when} normed_heads".strip(), f"LN({one.formula})", rf"\mathrm{{LN}}({one.latex})"
        )
        for one in products
    ]
    return [*products, *normed]


def projected(letter: str, turned: bool) -> tuple[Variant, ...]:
    is_it = f"{letter.upper()} ="
    variants = []
    for one in normed(products(letter)) if turned else products(letter):
        variants.append(Variant(one.when, one.formula, f"{is_it} {one.latex}"))
        if turned:
            when = f"{one.when} rotary".strip()
            variants.append(Variant(when, f"R({one.formula})", f"{is_it} R({one.latex})"))
    return tuple(variants)


def unrotated(letter: str) -> tuple[Variant, ...]:
    formula = f"{letter} before rotation"
    return tuple(Variant(one.when, formula, one.latex) for one in normed(products(letter)))


def unnormed(letter: str) -> tuple[Variant, ...]:
    formula = f"{letter} before its norm"
    return tuple(Variant(one.when, formula, one.latex) for one in products(letter))


def scaled() -> tuple[Variant, ...]:
    scales = {
        "": ("scores × scale / temperature", r"\frac{S_{ij}}{\sqrt{d_k} \, T}"),
        "none": ("scores / temperature", r"\frac{S_{ij}}{T}"),
        "number": ("scores × scale / temperature", r"\frac{c S_{ij}}{T}"),
    }
    variants = []
    for scale, (formula, latex) in scales.items():
        whole, cell = latex.replace("_{ij}", ""), r"\tilde{S}_{ij}"
        capped = rf"\kappa \tanh\left( \frac{{1}}{{\kappa}} {whole} \right)"
        for more, changed, equation in (
            ("", formula, rf"\tilde{{S}} = {whole}"),
            ("alibi", f"{formula} − slope × |i − j|", f"{cell} = {latex} - s_h |i - j|"),
            ("relative", f"{formula} + relative_bias", f"{cell} = {latex} + b_h(j - i)"),
            ("capped", f"cap × tanh({formula} / cap)", rf"\tilde{{S}} = {capped}"),
        ):
            variants.append(Variant(f"{more} {scale}".strip(), changed, equation))
    return tuple(variants[1:])


def sources(when: str) -> tuple[tuple[str, str, str], ...]:
    """Inputs of the MLP, as (when, name, symbol)."""
    return (
        (when, "middle", "Y"),
        (f"normed_input {when}".strip(), "LN(middle)", r"\mathrm{LN}(Y)"),
        (f"parallel normed_input {when}".strip(), "LN(x)", r"\mathrm{LN}(X)"),
    )


def into_mlp(symbol: str, name: str) -> tuple[Variant, ...]:
    biases = (("", "", ""), (f"b_{name}", f" + b_{name}", rf" + b_{{{name}}}"))
    variants = [
        Variant(when, f"{source} w_{name}{added}", rf"{symbol} = {latex} W_{{{name}}}{added_latex}")
        for bias, added, added_latex in biases
        for when, source, latex in sources(bias)
    ]
    return tuple(variants[1:])


def from_mlp() -> tuple[Variant, ...]:
    variants = [
        Variant(when, formula, rf"\mathrm{{MLP}}({latex})")
        for bias, formula in (("", "activated w_out"), ("b_out", "activated w_out + b_out"))
        for when, _, latex in sources(bias)
    ]
    return tuple(variants[1:])


def activated() -> tuple[Variant, ...]:
    formulas = {
        "": ("gelu_tanh({})", r"\mathrm{{gelu}}_{{\tanh}}({})"),
        "gelu": ("gelu({})", r"\mathrm{{gelu}}({})"),
        "relu": ("max({}, 0)", r"\max({}, 0)"),
        "silu": ("silu({})", r"\mathrm{{silu}}({})"),
    }
    plain = [Variant(when, formula.format("hidden"), latex.format("U"))
             for when, (formula, latex) in formulas.items()]  # fmt: skip
    gated = [
        Variant(
            f"gated {when}".strip(), f"{formula.format('gate')} × hidden",
            rf"{latex.format('G')} \odot U",
        )
        for when, (formula, latex) in formulas.items()
    ]  # fmt: skip
    return (*plain[1:], *gated)


BLOCK_OUTPUTS = (
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
    Variant(
        "sandwich_norm mlp", "middle + LN(MLP(LN(middle)))",
        r"X' = Y + \mathrm{LN}(\mathrm{MLP}(\mathrm{LN}(Y)))",
    ),
    Variant("parallel mlp", "middle + MLP(LN(x))", r"X' = Y + \mathrm{MLP}(\mathrm{LN}(X))"),
)  # fmt: skip
