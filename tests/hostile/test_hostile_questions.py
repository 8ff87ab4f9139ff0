"""Questions whose numbers leave the range of their dtype: whatever is asked about them, every reply
keeps the schema that the OpenAPI document promises, and no warning is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.operations import asked, operations_of

V1 = "/api/v1"
TRACE = f"{V1}/traces/{{id}}"
HUGE = [[1e308, -1e308], [1e308, 1e308], [-1e308, 1e300]]
EYE = [[1, 0], [0, 1]]
FAR = [[1e308, 1e308], [1e308, -1e308]]


def tiny(**options: Any) -> dict[str, Any]:
    return {"source": "seeded", "d_model": 2, "num_heads": 1, **options}


def explicit(matrix: Any, **others: Any) -> dict[str, Any]:
    return {"source": "explicit", **dict.fromkeys(("w_q", "w_k", "w_v"), matrix), **others}


QUESTIONS: dict[str, dict[str, Any]] = {
    "the smallest temperature": {"text": ["a b c", "a"], "temperature": 5e-324},
    "the smallest temperature with ALiBi": {
        "text": "a b", "temperature": 5e-324, "model": {"source": "seeded", "positions": "alibi"},
    },
    "the smallest temperature with a context": {
        "text": "a b", "context": "c d e", "temperature": 5e-324,
    },
    "a temperature that is hardly a number": {"text": "a b c", "temperature": 1e-310},
    "the largest temperature": {"text": "a b c", "temperature": 1.7e308},
    "a scale beyond all scores": {"text": "a b c", "scale": 1.7e308},
    "a scale below all scores": {"text": "a b c", "scale": -1.7e308, "temperature": 5e-324},
    "no scale at the smallest temperature": {"text": "a b", "scale": 0, "temperature": 5e-324},
    "the largest x": {"x": HUGE, "model": tiny()},
    "the largest x and context": {"x": HUGE, "context_x": HUGE, "model": tiny()},
    "the largest weights": {"x": HUGE, "model": explicit(FAR)},
    "the largest weights with rotary positions": {
        "text": "a b", "model": explicit(FAR, positions="rotary"),
    },
    "singular values beyond float64": {
        "x": EYE, "model": explicit(EYE, w_v=[[1e308] * 2] * 2, b_v=[1e308] * 2),
    },
    "the smallest numbers": {
        "x": [[5e-324] * 2] * 2, "model": explicit([[5e-324, 0], [0, 5e-324]]),
    },
    "nothing but zeros": {"x": EYE, "model": explicit([[0, 0], [0, 0]])},
    "the largest float16": {"x": [[6e4, 6e4], [6e4, -6e4]], "model": tiny(), "dtype": "float16"},
    "float16 far beyond": {
        "text": "a b c", "scale": 1e6, "temperature": 1e-9, "dtype": "float16",
        "model": {"source": "seeded", "block": "pre_norm", "mlp": True, "num_layers": 2},
    },
    "bfloat16 of the largest x": {"x": HUGE, "model": tiny(), "dtype": "bfloat16"},
    "float32 of the largest x": {"x": HUGE, "model": tiny(num_layers=2), "dtype": "float32"},
    "three layers that add": {"x": HUGE, "model": tiny(block="residual", num_layers=3)},
    "layers that norm": {
        "x": HUGE, "model": tiny(block="post_norm", mlp=True, num_layers=2, bias=True),
    },
    "every cell closed": {
        "text": "a b", "blocked": [[i, j] for i in (0, 1) for j in (0, 1)], "temperature": 5e-324,
    },
}  # fmt: skip
ABOUT: list[tuple[str, dict[str, Any]]] = [
    ("", {}), ("question", {}), ("heads", {}), ("rollout", {}),
    ("precision", {"layer": 0, "head": 0}), ("precision", {"layer": 0, "head": 0, "row": 1}),
    *(("export", {"format": name}) for name in ("json", "csv", "npz", "safetensors", "html")),
    ("jacobian", {"row": 1}), ("spectrum", {}), ("spectrum", {"head": 0, "tensors": "false"}),
    ("initialisation", {}), ("scaling", {}), ("decode", {}), ("decode", {"prefill": 1, "steps": 1}),
    ("sharing", {}), ("together", {"heads": "0.0"}),
    ("together", {"combine": "rollout", "layer": 0}),
]  # fmt: skip
STAGES = ("x", "q", "scores", "scaled_scores", "masked_scores", "weights", "output", "block_output")
OBJECTIVES: list[dict[str, Any]] = [
    {"kind": "sum"}, {"kind": "row_norm", "row": 0}, {"kind": "cell", "row": 0, "col": 0},
    {"kind": "custom", "cotangent": FAR},
]  # fmt: skip


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with operations_of(tmp_path_factory.mktemp("data")) as document:
        yield document


# Of the requests about a trace, one in so many: with each question it is another one.
@pytest.mark.parametrize("one_in", [3, pytest.param(1, marks=pytest.mark.full)])
def test_every_reply_about_it_keeps_its_schema(
    document: Any, one_in: int, subtests: pytest.Subtests
) -> None:
    for number, (what, question) in enumerate(QUESTIONS.items()):
        with subtests.test(what):
            some = slice(number % one_in, None, one_in)
            whole = {**question, "parameters": True}
            assert asked(document, "POST", f"{V1}/attention", whole).status_code == 200
            trace = asked(document, "POST", f"{V1}/traces", question).json()["trace"]
            for name, query in ABOUT[some]:
                reply = asked(document, "GET", f"{TRACE}/{name}".rstrip("/"), id=trace, query=query)
                assert reply.status_code in (200, 422), name
            for stage in STAGES[some]:
                asked(document, "GET", f"{TRACE}/stages/{{stage}}", id=trace, stage=stage)
                asked(document, "GET", f"{TRACE}/pictures/{{stage}}", id=trace, stage=stage)
                at = {"row": 0, "col": 0}
                asked(document, "GET", f"{TRACE}/cells/{{stage}}", id=trace, stage=stage, query=at)
            for objective in OBJECTIVES[some]:
                asked(document, "POST", f"{TRACE}/gradients", {"objective": objective}, id=trace)


def test_what_a_scale_becomes_beyond_float64_is_null(document: Any) -> None:
    question = QUESTIONS["the smallest temperature"]
    trace = asked(document, "POST", f"{V1}/traces", question).json()["trace"]
    factors = asked(document, "GET", f"{TRACE}/scaling", id=trace).json()["factors"]
    assert {one["scale"] for one in factors} == {None}


def test_a_head_of_no_numbers_has_no_entropy(document: Any) -> None:
    question = QUESTIONS["a scale beyond all scores"]
    trace = asked(document, "POST", f"{V1}/traces", question).json()["trace"]
    heads = asked(document, "GET", f"{TRACE}/heads", id=trace).json()["heads"]
    assert None in [head["entropy"] for head in heads]
    assert None in [head["first"] for head in heads]
