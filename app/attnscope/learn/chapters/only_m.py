from __future__ import annotations

import numpy as np

from attnscope.analysis.score_parts import score_parts
from attnscope.analysis.spectrum import Factored, spectrum
from attnscope.learn.arithmetic import signed, total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.scores import given_qk, rows
from attnscope.learn.chapters.spectrum_values import not_a_covariance, rotated_and_rescaled
from attnscope.learn.chapters.worth import sure_text
from attnscope.learn.echo import echo_of_reader
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Exercise, Figure, Given
from attnscope.learn.why import false_statement, true_reason

QUARTER = np.array([[0.0, 1], [-1, 0]])


def rank_of_scores(rng: np.random.Generator) -> Exercise:
    d_k, n = (int(count) for count in rng.permutation(np.arange(2, 9))[:2])
    words = [f"w{at}" for at in range(n)]
    body = {
        "tokens": words, "causal": False,
        "model": {"source": "seeded", "d_model": 16, "num_heads": 1, "d_k": d_k},
    }  # fmt: skip
    answer = spectrum(Factored(compute_trace(body).layers[0]["scores"][0, 0])).rank
    assert answer == min(n, d_k)
    return Exercise("rank_of_scores", float(answer), {"n": n, "d_k": d_k}, question=body)


def turned_score(rng: np.random.Generator) -> Exercise:
    q, k = rows(rng, 1, 2), rows(rng, 1, 2)
    both = [np.tile(each @ QUARTER, (2, 1)) for each in (q, k)]
    answer = float(stage(given_qk(*both), "scores")[0, 0, 0])
    given = (Given("q", q.tolist()), Given("k", k.tolist()), Given("R", QUARTER.tolist()))
    worked = {"line": total((q[0] * k[0]).tolist())}
    return Exercise("turned_score", answer, given=given, worked=worked)


def share_of_score(rng: np.random.Generator) -> Exercise:
    text = sure_text(rng)
    body = echo_of_reader().asked(text)
    trace = compute_trace(body)
    layer, head = echo_of_reader().induction
    row = trace.plan.n - 1
    col = int(trace.layers[layer]["weights"][0, head, row].argmax())
    values = score_parts(trace, layer, head, 0, row, col).values
    top = np.sort(values.ravel())[::-1][:2].round(1)
    numbers = {"first": signed(float(top[0])), "second": signed(float(top[1])),
            "score": signed(round(float(values.sum()), 1)), "sentence": text,
            "layer": layer, "head": head}  # fmt: skip
    score = round(float(values.sum()), 1)
    answer, worked = score - float(top.sum()), {"line": total((score, *-top))}
    return Exercise("share_of_score", answer, numbers, 1, question=body, worked=worked)


CHAPTER = Chapter(
    "only_m",
    needs=("worth", "singular_values",),
    figures=(
        Figure("low_rank", {"causal": False, "model": {"source": "seeded", "d_k": 1}},
               stages=("scores",), knobs=("model.d_k", "head")),
    ),
    values={"rotated": rotated_and_rescaled, "covariance": not_a_covariance},
    exercises=(
        rank_of_scores, turned_score,
        false_statement("only_m", "one_column", "covariance", "important"), true_reason("only_m"),
        share_of_score,
    ),
)  # fmt: skip
