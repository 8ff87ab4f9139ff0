"""GET /traces/{id}/decode and GET /traces/{id}/sharing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.admission import Queue
from tests.web.client import TRACES, ask, refused
from tests.web.conftest import MakeClient

MODEL = {"source": "seeded", "num_heads": 4, "num_kv_heads": 2, "num_layers": 2}
TEXT = "one two three four five"


def decoded(client: TestClient, trace: str, **query: Any) -> Any:
    response = client.get(f"{TRACES}/{trace}/decode", params=query)
    assert response.status_code == 200, response.text[:400]
    return response.json()


def test_every_step_says_what_is_new_and_what_was_cached(client: TestClient) -> None:
    answer = ask(client, text=TEXT, model=MODEL)
    reply = decoded(client, answer["trace"], layer=1)
    assert reply["num_steps"] == len(reply["steps"]) == 5
    assert reply["equal_to_full"] < 1e-12
    full = {name: np.array(answer["layers"][1][name])[0] for name in ("q", "k", "v", "weights")}
    for t, step in enumerate(reply["steps"]):
        assert (step["rows"], step["cached"], step["prefill"]) == ([t, t + 1], t, False)
        assert step["tokens"] == [TEXT.split()[t]]
        assert step["q"] == pytest.approx(full["q"][:, t : t + 1], abs=1e-12)
        assert step["k"] == pytest.approx(full["k"][:, : t + 1], abs=1e-12)
        assert step["v"] == pytest.approx(full["v"][:, : t + 1], abs=1e-12)
        assert step["weights"] == pytest.approx(full["weights"][:, t : t + 1, : t + 1], abs=1e-12)
        assert step["cache_bytes"] == (t + 1) * 2 * 2 * 32 * 8


def test_a_prefill_takes_the_prompt_at_once(client: TestClient) -> None:
    trace = ask(client, text=TEXT, model=MODEL)["trace"]
    reply = decoded(client, trace, prefill=3)
    assert [step["rows"] for step in reply["steps"]] == [[0, 3], [3, 4], [4, 5]]
    assert [step["prefill"] for step in reply["steps"]] == [True, False, False]
    assert reply["equal_to_full"] < 1e-12


def test_caches_of_mha_gqa_and_mqa_stand_side_by_side(client: TestClient) -> None:
    cache = decoded(client, ask(client, text=TEXT, model=MODEL)["trace"])["cache"]
    assert (cache["bytes_per_row"], cache["num_layers"]) == (32 * 8, 2)
    last = {one["name"]: one["bytes"][-1] for one in cache["variants"]}
    assert last == {"mha": 10240, "gqa": 5120, "mqa": 2560}
    assert [one["own"] for one in cache["variants"]] == [False, True, False]


def test_one_head_and_some_steps_can_be_chosen(client: TestClient) -> None:
    trace = ask(client, text=TEXT, model=MODEL)["trace"]
    whole = decoded(client, trace)
    reply = decoded(client, trace, head=3, steps="2:4")
    assert [step["step"] for step in reply["steps"]] == [2, 3]
    assert reply["num_steps"] == 5
    for step in reply["steps"]:
        full = whole["steps"][step["step"]]
        assert step["q"] == [full["q"][3]]
        assert step["k"] == [full["k"][1]]
        assert step["output"] == full["output"]


@pytest.mark.parametrize("body", [{"causal": False}, {"context": "ask me"}])
def test_only_causal_questions_are_decoded(client: TestClient, body: dict[str, Any]) -> None:
    url = f"{TRACES}/{ask(client, text=TEXT, **body)['trace']}/decode"
    refused(client, {"method": "GET", "url": url}, 422, "invalid_request")


def test_what_is_not_there_is_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        {"layer": 2},
        {"head": 4},
        {"batch": 1},
        {"prefill": 6},
        {"prefill": -1},
        {"steps": "5:"},
    ]
    for query in cases:
        with subtests.test(query=query):
            url = f"{TRACES}/{ask(client, text=TEXT, model=MODEL)['trace']}/decode"
            body = refused(
                client, {"method": "GET", "url": url, "params": query}, 422, "invalid_request"
            )
            assert body["errors"][0]["at"] == next(iter(query))


def test_a_reply_of_too_many_numbers_is_refused_and_one_head_is_not(
    make_client: MakeClient,
) -> None:
    client = make_client(max_json_numbers=1000)
    trace = client.post(TRACES, json={"text": TEXT}).json()["trace"]
    url = f"{TRACES}/{trace}/decode"
    refused(client, {"method": "GET", "url": url}, 413, "too_large")
    assert decoded(client, trace, head=0, steps="0:2")["equal_to_full"] < 1e-12


@pytest.mark.parametrize("query", [{"steps": "38:40"}, {"prefill": 30, "steps": "0:2"}])
def test_as_many_numbers_are_expected_as_the_steps_have(
    make_client: MakeClient, query: dict[str, Any]
) -> None:
    question = {"text": "word " * 40, "model": MODEL}

    def asking(**limits: int) -> tuple[TestClient, str]:
        client = make_client(**limits)
        return client, client.post(TRACES, json=question).json()["trace"]

    client, trace = asking()
    names = ("q", "k", "v", "weights", "head_outputs", "output")
    steps = decoded(client, trace, **query)["steps"]
    count = sum(np.array(step[name]).size for step in steps for name in names)
    client, trace = asking(max_json_numbers=count)
    assert decoded(client, trace, **query)["steps"] == steps
    client, trace = asking(max_json_numbers=count - 1)
    url = f"{TRACES}/{trace}/decode"
    refused(client, {"method": "GET", "url": url, "params": query}, 413, "too_large")


def test_shared_heads_say_what_they_save_and_cost(client: TestClient) -> None:
    trace = ask(client, text=TEXT, model={**MODEL, "num_kv_heads": 4})["trace"]
    reply = client.get(f"{TRACES}/{trace}/sharing", params={"layer": 1}).json()
    rows = reply["variants"]
    assert [(one["name"], one["num_kv_heads"]) for one in rows] == [
        ("mha", 4), ("gqa", 2), ("mqa", 1),
    ]  # fmt: skip
    assert rows[0]["relative_error"] < 1e-12 < 0.01 < rows[1]["relative_error"]
    assert [one["cache_bytes"] for one in rows] == [10240, 5120, 2560]


@pytest.mark.parametrize("query", [{"layer": 2}, {"batch": 1}])
def test_a_place_that_is_not_there_shares_nothing(
    client: TestClient, query: dict[str, Any]
) -> None:
    url = f"{TRACES}/{ask(client, text=TEXT, model=MODEL)['trace']}/sharing"
    refused(client, {"method": "GET", "url": url, "params": query}, 422, "invalid_request")


def test_a_small_question_needs_no_slot(make_client: MakeClient) -> None:
    client = make_client()
    client.app.state.admission.queues["large"] = Queue(0, 0)  # type: ignore[attr-defined]
    trace = client.post("/api/v1/traces", json={"text": "one two three"}).json()["trace"]
    assert client.get(f"/api/v1/traces/{trace}/decode").status_code == 200
    assert client.get(f"/api/v1/traces/{trace}/precision").status_code == 200
