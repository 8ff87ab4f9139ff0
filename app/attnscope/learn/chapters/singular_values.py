from __future__ import annotations

import numpy as np

from attnscope.analysis.spectrum import Factored, spectrum
from attnscope.learn.arithmetic import bracketed, products
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters import spectrum_values as computed
from attnscope.learn.exercises import join_texts
from attnscope.learn.parts import Exercise, Figure, Given
from attnscope.learn.why import false_statement, true_reason


def determinant(rng: np.random.Generator) -> Exercise:
    w = rng.integers(-3, 4, (2, 2)).astype(float)
    answer = spectrum(Factored(w)).determinant
    assert answer is not None  # None unless square
    worked = {name: bracketed(each) for name, each in zip("abcd", w.ravel(), strict=True)}
    return Exercise("determinant", answer, given=(Given("w_q", w.tolist()),), worked=worked)


def rank(rng: np.random.Generator) -> Exercise:
    wanted, found = int(rng.integers(1, 5)), 0
    while found != wanted:
        w = rng.integers(1, 4, (4, 4)).astype(float)
        w[wanted:] = rng.integers(2, 4, (4 - wanted, 1)) * w[rng.integers(wanted, size=4 - wanted)]
        if wanted in (2, 3):
            w[3] = w[0] + w[1]
        w = rng.permutation(w)
        factors = spectrum(Factored(w))
        found = factors.rank
    worked = {"line": join_texts(f"{abs(each):.2f}" for each in factors.singular_values)}
    return Exercise("rank", float(found), given=(Given("w_q", w.tolist()),), worked=worked)


def largest_stretch(rng: np.random.Generator) -> Exercise:
    """The matrix is a permuted diagonal, a scaled rotation (√(a² + b²)), or [[a, b], [b, a]]."""
    a, b = (float(number) for number in rng.choice(np.arange(1, 10), 2, replace=False))
    sign = float(rng.choice([-1, 1]))
    kind = int(rng.integers(3))
    if kind == 0:
        w = np.diag([a, sign * b])[:, rng.permutation(2)]
        line = f"max({a:g}, {b:g})"
    elif kind == 1:
        a, b = rng.permutation(np.array([[3.0, 4], [6, 8], [5, 12], [8, 15]]))[0]
        w = np.array([[a, b], [-b, a]]) * sign
        line = f"√({a:g}² + {b:g}²)"
    else:
        w = np.array([[a, b], [b, a]]) * sign
        line = f"{a:g} + {b:g}"
    answer = float(spectrum(Factored(w)).singular_values[0])
    given = (Given("w_q", w.tolist()),)
    return Exercise("largest_stretch", answer, given=given, worked={"line": line})


def first_factor(rng: np.random.Generator) -> Exercise:
    (a, b), (c, d) = ((number / 5 for number in rng.permutation((3, 4))) for _ in range(2))
    u, v = np.array([[a, -b], [b, a]]), np.array([[-c, d], [d, c]])
    sigma = np.sort(rng.choice(np.arange(1, 6), 2, replace=False))[::-1].astype(float)
    column, x = int(rng.integers(2)), np.zeros((1, 2))
    while (x @ u)[0, column].round(9) in (0, column):  # until the hint does not show the answer
        x = rng.integers(-4, 5, (1, 2)).astype(float)
    # Only singular values can be compared: singular vectors are unique up to sign.
    assert np.allclose(spectrum(Factored(u * sigma @ v.T)).singular_values, sigma)
    answer = float((x @ u)[0, column])
    given = (Given("x", x.tolist()), Given("U", u.tolist()),
             Given("Σ", np.diag(sigma).tolist()), Given("V", v.tolist()))  # fmt: skip
    worked = {"line": products(x[0], u[:, column])}
    return Exercise("first_factor", answer, {"column": column}, 1, given=given, worked=worked)


CHAPTER = Chapter(
    "singular_values",
    needs=("scaling", "heads",),
    figures=(
        Figure("spectrum", {"model": {"source": "seeded"}}, view="parameters",
               knobs=("model.init",)),
        Figure("unseen", computed.SAME, stages=("x", "q", "k")),
    ),
    values={"unseen": computed.lost, "lost": computed.lost, "values": computed.null_spaces},
    tables={"lost": computed.lost_rows, "spread": computed.spread_rows},
    exercises=(
        determinant, rank, largest_stretch, first_factor,
        false_statement("singular_values", "first_turn", "v_keeps_more"),
        true_reason("singular_values"),
    ),
)  # fmt: skip
