"""The five steps from q, k and v to the output of a head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

RANGES = {"N": "n", "C": "d_k"}  # range → size
AXES: Mapping[str, tuple[str, str]] = {  # ranges of the two indices
    "q": ("N", "C"), "k": ("N", "C"), "v": ("N", "C"), "scores": ("N", "N"),
    "scaled_scores": ("N", "N"), "masked_scores": ("N", "N"), "weights": ("N", "N"),
    "head_outputs": ("N", "C"),
}  # fmt: skip
INDICES: Mapping[str, tuple[str, str]] = {  # names of the two indices
    name: ("j" if name in ("k", "v") else "i", "j" if axes[1] == "N" else "c")
    for name, axes in AXES.items()
}
SIZES = ("n", "d_k", "inf")
ALWAYS_AVAILABLE = ("n", "d_k", "inf", "sum(… for c in C)", "max(… for l in N)", "exp()", "sqrt()")
FUNCTIONS = ("sum", "max", "min", "exp", "sqrt")


@dataclass(frozen=True)
class Step:
    """`given`: arrays that the line may use. `loops`: variable → range. `slips`: wrong lines, by
    name of the message `line.slip.<name>`."""

    stage: str
    given: tuple[str, ...]
    loops: Mapping[str, str]
    solution: str
    slips: Mapping[str, str] = field(default_factory=dict)

    @property
    def indices(self) -> tuple[str, ...]:
        return tuple(self.loops)


PAIRS = {"i": "N", "j": "N"}
STEPS: tuple[Step, ...] = (
    Step("scores", ("q", "k"), PAIRS, "sum(q[i, c] * k[j, c] for c in C)", {
        "transposed": "sum(q[j, c] * k[i, c] for c in C)",
        "same_row": "sum(q[i, c] * k[i, c] for c in C)",
        "only_queries": "sum(q[i, c] * q[j, c] for c in C)",
        "only_keys": "sum(k[i, c] * k[j, c] for c in C)",
        "added": "sum(q[i, c] + k[j, c] for c in C)",
        "scaled_early": "sum(q[i, c] * k[j, c] for c in C) / sqrt(d_k)",
    }),
    Step("scaled_scores", ("scores",), PAIRS, "scores[i, j] / sqrt(d_k)", {
        "without_root": "scores[i, j] / d_k",
        "root_of_n": "scores[i, j] / sqrt(n)",
        "multiplied": "scores[i, j] * sqrt(d_k)",
        "subtracted": "scores[i, j] - sqrt(d_k)",
    }),
    Step("masked_scores", ("scaled_scores",), PAIRS, "scaled_scores[i, j] if j <= i else -inf", {
        "only_later": "scaled_scores[i, j] if j >= i else -inf",
        "without_itself": "scaled_scores[i, j] if j < i else -inf",
        "closed_past": "-inf if j <= i else scaled_scores[i, j]",
        "closed_with_0": "scaled_scores[i, j] if j <= i else 0",
        "not_masked": "scaled_scores[i, j]",
    }),
    Step("weights", ("masked_scores",), PAIRS,
         "exp(masked_scores[i, j]) / sum(exp(masked_scores[i, l]) for l in N)", {
        "by_columns": "exp(masked_scores[i, j]) / sum(exp(masked_scores[l, j]) for l in N)",
        "not_divided": "exp(masked_scores[i, j])",
        "without_exp": "masked_scores[i, j] / sum(masked_scores[i, l] for l in N)",
        "by_the_largest": "exp(masked_scores[i, j]) / max(exp(masked_scores[i, l]) for l in N)",
    }),
    Step("head_outputs", ("weights", "v"), {"i": "N", "c": "C"},
         "sum(weights[i, j] * v[j, c] for j in N)", {
        "own_value": "sum(weights[i, j] * v[i, c] for j in N)",
        "by_columns": "sum(weights[j, i] * v[j, c] for j in N)",
        "mean": "sum(v[j, c] for j in N) / n",
        "not_weighted": "sum(v[j, c] for j in N)",
    }),
)  # fmt: skip
BY_STAGE = {step.stage: step for step in STEPS}
