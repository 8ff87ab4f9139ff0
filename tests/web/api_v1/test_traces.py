"""Traces, piece by piece: each piece is the one of POST /attention, from any worker."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load
from starlette.datastructures import QueryParams

from attnscope.trace.stages import BY_NAME, NAMES, STAGES
from attnscope.web.http.replies import RELEASE
from tests.web.client import ATTENTION, JSON, SAFETENSORS, TRACES, array, ask, problem_of, refused
from tests.web.conftest import MakeClient

MODEL = {"source": "seeded", "d_model": 6, "num_kv_heads": 2, "d_k": 3, "d_v": 5,
         "num_layers": 2, "bias": True}  # fmt: skip
QUESTION: dict[str, Any] = {"text": ["a b c", "d"], "model": MODEL, "window": 2}
PLACE = {"layer": 1, "head": 1, "batch": 0}


@pytest.fixture(scope="module")
def whole(client: TestClient) -> dict[str, Any]:
    """The reply of POST /attention, with its parameters."""
    return ask(client, **QUESTION, parameters=True)


def get(client: TestClient, whole: dict[str, Any], path: str = "", **query: Any) -> Any:
    return client.get(f"{TRACES}/{whole['trace']}{path}", params=query)


def part(whole: dict[str, Any], stage: str, layer: int, head: int, batch: int) -> Any:
    """The last two axes of a stage or parameter."""
    stages = whole["layers"][layer]
    if stage not in stages:
        values = stages["parameters"][stage]
        return values if isinstance(values[0], list) else [values]
    values = stages[stage][batch]
    return values[head] if BY_NAME[stage].head_axis else values


def test_a_trace_is_made_at_a_place_of_its_own(client: TestClient, whole: dict[str, Any]) -> None:
    response = client.post(TRACES, json=QUESTION)
    assert response.status_code == 201
    made = response.json()
    assert response.headers["location"] == f"{TRACES}/{made['trace']}"
    assert "etag" not in response.headers
    assert response.headers["cache-control"] == "no-store"
    assert list(made) == [name for name in whole if name != "layers"]
    assert {**made, "layers": whole["layers"]} == whole
    got = client.get(response.headers["location"])
    assert (got.status_code, got.json()) == (200, made)


def test_the_question_of_a_trace_leads_back_to_it(
    client: TestClient, whole: dict[str, Any]
) -> None:
    question = get(client, whole, "/question").json()
    assert question == QUESTION
    assert client.post(TRACES, json=question).json()["trace"] == whole["trace"]


def test_every_kind_of_question_comes_back_as_the_same_question(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        {"text": "a"},
        {"text": ["猫", "👨‍👩‍👧"], "tokenizer": "characters", "context_length": 4},
        {"x": [[1, 2.5e-300], [-0.0, 3]], "tokens": ["p", "q"], "blocked": [[1, 0]],
         "model": {"source": "seeded", "d_model": 2, "num_heads": 1}},
        {"x": [[[1]]], "scale": 0.1, "temperature": 0.3, "causal": False, "prefix": 0,
         "model": {"source": "explicit", "w_q": [[0.1]], "w_k": [[1]], "w_v": [[2]], "b_v": [3]}},
        {"tokens": [["a"], ["b", "c"]], "model": {"source": "crafted", "name": "all"}},
    ]  # fmt: skip
    for question in cases:
        with subtests.test(question=question):
            made = client.post(TRACES, json=question).json()
            back = client.get(f"{TRACES}/{made['trace']}/question").json()
            again = client.post(ATTENTION, json=back).json()
            assert again["trace"] == made["trace"]
            assert again["lengths"] == made["lengths"]


def test_a_block_is_a_part_of_the_stage(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for stage in [*NAMES, "w_q", "w_k", "w_v", "w_o", "b_q", "b_o"]:
        with subtests.test(stage):
            block = get(client, whole, f"/stages/{stage}", **PLACE).json()
            values = part(whole, stage, **PLACE)
            assert list(block) == ["stage", "layer", "head", "rows", "cols", "values"]
            assert (block["stage"], block["layer"]) == (stage, 1)
            assert block["head"] == (1 if BY_NAME[stage].head_axis else None)
            assert (block["rows"], block["cols"]) == ([0, len(values)], [0, len(values[0])])
            assert block["values"] == values


def test_rows_and_cols_cut_a_block(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    cases = [
        (":", ":", ([0, 3], [0, 3])),
        ("1:", ":2", ([1, 3], [0, 2])),
        ("0:1", "2:3", ([0, 1], [2, 3])),
        ("1:99", "2:64", ([1, 3], [2, 3])),
        (" 0 : 2 ", ":", ([0, 2], [0, 3])),
    ]
    for rows, cols, expected in cases:
        with subtests.test(rows, cols=cols):
            block = get(
                client, whole, "/stages/masked_scores", rows=rows, cols=cols, **PLACE
            ).json()
            assert (block["rows"], block["cols"]) == expected
            (top, bottom), (left, right) = expected
            values = part(whole, "masked_scores", **PLACE)
            assert block["values"] == [row[left:right] for row in values[top:bottom]]


def test_a_span_that_holds_nothing_is_refused(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    cases = ["3:", "2:2", "2:1", "-1:", "a:b", "1", "", "1:2:3", "1.5:2", "٣:", "9" * 5000 + ":"]
    for axis, span in product(("rows", "cols"), cases):
        with subtests.test(axis, span=span):
            response = get(client, whole, "/stages/scores", **{axis: span})
            assert problem_of(response, 422, "invalid_request")["errors"][0]["at"] == axis


def test_a_block_can_be_had_raw(client: TestClient, whole: dict[str, Any]) -> None:
    url = f"{TRACES}/{whole['trace']}/stages/masked_scores"
    response = client.get(url, params=PLACE, headers={"Accept": SAFETENSORS})
    assert response.headers["content-type"] == SAFETENSORS
    values = array(part(whole, "masked_scores", **PLACE))
    expected = np.where(np.isnan(values), -np.inf, values)
    np.testing.assert_array_equal(load(response.content)["layers.1.masked_scores"], expected)
    length = int.from_bytes(response.content[:8], "little")
    about = json.loads(json.loads(response.content[8 : 8 + length])["__metadata__"]["attnscope"])
    assert about["rows"] == about["cols"] == [0, 3]


def test_a_cell_says_how_it_was_made(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for stage in STAGES:
        with subtests.test(stage.name):
            cell = get(client, whole, f"/cells/{stage.name}", row=2, col=1, **PLACE).json()
            assert list(cell) == ["value", "formula", "mathml", "steps", "masked_because"]
            assert cell["value"] == part(whole, stage.name, **PLACE)[2][1]
            assert cell["formula"] == stage.formula_for(set(whole["holds"]), PLACE["layer"]).formula
            biases = {"q": "b_q", "k": "b_k", "v": "b_v", "output": "b_o"}  # this model has them
            assert cell["formula"].endswith(f"+ {biases.get(stage.name)}") == (stage.name in biases)
            assert cell["mathml"].startswith("<math")
            assert cell["masked_because"] is None
            assert cell["steps"][-1]["stage"] == stage.name
            assert cell["steps"][-1]["value"] == cell["value"]
            for step in cell["steps"]:
                assert step["expression"]
                assert step["operands"]
                for operand in step["operands"]:
                    assert {"stage", "row", "col", "value"} <= set(operand)


def test_the_operands_of_a_score_are_cells_whose_products_make_it(
    client: TestClient, whole: dict[str, Any]
) -> None:
    cell = get(client, whole, "/cells/scores", row=2, col=1, **{**PLACE, "head": 3}).json()
    (step,) = cell["steps"]
    assert (step["left"], step["right"], step["bias"]) == ([0, 3], [3, 6], None)
    left, right = (step["operands"][slice(*step[side])] for side in ("left", "right"))
    assert step["short"] == step["expression"], "three terms are seen at a glance"
    assert {o["stage"] for o in left} == {"q"}
    assert {(o["stage"], o["head"], o["row"]) for o in right} == {("k", 1, 1)}
    total = sum(a["value"] * b["value"] for a, b in zip(left, right, strict=True))
    assert total == pytest.approx(cell["value"], abs=1e-14)
    for operand in step["operands"]:
        query = {name: operand[name] for name in ("layer", "head", "row", "col")}
        at = get(client, whole, f"/cells/{operand['stage']}", **query).json()
        assert at["value"] == operand["value"]


def test_a_masked_cell_explains_itself(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    cases = [
        (0, 2, 0, "causal", "因果"),
        (2, 0, 0, "window of 2", "窗"),
        (2, 2, 1, "padding", "填充"),
    ]
    for row, col, batch, english, chinese in cases:
        with subtests.test(row=row):
            for language, word in (("en", english), ("zh", chinese)):
                response = client.get(
                    f"{TRACES}/{whole['trace']}/cells/masked_scores",
                    params={"row": row, "col": col, "batch": batch},
                    headers={"Accept-Language": language},
                )
                cell = response.json()
                assert cell["value"] is None
                assert word in cell["masked_because"]
                assert "{" not in cell["masked_because"]
            weight = get(client, whole, "/cells/weights", row=row, col=col, batch=batch).json()
            assert weight["value"] == 0
            assert weight["masked_because"]


def test_a_place_outside_the_trace_is_refused(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    cases: list[Any] = [
        ("/stages/q", {"layer": 2}, "layer"),
        ("/stages/q", {"head": 4}, "head"),
        ("/stages/k", {"head": 2}, "head"),
        ("/stages/x", {"batch": 2}, "batch"),
        ("/stages/x", {"batch": -1}, "batch"),
        ("/stages/x", {"layer": "one"}, "layer"),
        ("/stages/x", {"layer": 10**30}, "layer"),
        ("/cells/x", {"row": 3, "col": 0}, "row"),
        ("/cells/x", {"row": 0, "col": 6}, "col"),
        ("/cells/x", {"row": 0}, "col"),
        ("/cells/x", {"row": 0, "col": -1}, "col"),
    ]
    for path, query, at in cases:
        with subtests.test(path):
            response = get(client, whole, path, **query)
            assert problem_of(response, 422, "invalid_request")["errors"][0]["at"] == at


def test_an_unknown_stage_is_refused_with_those_there_are(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for stage, path in product(
        ("weight", "Q", "%00", "parameters", "%f0%9f%90%9f"),
        ("/stages/{}", "/cells/{}?row=0&col=0", "/export?stages=x,{}"),
    ):
        with subtests.test(stage, path=path):
            url = f"{TRACES}/{whole['trace']}{path.format(stage)}"
            body = refused(client, {"method": "GET", "url": url}, 404, "unknown_stage")
            assert all(name in body["detail"] for name in NAMES)


def test_an_unknown_trace_is_not_found(client: TestClient, subtests: pytest.Subtests) -> None:
    for trace, path in product(
        ("0" * 32, "nope", "%00", "..", "A" * 3000, "' OR 1=1"),
        ("", "/question", "/stages/x", "/cells/x?row=0&col=0", "/export"),
    ):
        with subtests.test(trace, path=path):
            response = client.get(f"{TRACES}/{trace}{path}")
            code = "not_found" if trace == ".." else "unknown_trace"
            problem_of(response, 404, code)


def test_an_answer_is_kept_and_asked_about(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for path in ("", "/question", "/stages/x", "/cells/x?row=0&col=0", "/export?format=npz"):
        with subtests.test(path):
            url = f"{TRACES}/{whole['trace']}{path}"
            response = client.get(url)
            assert response.status_code == 200
            assert re.fullmatch(r'W/"[0-9a-f]{32}"', response.headers["etag"])
            assert response.headers["cache-control"] == "private, no-cache"
            assert response.headers["vary"] == "Accept, Accept-Language, Accept-Encoding"
            held = client.get(
                url, headers={"If-None-Match": f'"other", {response.headers["etag"]}'}
            )
            assert (held.status_code, held.content) == (304, b"")
            assert held.headers["etag"] == response.headers["etag"]
            assert client.get(url, headers={"If-None-Match": '"other"'}).status_code == 200


def test_an_answer_under_an_address_of_this_release_is_kept_for_ever(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    def kept(path: str, release: str) -> str:
        url = f"{TRACES}/{whole['trace']}{path}"
        said = client.get(url, params={**QueryParams(path.partition("?")[2]), "release": release})
        assert said.status_code == 200
        return said.headers["cache-control"]

    for path in ("", "/stages/x", "/cells/x?row=0&col=0", "/heads"):
        with subtests.test(path):
            assert kept(path, RELEASE) == "private, max-age=31536000, immutable"
            assert kept(path, "0.0.1") == kept(path, "") == "private, no-cache"


def test_every_representation_has_a_tag_of_its_own(
    client: TestClient, whole: dict[str, Any]
) -> None:
    url = f"{TRACES}/{whole['trace']}"
    cell = "/cells/masked_scores?row=0&col=1"
    asked: list[tuple[str, dict[str, str]]] = [
        (cell, {"Accept-Language": "en"}),
        (cell, {"Accept-Language": "zh"}),
        (f"{cell}&head=1", {"Accept-Language": "en"}),
        ("/stages/x", {"Accept": JSON}),
        ("/stages/x", {"Accept": SAFETENSORS}),
        ("/stages/x?format=safetensors", {}),
        ("/stages/x?rows=0:1", {}),
        ("", {}),
        ("/question", {}),
    ]
    replies = [client.get(f"{url}{path}", headers=headers) for path, headers in asked]
    tags = [reply.headers["etag"] for reply in replies]
    assert len(set(tags)) == len(asked)
    for (path, headers), tag in zip(asked, tags, strict=True):
        for held in tags:
            again = client.get(f"{url}{path}", headers={**headers, "If-None-Match": held})
            assert again.status_code == (304 if held == tag else 200)


def test_the_sentence_of_a_cell_follows_the_language_though_another_is_held(
    client: TestClient, whole: dict[str, Any]
) -> None:
    url = f"{TRACES}/{whole['trace']}/cells/masked_scores?row=0&col=1"
    english = client.get(url, headers={"Accept-Language": "en"})
    held = {"If-None-Match": english.headers["etag"]}
    chinese = client.get(url, headers={"Accept-Language": "zh", **held})
    assert chinese.status_code == 200
    assert chinese.json()["masked_because"] != english.json()["masked_because"]


def test_another_worker_answers_for_the_first(make_client: MakeClient) -> None:
    first, second = make_client(), make_client()
    whole = ask(first, **QUESTION)
    block = get(second, whole, "/stages/weights", **PLACE).json()
    assert block["values"] == part(whole, "weights", **PLACE)
    assert get(second, whole).json()["shape"] == whole["shape"]


def test_what_memory_forgot_is_computed_again(make_client: MakeClient) -> None:
    client = make_client(cache_mb=0)
    whole = ask(client, **QUESTION)
    block = get(client, whole, "/stages/output", **PLACE).json()
    assert block["values"] == part(whole, "output", **PLACE)


def test_a_choice_that_is_not_there_makes_no_trace(client: TestClient) -> None:
    for choice in ({"layers": [1]}, {"heads": [4]}):
        problem_of(client.post(TRACES, json={"text": "a", **choice}), 422, "invalid_request")
    problem_of(client.post(TRACES, json={"text": "a", "stages": ["y"]}), 404, "unknown_stage")


def test_a_trace_with_a_context_has_its_pieces(client: TestClient) -> None:
    body = {"text": ["a b", "c"], "context": ["d e f", "g"], "model": MODEL}
    whole = ask(client, **body, stages=["context", "weights", "k"])
    assert get(client, whole, "/question").json() == body
    about = get(client, whole).json()
    assert about["context_tokens"] == [["d", "e", "f"], ["g", None, None]]
    assert about["context_lengths"] == [3, 1]
    block = get(client, whole, "/stages/context", layer=1, rows="1:3").json()
    assert (block["head"], block["rows"], block["cols"]) == (None, [1, 3], [0, 6])
    assert block["values"] == whole["layers"][1]["context"][0][1:3]
    cell = get(client, whole, "/cells/k", row=2, col=0).json()
    assert "Z" in cell["mathml"]
    assert {operand["stage"] for operand in cell["steps"][0]["operands"]} == {
        "context", "w_k", "b_k",
    }  # fmt: skip
    closed = get(client, whole, "/cells/weights", batch=1, row=0, col=2).json()
    assert closed["masked_because"] == "Masked: key 2 is padding, the context ends at position 1."
    padded = get(client, whole, "/cells/weights", batch=1, row=1, col=0).json()
    assert padded["masked_because"].startswith("Masked: query 1 is padding, the text ends")
    missing = ask(client, text="a")
    problem_of(get(client, missing, "/stages/context"), 404, "unknown_stage")
