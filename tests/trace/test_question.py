"""A question is a plain value, and its content is its name."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import pytest
from pydantic import ValidationError

from attnscope.trace.formula_words import formula_words
from attnscope.trace.question import MAX_SEED, Question
from attnscope.web.serializers.request import AttentionRequest
from tests.questions import (
    COVERING,
    Body,
    ask,
    cross_question,
    patterned_question,
    random_question,
)

TEXT = "The cat sat on the mat"
WIDE = {name: [[1, 0], [0, 1]] for name in ("w_q", "w_k", "w_v")}
EXPLICIT = {"source": "explicit", "w_q": [[1]], "w_k": [[1]], "w_v": [[1]]}


def question(**body: Any) -> Question:
    return Question.model_validate(body)


def test_defaults_that_are_spelled_out_change_no_name() -> None:
    spelled = {
        "tokens": None, "x": None, "tokenizer": "words", "context_length": None,
        "causal": None, "window": None, "prefix": 0, "global_tokens": 0, "stride": None,
        "block_size": None, "blocked": [], "scale": "sqrt_d_k",
        "temperature": 1, "dtype": None,
        "model": {
            "source": "seeded", "seed": 0, "d_model": 64, "num_heads": 4, "num_kv_heads": None,
            "d_k": None, "d_v": None, "num_layers": 1, "init": "xavier_uniform", "bias": False,
            "share": "none", "positions": "sinusoidal", "block": "attention",
            "output_projection": True,
        },
    }  # fmt: skip
    assert question(text=TEXT, **spelled).id() == question(text=TEXT).id()
    assert question(text=TEXT, **spelled).plain() == {"text": TEXT}
    plain = {**EXPLICIT, "num_heads": 1, "num_kv_heads": None, "w_o": None, "b_q": None, "seed": 0,
             "positions": "none"}  # fmt: skip
    assert question(text="a", model=plain).id() == question(text="a", model=EXPLICIT).id()


def test_the_name_is_the_hash_of_sorted_json() -> None:
    body = {"text": TEXT, "model": {"source": "seeded", "seed": 3}, "window": 2}
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    assert question(**body).id() == hashlib.sha256(canonical.encode()).hexdigest()[:32]


def test_names_never_change_so_that_links_last(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({"text": TEXT}, "c5a45c657caf12c71c46b9afad09e1b2"),
        (
            {"text": ["猫爱吃鱼", "a"], "model": {"source": "seeded", "seed": 7}, "window": 3},
            "6c4a56ba5651f841d23b6a9670205cfd",
        ),
        (
            {"x": [[1, 0.5]], "model": {**EXPLICIT, "w_q": [[1], [2]]}, "causal": False},
            "e4ccaef578cb206694835714d6b426d3",
        ),
        (
            {"text": TEXT, "model": {"source": "crafted", "name": "all"}, "scale": 0.5},
            "68c5127b1370d5045b864069d7f93949",
        ),
    ]
    for body, name in cases:
        with subtests.test(body=body):
            assert question(**body).id() == name


def test_what_changes_the_answer_changes_the_name() -> None:
    bodies: list[dict[str, Any]] = [
        {}, {"causal": False}, {"window": 2}, {"prefix": 1}, {"global_tokens": 1}, {"stride": 2},
        {"block_size": 2}, {"blocked": [[0, 0]]},
        {"scale": "none"}, {"scale": 2.0}, {"temperature": 2.0}, {"dtype": "float32"},
        {"tokenizer": "characters"}, {"context_length": 9}, {"model": {"seed": 1}},
        {"model": {"bias": True}}, {"model": {"positions": "none"}}, {"context": "b"},
        {"context": "c"}, {"context_tokens": ["b"]}, {"context_x": [[1.0]]},
    ]  # fmt: skip
    for body in bodies:
        if "model" in body:
            body["model"]["source"] = "seeded"
    bodies += [
        {"model": {**EXPLICIT, "positions": positions}}
        for positions in ("none", "sinusoidal", "rotary", "alibi")
    ]
    ids = {question(text=TEXT, **body).id() for body in bodies}
    assert len(ids | {question(text=TEXT + " ").id()}) == len(bodies) + 1


def test_how_numbers_are_written_changes_no_name() -> None:
    whole = question(x=[[1, 2]], scale=1, temperature=2)
    assert whole.id() == question(x=[[1.0, 2.0]], scale=1.0, temperature=2.0).id()


def test_minus_zero_is_zero_as_browsers_write_it() -> None:
    below, zero = (question(x=[[value, 1.0]]) for value in (-0.0, 0.0))
    assert below.id() == zero.id()
    assert below.x is not None
    assert math.copysign(1.0, below.x[0, 0]) == 1.0


def test_what_part_of_the_answer_is_sent_is_no_part_of_the_question() -> None:
    asked = AttentionRequest.model_validate({"text": TEXT, "stages": ["q"], "parameters": True})
    assert asked.id() == question(text=TEXT).id()


def test_the_formulas_of_a_model_follow_its_positions(subtests: pytest.Subtests) -> None:
    cases = [
        ("none", {"unplaced"}),
        ("sinusoidal", set()),
        ("learned", {"learned"}),
        ("rotary", {"rotary"}),
        ("alibi", {"alibi"}),
    ]
    for positions, words in cases:
        with subtests.test(positions):
            for model in ({"source": "seeded"}, {**EXPLICIT, **WIDE}):
                plan = ask({"text": "a b", "model": {**model, "positions": positions}}).plan
                holds = formula_words(plan)
                assert holds - {"unprojected"} == {"sqrt_d_k", "attention", *words}


def test_a_question_comes_back_from_its_json(subtests: pytest.Subtests) -> None:
    for seed in range(400, 420):
        with subtests.test(seed=seed):
            asked = question(**random_question(seed))
            again = Question.model_validate(json.loads(json.dumps(asked.plain())))
            assert again.id() == asked.id()
            assert again.plain() == asked.plain()


MEANINGLESS: list[Any] = [
    ({"temperature": 0}, ("temperature",)),
    ({"temperature": -1}, ("temperature",)),
    ({"temperature": math.inf}, ("temperature",)),
    ({"temperature": "1"}, ("temperature",)),
    ({"window": 0}, ("window",)),
    ({"window": 1.5}, ("window",)),
    ({"prefix": -1}, ("prefix",)),
    ({"context_length": 0}, ("context_length",)),
    ({"blocked": [[0]]}, ("blocked", 0)),
    ({"blocked": [[0, 1, 2]]}, ("blocked", 0)),
    ({"blocked": [[0, -1]]}, ("blocked", 0, 1)),
    ({"causal": "yes"}, ("causal",)),
    ({"dtype": "float8"}, ("dtype",)),
    ({"tokenizer": "pieces"}, ("tokenizer",)),
    ({"sentence": "a"}, ("sentence",)),
    ({"text": 3}, ("text", "str")),
    ({"model": {"source": "magic"}}, ("model",)),
    ({"model": {"source": "seeded", "seed": -1}}, ("model", "seeded", "seed")),
    ({"model": {"source": "seeded", "seed": MAX_SEED + 1}}, ("model", "seeded", "seed")),
    ({"model": {"source": "seeded", "num_heads": "4"}}, ("model", "seeded", "num_heads")),
    ({"model": {"source": "seeded", "num_heads": True}}, ("model", "seeded", "num_heads")),
    ({"model": {"source": "seeded", "heads": 4}}, ("model", "seeded", "heads")),
    ({"model": {**EXPLICIT, "positions": "absolute"}}, ("model", "explicit", "positions")),
    ({"model": {"source": "crafted", "name": "copying"}}, ("model", "crafted", "name")),
]


def test_a_field_that_means_nothing_is_refused_at_its_place(subtests: pytest.Subtests) -> None:
    for body, at in MEANINGLESS:
        with subtests.test(body=body):
            with pytest.raises(ValidationError) as error:
                question(**{"text": "a", **body})
            assert at in [each["loc"] for each in error.value.errors()]


def drawn(body: Body) -> set[tuple[str, object]]:
    """The options of a question and their values; of numbers, whether there are any."""
    said = {**body.pop("model"), **body}
    named = {key: one for key, one in said.items() if isinstance(one, str | bool | None)}
    return {*named.items(), *((key, bool(one)) for key, one in said.items() if key not in named)}


def test_the_covering_seeds_draw_every_value_of_every_option() -> None:
    for question_of in (random_question, cross_question, patterned_question):
        every = set().union(*(drawn(question_of(seed)) for seed in range(100)))
        some = set().union(*(drawn(question_of(seed)) for seed in COVERING))
        assert every - some == set()


def test_a_question_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        question(text="a").temperature = 2.0  # type: ignore[misc]
