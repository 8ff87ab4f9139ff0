"""GET /laboratory/scaling and GET /traces/{id}/scaling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.web.client import TRACES, ask, refused

LABORATORY = "/api/v1/laboratory/scaling"


def test_the_laboratory_has_every_width_with_and_without_the_scale(client: TestClient) -> None:
    reply = client.get(LABORATORY, params={"seed": 7, "n": 8, "samples": 64}).json()
    assert (reply["seed"], reply["n"], reply["samples"]) == (7, 8, 64)
    assert [w["d_k"] for w in reply["widths"] if not w["scaled"]] == [2**i for i in range(11)]
    assert reply["uniform"]["entropy"] == pytest.approx(math.log(8))
    assert reply["widths"][-1]["figures"]["largest"] > reply["widths"][-2]["figures"]["largest"]


def test_the_laboratory_answers_the_same_again_or_not_at_all(client: TestClient) -> None:
    first, second = (client.get(LABORATORY) for _ in range(2))
    assert first.json() == second.json()
    held = client.get(LABORATORY, headers={"If-None-Match": first.headers["etag"]})
    assert held.status_code == 304
    assert first.headers["etag"] != client.get(f"{LABORATORY}?seed=1").headers["etag"]


def test_numbers_out_of_range_are_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    for query in ({"n": 0}, {"samples": 0}, {"seed": -1}, {"seed": 2**53}):
        with subtests.test(query=query):
            request = {"method": "GET", "url": LABORATORY, "params": query}
            body = refused(client, request, 422, "invalid_request")
            assert body["errors"][0]["at"] == next(iter(query))


def test_too_many_pairs_are_refused(client: TestClient) -> None:
    request = {"method": "GET", "url": LABORATORY, "params": {"n": 16384, "samples": 2}}
    refused(client, request, 413, "too_large")


def test_a_trace_is_swept_through_the_temperatures(client: TestClient) -> None:
    answer = ask(client, text="one two three four")
    reply = client.get(f"{TRACES}/{answer['trace']}/scaling", params={"head": 1}).json()
    assert (reply["d_k"], reply["head"]) == (16, 1)
    (as_it_is,) = [row for row in reply["factors"] if row["factor"] == 1]
    weights = np.array(answer["layers"][0]["weights"])[0, 1]
    entropies = [-sum(a * math.log(a) for a in row if a > 0) for row in weights]
    assert as_it_is["figures"]["entropy"] == pytest.approx(np.mean(entropies))
    assert as_it_is["scale"] == 0.25
    (unscaled,) = [row for row in reply["factors"] if row["unscaled"]]
    assert (unscaled["factor"], unscaled["scale"]) == (4, 1)
    factors = [row["factor"] for row in reply["factors"]]
    assert factors == sorted(factors)


def test_a_place_that_is_not_there_is_refused(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    url = f"{TRACES}/{ask(client, text='one')['trace']}/scaling"
    for query in ({"layer": 1}, {"head": 4}, {"batch": 1}):
        with subtests.test(query=query):
            request = {"method": "GET", "url": url, "params": query}
            body = refused(client, request, 422, "invalid_request")
            assert body["errors"][0]["at"] == next(iter(query))


def test_padding_counts_in_no_figure(client: TestClient) -> None:
    def figures(text: object, **options: object) -> dict[float, dict[str, float]]:
        trace = ask(client, text=text, causal=False, **options)["trace"]
        reply = client.get(f"{TRACES}/{trace}/scaling").json()
        return {row["factor"]: row["figures"] for row in reply["factors"]}

    padded = figures(["the cat sat", "the cat sat on the mat"], padding="keys")
    for factor, alone in figures("the cat sat").items():
        assert padded[factor] == pytest.approx(alone)
