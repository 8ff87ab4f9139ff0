"""Keys open, wrong ones are slow to try, and nobody is somebody else's client."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.addresses import client_of
from tests.web.client import ATTENTION, TRACES, problem_of, refused
from tests.web.conftest import MakeClient
from tests.web.http.asking import asked

PATH = f"{TRACES}/{'0' * 32}"
TRIES = 20


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def from_there(client: TestClient, address: str, key: str) -> int:
    headers = [("Host", "localhost"), ("Authorization", f"Bearer {key}")]
    return asked(client.app, PATH, headers, client=(address, 1)).status


def test_wrong_keys_are_slow_to_try(make_client: MakeClient) -> None:
    client = make_client(api_keys=["right"])
    for guess in range(TRIES):
        problem_of(client.get(PATH, headers=bearer(str(guess))), 401, "wrong_key")
    body = refused(client, {"method": "GET", "url": PATH, "headers": bearer("x")}, 429,
                   "rate_limited")  # fmt: skip
    response = client.get(PATH, headers=bearer("right"))
    assert problem_of(response, 429, "rate_limited")["detail"] == body["detail"]
    assert 1 <= int(response.headers["retry-after"]) <= 60
    assert f"{response.headers['retry-after']} seconds" in body["detail"]


def test_wrong_keys_of_one_address_close_the_door_to_no_other(make_client: MakeClient) -> None:
    client = make_client(api_keys=["right"])
    for guess in range(TRIES + 1):
        status = from_there(client, f"2001:db8::{guess:x}", "wrong")
        assert status == (401 if guess < TRIES else 429)
    assert from_there(client, "2001:db8::ffff", "right") == 429
    assert from_there(client, "2001:db8:0:1::1", "right") == 404
    assert from_there(client, "192.0.2.7", "wrong") == 401


def test_right_keys_and_no_keys_are_no_tries(make_client: MakeClient) -> None:
    client = make_client(api_keys=["right"])
    for _ in range(TRIES * 2):
        assert client.get(PATH).status_code == 401
        assert client.get(PATH, headers=bearer("right")).status_code == 404
    assert client.get(PATH, headers=bearer("wrong")).status_code == 401


def test_wrong_keys_count_against_the_rate_limit(make_client: MakeClient) -> None:
    client = make_client(api_keys=["right"], rate_limit="3/hour")
    for _ in range(3):
        problem_of(client.get(PATH, headers=bearer("wrong")), 401, "wrong_key")
    problem_of(client.get(PATH, headers=bearer("wrong")), 429, "rate_limited")
    problem_of(client.get(PATH, headers=bearer("right")), 429, "rate_limited")


def test_without_keys_there_is_nothing_to_guess(make_client: MakeClient) -> None:
    client = make_client()
    for _ in range(TRIES + 1):
        assert client.get(PATH, headers=bearer("any")).status_code == 404


def test_what_brings_no_key_learns_how(make_client: MakeClient, subtests: pytest.Subtests) -> None:
    client = make_client(api_keys=["right"])
    for header in ("Bearer", "Bearer ", "", "Basic right", "right", "Bearer\tright"):
        with subtests.test(header):
            problem_of(client.get(PATH, headers={"Authorization": header}), 401, "missing_key")


def test_a_refused_question_is_not_read(make_client: MakeClient) -> None:
    client = make_client(api_keys=["right"])
    headers = [("Host", "localhost"), ("Authorization", "Bearer wrong")]
    reply = asked(client.app, ATTENTION, headers, b'{"text": "a"}', method="POST")
    assert (reply.status, reply.unread) == (401, True)


def test_a_key_names_its_client_wherever_it_is_used(make_client: MakeClient) -> None:
    client = make_client(api_keys=["one", "two"])
    named = []
    for key, address in (("one", "192.0.2.7"), ("one", "192.0.2.8"), ("two", "192.0.2.7")):
        headers = [("Host", "localhost"), ("X-API-Key", key)]
        reply = asked(client.app, PATH, headers, client=(address, 1))
        named.append(client_of(reply.scope))
        assert key not in str(reply.scope["attnscope.credential"])
    assert named[0] == named[1] != named[2]


def test_where_no_keys_are_set_a_key_names_nobody(make_client: MakeClient) -> None:
    client = make_client()
    named = set()
    for key in ("one", "two"):
        named.add(
            client_of(asked(client.app, PATH, [("Host", "localhost"), ("X-API-Key", key)]).scope)
        )
    assert len(named) == 1
