"""Formulas of stages by model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """`when`: words of `formula_words` that select it."""

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
        variants += [
            Variant(when, sum_, f"{symbol} = {latex}"),
            Variant(
                f"{when} normed_embedding".strip(),
                f"LN({sum_})",
                rf"{symbol} = \mathrm{{LN}}({latex})",
            ),
            Variant(
                f"{when} normed_embedding scaled_embedding".strip(),
                f"LN({sum_.replace('embedding', 'embedding × c')})",
                rf"{symbol} = \mathrm{{LN}}({latex.replace('E', 'c E')})",
            ),
            Variant(
                f"{when} scaled_embedding".strip(),
                sum_.replace("embedding", "embedding × c"),
                f"{symbol} = {latex.replace('E', 'c E')}",
            ),
        ]
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
        whole, symbol = latex.replace("_{ij}", ""), r"\tilde{S} = "
        variants.append(Variant(scale, formula, symbol + whole))
        when, off = f"alibi {scale}".strip(), f"{formula} − slope × |i − j|"
        less = f"{latex} - s_h |i - j|"
        variants.append(Variant(when, off, r"\tilde{S}_{ij} = " + less))
        near = f"{formula} + relative_bias"
        more = f"{latex} + b_h(j - i)"
        variants.append(Variant(f"relative {scale}".strip(), near, r"\tilde{S}_{ij} = " + more))
        capped = rf"\kappa \tanh\left( \frac{{1}}{{\kappa}} {whole} \right)"
        variants.append(
            Variant(f"capped {scale}".strip(), f"cap × tanh({formula} / cap)", symbol + capped)
        )
    return tuple(variants[1:])


def sources(when: str) -> tuple[tuple[str, str, str], ...]:
    """Inputs of the MLP: when, name, symbol."""
    return (
        (when, "middle", "Y"),
        (f"normed_input {when}".strip(), "LN(middle)", r"\mathrm{LN}(Y)"),
        (f"parallel normed_input {when}".strip(), "LN(x)", r"\mathrm{LN}(X)"),
    )


def into_mlp(symbol: str, name: str) -> tuple[Variant, ...]:
    plain = [
        Variant(when, f"{source} w_{name}", rf"{symbol} = {latex} W_{{{name}}}")
        for when, source, latex in sources("")
    ]
    biased = [
        Variant(
            when, f"{source} w_{name} + b_{name}",
            rf"{symbol} = {latex} W_{{{name}}} + b_{{{name}}}",
        )
        for when, source, latex in sources(f"b_{name}")
    ]  # fmt: skip
    return (*plain[1:], *biased)


def from_mlp() -> tuple[Variant, ...]:
    plain = [Variant(when, "activated w_out", rf"\mathrm{{MLP}}({latex})")
             for when, _, latex in sources("")]  # fmt: skip
    biased = [Variant(when, "activated w_out + b_out", rf"\mathrm{{MLP}}({latex})")
              for when, _, latex in sources("b_out")]  # fmt: skip
    return (*plain[1:], *biased)


def activated() -> tuple[Variant, ...]:
    said = {
        "gelu": ("gelu({})", r"\mathrm{{gelu}}({})"), "relu": ("max({}, 0)", r"\max({}, 0)"),
        "silu": ("silu({})", r"\mathrm{{silu}}({})"),
    }  # fmt: skip
    formulas = {"": ("gelu_tanh({})", r"\mathrm{{gelu}}_{{\tanh}}({})"), **said}
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
