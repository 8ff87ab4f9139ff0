"""POST /training: losses, snapshots that are models, progress, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import ATTENTION, TRACES, Body, problem_of, refused

TRAINING = "/api/v1/training"
ASKED = {"task": "copy", "steps": 20, "rate": 0.3, "seed": 2}
EVENTS = {"Accept": "text/event-stream"}


def trained(client: TestClient, **asked: object) -> Body:
    response = client.post(TRAINING, json={**ASKED, **asked})
    assert response.status_code == 200, response.text
    body: Body = response.json()
    return body


def events(text: str) -> list[tuple[str, Body]]:
    """Name and data of every event; comments are none."""
    blocks = [block.splitlines() for block in text.split("\n\n") if block and block[0] != ":"]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
            for name, data in blocks]  # fmt: skip


def test_the_loss_falls_and_each_snapshot_is_a_trace(client: TestClient) -> None:
    body = trained(client, snapshots=4)
    assert len(body["losses"]) == 20
    assert body["losses"][-1] < body["losses"][0]
    assert body["guessing"] == math.log(8)
    assert [one["step"] for one in body["snapshots"]] == [0, 5, 10, 15, 20]
    for one in body["snapshots"]:
        named = {name: ASKED[name] for name in ("task", "rate", "seed")}
        assert one["model"] == {"source": "trained", **named, "step": one["step"]}
        assert set(one["gradients"]) == {"w_q", "w_k", "w_v", "w_o"}
        assert client.get(f"{TRACES}/{one['trace']}").json()["tokens"] == [body["text"].split()]
        reply = client.post(ATTENTION, json={"model": one["model"], "stages": ["weights"]}).json()
        assert reply["trace"] == one["trace"]


def test_the_same_seed_gives_the_same_reply_and_another_does_not(client: TestClient) -> None:
    once = trained(client, steps=3)
    assert trained(client, steps=3) == once
    assert trained(client, steps=3, seed=3)["losses"] != once["losses"]


def test_progress_comes_first_and_the_reply_is_the_last_event(client: TestClient) -> None:
    response = client.post(TRAINING, json={**ASKED, "steps": 40}, headers=EVENTS)
    assert response.headers["content-type"].startswith("text/event-stream")
    *progress, (name, reply) = events(response.text)
    assert progress
    assert {event for event, _ in progress} == {"progress"}
    steps = [data["step"] for _, data in progress]
    assert steps == sorted(steps)
    assert all(data["steps"] == 40 and data["loss"] > 0 for _, data in progress)
    assert (name, reply) == ("reply", trained(client, steps=40))


def test_a_training_that_diverges_says_where(client: TestClient) -> None:
    body = trained(client, rate=8, steps=100)
    at = body["diverged_at"]
    assert at == len(body["losses"]) - 1 == body["snapshots"][-1]["step"] < 10
    assert None not in body["losses"][:at]
    last = body["snapshots"][-1]
    assert client.get(f"{TRACES}/{last['trace']}").status_code == 200
    asked = {"model": {**last["model"], "step": at + 1}}
    request = {"method": "POST", "url": ATTENTION, "json": asked}
    assert f"diverged at step {at}" in refused(client, request, 422, "invalid_request")["detail"]


def test_what_is_not_trained_here_is_refused_with_a_sentence(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases: list[Any] = [
        ({"steps": 1001}, 413, "too_large"),
        ({"length": 9}, 413, "too_large"),
        ({"task": "agree", "length": 1}, 422, "invalid_request"),
        ({"task": "sort"}, 422, "invalid_request"),
        ({"rate": 0}, 422, "invalid_request"),
        ({"steps": 0}, 422, "invalid_request"),
        ({"snapshots": 101}, 422, "invalid_request"),
    ]
    for body, status, code in cases:
        with subtests.test(body=body, status=status):
            asked = {"method": "POST", "url": TRAINING, "json": {**ASKED, **body}}
            refused(client, asked, status, code)
            refused(client, {**asked, "headers": EVENTS}, status, code)


def test_a_media_type_that_is_not_sent_is_refused(client: TestClient) -> None:
    response = client.post(TRAINING, json=ASKED, headers={"Accept": "image/png"})
    problem_of(response, 406, "not_acceptable")


def test_a_trained_model_goes_on_with_its_positions(client: TestClient) -> None:
    model = {"source": "trained", "task": "reverse", "rate": 1.0, "step": 25}
    trace = client.post(TRACES, json={"text": "b f a c |", "model": model}).json()["trace"]
    said = client.post(f"{TRACES}/{trace}/continuations", json={"tokens": 3}).json()
    assert said["pieces"] == ["c", "a", "f"]
