"""Heads dropped in turn over REST: progress, some heads alone, what is refused."""

from __future__ import annotations

from functools import partial

import pytest
from fastapi.testclient import TestClient

from attnscope.analysis import ablations
from attnscope.analysis.ablations import ablate_in_groups, steps_of
from tests.installed.asking import echo
from tests.web.api_v1.test_predictions import traced
from tests.web.api_v1.test_training import events
from tests.web.client import TRACES, problem_of

EVENTS = {"Accept": "text/event-stream"}


def test_progress_names_each_head_once_and_the_reply_is_that_without_events(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_groups = partial(
        ablate_in_groups, first=1, most=2
    )  # no shipped model has two groups of heads
    monkeypatch.setattr("attnscope.web.api_v1.ablations.ablate_in_groups", in_groups)
    address = f"{TRACES}/{traced(client)}/ablations?position=3"
    whole = client.get(address).json()
    every = [one for layer in whole["heads"] for one in layer]
    reply = client.get(address, headers=EVENTS)
    assert reply.headers["content-type"].startswith("text/event-stream")
    *progress, (name, last) = events(reply.text)
    assert (name, last) == ("reply", whole)
    found = {}
    for name, news in progress:
        assert name == "progress"
        assert {key: news[key] for key in ("position", "token", "log_probability")} == {
            key: whole[key] for key in ("position", "token", "log_probability")
        }
        for one in news["heads"]:
            at = one.pop("layer"), one.pop("head")
            assert at not in found
            assert one == whole["heads"][at[0]][at[1]]
            found[at] = one
        assert (news["done"], news["of"]) == (len(found), len(every))


def test_the_strongest_heads_alone(client: TestClient) -> None:
    trace = f"{TRACES}/{traced(client)}"
    whole = client.get(f"{trace}/ablations").json()["heads"]
    parts = client.get(f"{trace}/contributions").json()["heads"]
    at = max(
        ((i, h) for i, layer in enumerate(parts) for h in range(len(layer))),
        key=lambda at: abs(parts[at[0]][at[1]]),
    )
    some = client.get(f"{trace}/ablations?strongest=1").json()["heads"]
    nothing = {"log_probability": None, "change": None}
    for i, layer in enumerate(some):
        for h, one in enumerate(layer):
            assert one == (whole[i][h] if (i, h) == at else nothing)
    problem_of(client.get(f"{trace}/ablations?strongest=0"), 422, "invalid_request")


def test_all_heads_of_a_long_text_are_refused_and_the_strongest_are_not(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = f"{TRACES}/{traced(client)}"
    monkeypatch.setattr(ablations, "MOST_STEPS", sum(steps_of(echo().plan)) - 1)
    problem = problem_of(client.get(f"{trace}/ablations", headers=EVENTS), 413, "too_large")
    assert "strongest=10" in problem["detail"]
    assert client.get(f"{trace}/ablations?strongest=1").status_code == 200
