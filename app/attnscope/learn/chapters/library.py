from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.scores import first_row, given_scores
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import true_reason

READER = [3.0, 0, 3, 0]  # asks head 0 for machines, head 1 for beginners
LABELS = [[0, 0, 0, 0], [2, 0, 0, 2], [1, 0, 2, 0], [0, 2, 0, 1], [0, 1, 2, 0]]
BOOKS = [[0, 0, 0, 0], [4, 0, 0, 3], [2, 0, 3, 0], [0, 4, 0, 1], [0, 2, 3, 0]]
TOKENS = ["reader", "machine learning", "easy machines", "old poems", "easy poems"]
LIBRARY: Body = {
    "x": np.eye(5).tolist(), "tokens": TOKENS, "causal": False,
    "model": {"source": "explicit", "num_heads": 2, "w_q": [READER, *np.zeros((4, 4)).tolist()],
              "w_k": LABELS, "w_v": BOOKS},
}  # fmt: skip
CHINESE: Body = {"tokens": ["读者", "机器学习", "机器入门", "古诗", "诗歌入门"]}
WORST = "exercise.library"
FALSE, TRUE = 4, 5  # numbers of false and of true statements


def mixed() -> Mapping[str, str]:
    weights, out = (
        compute_trace(LIBRARY).layers[0][name][0, :, 0] for name in ("weights", "head_outputs")
    )
    return {
        "most": f"{weights[0, 1]:.2f}", "second": f"{weights[0, 2]:.2f}",
        "least": f"{weights[0, 3]:.2f}", "pages": f"{out[0, 0]:.2f}",
        "other": f"{weights[1, 2]:.2f}", "poems": f"{weights[1, 4]:.2f}",
        "machines": f"{weights[1, 1]:.2f}",
    }  # fmt: skip


def where_it_fails(rng: np.random.Generator) -> Exercise:
    false = f"{WORST}.false.{int(rng.integers(FALSE))}"
    true = [f"{WORST}.true.{int(at)}" for at in rng.permutation(TRUE)[:3]]
    choices = tuple(str(each) for each in rng.permutation([false, *true]))
    return Exercise("where_it_fails", false, choices=choices)


def pages_of_a_mix(rng: np.random.Generator) -> Exercise:
    scores = (rng.integers(0, 9, 2) / 4).astype(float)
    pages = rng.permutation(np.arange(1, 10))[:2].astype(float)
    body = given_scores(first_row(scores.tolist()), np.column_stack([pages, pages]))
    weights = stage(body, "weights")[0, 0]
    answer = float(stage(body, "head_outputs")[0, 0, 0])
    values = {"s": f"{scores[0]:g}", "t": f"{scores[1]:g}", "p": f"{pages[0]:g}",
              "r": f"{pages[1]:g}"}  # fmt: skip
    parts = zip(weights, pages, strict=True)
    worked = {"line": " + ".join(f"{share:.3f} × {page:g}" for share, page in parts)}
    slips = {"one_book": float(pages[int(scores.argmax())])} if scores[0] != scores[1] else {}
    return Exercise("pages_of_a_mix", answer, values, 2, question=body, worked=worked, slips=slips)


CHAPTER = Chapter(
    "library",
    needs=("three_matrices",),
    figures=(
        Figure("one", LIBRARY, stages=("q", "k", "weights", "v", "head_outputs"),
               look={"cell": ("weights", 0, 1)}, knobs=("temperature",), zh=CHINESE),
        Figure("two", LIBRARY, stages=("weights", "head_outputs"),
               look={"head": 1, "cell": ("weights", 0, 2)}, knobs=("head",), zh=CHINESE),
    ),
    values={"mix": mixed, "two": mixed},
    exercises=(where_it_fails, pages_of_a_mix, true_reason("library")),
)  # fmt: skip
