"""Clients are counted, and however many there are, they take little memory."""

from __future__ import annotations

import re
import threading
import tracemalloc

import pytest

from attnscope.web.http.rates import CLIENTS, Rate
from tests.web.client import TRACES
from tests.web.conftest import MakeClient
from tests.web.http.asking import asked

PATH = f"{TRACES}/{'0' * 32}"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_window_begins_with_the_first_hit_and_ends_in_time() -> None:
    clock = Clock()
    rate = Rate("2/minute", clock)
    for _ in range(2):
        assert rate.wait("a") == 0
        rate.hit("a")
        clock.now += 20.5
    assert rate.wait("a") == 19
    assert rate.wait("b") == 0
    clock.now += 18.9
    assert rate.wait("a") == 1
    clock.now += 0.1
    assert rate.wait("a") == 0
    rate.hit("a")
    assert rate.wait("a") == 0


def test_clients_whose_time_is_up_are_forgotten() -> None:
    clock = Clock()
    rate = Rate("1/minute", clock)
    for client in range(100):
        rate.hit(str(client))
        clock.now += 1
    assert len(rate.windows) == 60
    clock.now += 1000
    rate.hit("a")
    assert list(rate.windows) == ["a"]


def test_any_number_of_clients_takes_a_bounded_memory() -> None:
    rate = Rate("1/day", Clock())
    tracemalloc.start()
    try:
        for client in range(CLIENTS + CLIENTS // 4):
            rate.hit(f"2001:db8:{client:x}::/64")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(rate.windows) == CLIENTS
    assert rate.wait(f"2001:db8:{CLIENTS + CLIENTS // 4 - 1:x}::/64") > 0
    assert peak < 8 << 20


def test_counting_starts_no_timer(make_client: MakeClient) -> None:
    before = set(threading.enumerate())  # other tests of this process may have timers
    client = make_client(rate_limit="5/hour")
    assert client.get(PATH).status_code == 404
    started = set(threading.enumerate()) - before
    assert not [one for one in started if isinstance(one, threading.Timer)]


def test_a_client_is_an_address_and_of_ipv6_a_network(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    cases = [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
    ]
    for first, second, same in cases:
        with subtests.test(first, second=second):
            client = make_client(rate_limit="1/hour")
            host = [("Host", "localhost")]
            assert asked(client.app, PATH, host, client=(first, 1)).status == 404
            expected = 429 if same else 404
            assert asked(client.app, PATH, host, client=(second, 2)).status == expected


@pytest.mark.parametrize(
    "path", ["/", "/models", "/learn", "/api", "/api/openapi.json", "/nothing"]
)
def test_pages_count_as_requests_do(make_client: MakeClient, path: str) -> None:
    client = make_client(rate_limit="1/hour")
    assert client.get(path).status_code in (200, 404)
    for again in (path, PATH):
        assert client.get(again).status_code == 429


def test_health_and_files_do_not(make_client: MakeClient) -> None:
    client = make_client(rate_limit="1/hour")
    page = client.get("/").text
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(files) > 2
    for path in ("/healthz", "/readyz", *files) * 2:
        assert client.get(path).status_code == 200
