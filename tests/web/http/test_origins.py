"""A page of another origin changes nothing and has nothing computed; links from it work."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from tests.web.client import (
    ATTENTION,
    MODELS,
    TRACES,
    ask,
    matrices,
    problem_of,
    sent,
    stored,
    upload,
)
from tests.web.conftest import MakeClient
from tests.web.http.asking import asked

FOREIGN = ["https://evil.example", "http://testserver:81", "http://evil.testserver", "null", "",
           "http://testserver.evil.example", "http://testserver@evil.example", "testserver",
           "file://", "chrome-extension://testserver", "http://testserver/", "//testserver",
           "https://testserver:80", "http://testserver, http://evil.example"]  # fmt: skip
CHANGING = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"]
PICTURE = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
FRAME = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}


def test_a_foreign_page_uploads_nothing_and_asks_nothing(
    make_client: MakeClient, data: Path, subtests: pytest.Subtests
) -> None:
    cases = [
        *({"Origin": origin} for origin in FOREIGN),
        *({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "", "Same-Origin", "x")),
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
        {"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer k"},
    ]  # fmt: skip
    form = sent("w.safetensors", save(matrices()), num_heads="1")
    without_keys, with_key = make_client(), make_client(api_keys=["k"])
    for headers in cases:
        with subtests.test(headers=headers):
            client = with_key if "Authorization" in headers else without_keys
            problem_of(client.request(**form, headers=headers), 403, "cross_site")
            for url in (ATTENTION, TRACES):
                problem_of(client.post(url, json={"text": "a"}, headers=headers), 403, "cross_site")
            assert stored(data) == ([], 0)


def test_a_foreign_page_deletes_nothing(make_client: MakeClient) -> None:
    client = make_client()
    at = f"{MODELS}/{upload(client, matrices())['id']}"
    problem_of(client.delete(at, headers={"Origin": "https://evil.example"}), 403, "cross_site")
    assert client.get(at).status_code == 200
    assert client.delete(at, headers={"Origin": "http://testserver"}).status_code == 204


def test_every_method_that_may_change_something_is_held_to_it(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path, method in product((ATTENTION, "/", "/nothing", "/healthz", "/static/x"), CHANGING):
        with subtests.test(path, method=method):
            headers = {"Sec-Fetch-Site": "cross-site"}
            problem_of(client.request(method, path, headers=headers), 403, "cross_site")


def test_it_is_refused_before_its_body_is_read(client: TestClient) -> None:
    headers = [("Host", "localhost"), ("Origin", "null"), ("Content-Type", "application/json")]
    reply = asked(client.app, ATTENTION, headers, b'{"text": "a"}', method="POST")
    assert (reply.status, reply.unread) == (403, True)
    reply = asked(client.app, ATTENTION, headers[::2], b'{"text": "a"}', method="POST")
    assert (reply.status, reply.unread) == (200, False)


def test_its_own_page_is_welcome(client: TestClient, subtests: pytest.Subtests) -> None:
    cases = [
        ("testserver", "http://testserver", "http"),
        ("testserver:80", "http://testserver", "http"),
        ("testserver", "http://testserver:80", "http"),
        ("TestServer.:8000", "http://testserver:8000", "http"),
        ("[::1]:8000", "http://[::1]:8000", "http"),
        ("testserver", "https://testserver", "http"),  # behind a proxy that takes the TLS off
        ("testserver", "https://testserver:443", "https"),
    ]
    for host, origin, scheme in cases:
        with subtests.test(host, origin=origin, scheme=scheme):
            headers = [("Host", host), ("Origin", origin), ("Content-Type", "application/json")]
            scope = {"method": "POST", "scheme": scheme, "server": ("testserver", 80)}
            assert asked(client.app, ATTENTION, headers, b'{"text": "a"}', **scope).status == 200


def test_another_port_or_scheme_is_another_origin(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        ("testserver:8000", "http://testserver", "http"),
        ("testserver", "http://testserver:8000", "http"),
        ("testserver:80", "https://testserver", "http"),
        ("testserver", "http://testserver", "https"),
        ("[::1]", "http://::1", "http"),
        ("localhost", "http://127.0.0.1", "http"),
    ]
    for host, origin, scheme in cases:
        with subtests.test(host, origin=origin, scheme=scheme):
            headers = [("Host", host), ("Origin", origin)]
            scope: dict[str, Any] = {"method": "POST", "scheme": scheme}
            scope["server"] = ("testserver", 80)
            assert asked(client.app, ATTENTION, headers, **scope).status == 403


def test_two_origins_are_none(client: TestClient) -> None:
    origins = [("Origin", "http://testserver")] * 2
    reply = asked(client.app, ATTENTION, [("Host", "localhost"), *origins], method="POST")
    assert reply.status == 403
    sites = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")]
    reply = asked(client.app, ATTENTION, [("Host", "localhost"), *sites], method="POST")
    assert reply.status == 403


def test_programs_and_our_own_page_are_welcome(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for site in ("same-origin", "none", None):
        with subtests.test(site=site):
            headers = {"Sec-Fetch-Site": site} if site else {}
            assert client.post(ATTENTION, json={"text": "a"}, headers=headers).status_code == 200


def test_a_foreign_picture_has_nothing_computed(client: TestClient) -> None:
    trace = f"{TRACES}/{ask(client, text='a b')['trace']}"
    for path in (trace, f"{trace}/export", f"{trace}/spectrum", "/api/v1/laboratory/scaling"):
        for site in ("cross-site", "same-site"):
            for asking in (PICTURE, FRAME, {}):
                headers = {"Sec-Fetch-Site": site, **asking}
                problem_of(client.get(path, headers=headers), 403, "cross_site")
                assert client.head(path, headers=headers).status_code == 403
        problem_of(client.get(path, headers={"Origin": "https://evil.example"}), 403, "cross_site")
        headers = {"Sec-Fetch-Site": "same-origin", **PICTURE}
        assert client.get(path, headers=headers).status_code == 200


def test_a_link_from_elsewhere_works(client: TestClient) -> None:
    trace = f"{TRACES}/{ask(client, text='a b')['trace']}"
    headers = {"Sec-Fetch-Site": "cross-site", **LINK}
    for path in ("/", "/compare", "/learn/scores", "/api", f"{trace}/export?format=csv"):
        assert client.get(path, headers=headers).status_code == 200
    headers = {"Sec-Fetch-Site": "cross-site", **FRAME}
    assert client.get("/embed", headers=headers).status_code == 200
