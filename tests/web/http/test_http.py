"""What every request passes through: identity, safe headers, limits, HEAD, counters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import (
    ATTENTION,
    JSON,
    MODELS,
    TRACES,
    ask,
    problem_of,
    raw,
    run_async,
    stored,
)
from tests.web.conftest import MakeClient

PATHS = ["/", "/api", "/healthz", "/metrics", "/api/openapi.json", "/nothing", "/static/x",
         "/api/v1/examples", f"{TRACES}/0", ATTENTION]  # fmt: skip
MULTIPART = "multipart/form-data; boundary=b"


def test_every_reply_is_safe_to_look_at(client: TestClient, subtests: pytest.Subtests) -> None:
    for path in PATHS:
        with subtests.test(path):
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            for directive in ("default-src", "script-src", "style-src"):
                assert f"{directive} 'self';" in policy
            for directive in ("object-src", "frame-ancestors", "base-uri"):
                assert f"{directive} 'none'" in policy
            assert "unsafe" not in policy
            assert "http" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert "server" not in headers
            assert re.fullmatch(r"[0-9a-f]{32}", headers["x-request-id"])


def test_a_request_id_is_kept_where_it_is_sound(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        ("trace-1.2_x", True),
        ("a" * 64, True),
        ("a" * 65, False),
        ("", False),
        ("a b", False),
        ("a\r\nSet-Cookie: x=1", False),
        ("\r\n\r\n<script>", False),
        ("\u00fc".encode().decode("latin-1"), False),
        ("{at}", False),
    ]
    for given, kept in cases:
        with subtests.test(given):
            headers: Any = {"X-Request-ID": given.encode("latin-1")}
            response = client.get("/nothing", headers=headers)
            body = problem_of(response, 404, "not_found")
            assert (body["request_id"] == given) == kept
            assert "set-cookie" not in response.headers


def test_two_requests_have_two_ids(client: TestClient) -> None:
    assert len({client.get("/healthz").headers["x-request-id"] for _ in range(5)}) == 5


def chunks(total: int) -> Iterator[bytes]:
    for _ in range(total // 65_536 + 1):
        yield b" " * 65_536


@pytest.mark.parametrize(("url", "media"), [(ATTENTION, JSON), (TRACES, JSON), (MODELS, MULTIPART)])
def test_a_body_without_a_length_is_counted_as_it_comes(
    make_client: MakeClient, url: str, media: str
) -> None:
    client = make_client(max_body_mb=1, max_upload_mb=1)
    content = chunks(3 << 20)
    response = client.post(url, content=content, headers={"Content-Type": media})
    problem_of(response, 413, "body_too_large")
    assert next(content, None) is not None or "content-length" not in response.request.headers


def test_a_length_that_is_too_large_is_refused_before_a_byte_is_read(
    make_client: MakeClient,
) -> None:
    client = make_client(max_body_mb=1)
    for length in (str((1 << 20) + 1), "9" * 4000):
        request = raw(b"{}")
        request["headers"]["Content-Length"] = length
        problem_of(client.request(**request), 413, "body_too_large")


def test_a_length_that_lies_decides_nothing(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    client = make_client(max_body_mb=1)
    for length in ("-1", "abc", "", "0x10", "1"):
        with subtests.test(length):
            request = raw(b'{"text": "a"}' + b" " * 2_000_000)
            request["headers"]["Content-Length"] = length
            problem_of(client.request(**request), 413, "body_too_large")
            request["content"] = b'{"text": "a"}'
            assert client.request(**request).status_code == 200


def test_an_upload_may_be_larger_than_a_question(make_client: MakeClient) -> None:
    client = make_client(max_body_mb=1, max_upload_mb=3)
    files = {"weights": ("w.json", b"{" + b" " * 2_000_000 + b"}")}
    problem_of(client.post(MODELS, files=files), 422, "bad_weights_file")
    problem_of(client.request(**raw(b" " * 2_000_000)), 413, "body_too_large")


def test_a_question_of_just_the_limit_is_read(make_client: MakeClient) -> None:
    client = make_client(max_body_mb=1)
    body = b'{"text": "a"}'
    assert client.request(**raw(body.ljust(1 << 20))).status_code == 200
    problem_of(client.request(**raw(body.ljust((1 << 20) + 1))), 413, "body_too_large")


def test_head_is_get_without_a_body(client: TestClient) -> None:
    trace = ask(client, text="a")["trace"]
    for path in (f"{TRACES}/{trace}", "/healthz", "/api/openapi.json", "/", "/nothing"):
        head, got = client.head(path), client.get(path)
        assert head.content == b""
        assert head.status_code == got.status_code
        for name in ("content-type", "etag", "cache-control"):
            assert head.headers.get(name) == got.headers.get(name)
    assert client.head(ATTENTION).status_code == 405


def test_a_page_of_another_origin_is_given_no_leave(client: TestClient) -> None:
    preflight = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    for response in (
        client.options(ATTENTION, headers=preflight),
        client.post(ATTENTION, json={"text": "a"}, headers=preflight),
    ):
        assert not [name for name in response.headers if name.startswith("access-control")]


def test_a_path_that_leads_nowhere_is_not_found(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        "/api/v1/", "/api/v1", "/api/v1/attention/", "//api/v1/attention", "/%2e%2e/etc/passwd",
        "/api/v1/traces/a%2fb", "/%00", "/%ff%fe", "/a" * 20_000, "/static/../app/main.py",
        "/static/%2e%2e/%2e%2e/pyproject.toml", "/docs", "/redoc", "/openapi.json", "/favicon.png",
    ]  # fmt: skip
    for path in cases:
        with subtests.test(path):
            body = problem_of(client.get(path), 404, "not_found")
            assert len(body["detail"]) < 400


def test_requests_are_counted_by_route(make_client: MakeClient) -> None:
    client = make_client()
    for trace in ("1", "2"):
        client.get(f"{TRACES}/{trace}")
    client.request("BREW", "/healthz")
    client.head("/healthz")
    client.get("/nothing")
    text = client.get("/metrics").text
    lines = [line for line in text.splitlines() if line.startswith("attnscope_requests_total{")]
    assert [
        line for line in lines if 'route="/api/v1/traces/{id}"' in line and line.endswith(" 2.0")
    ]
    assert [line for line in lines if 'method="other"' in line and 'status="405"' in line]
    assert [line for line in lines if 'method="HEAD",route="/healthz",status="200"' in line]
    assert [line for line in lines if 'route="other"' in line and 'status="404"' in line]
    assert not [line for line in lines if "nothing" in line or "BREW" in line]


def test_two_apps_in_a_process_count_apart(make_client: MakeClient) -> None:
    one, two = make_client(), make_client()
    one.get(f"{TRACES}/0")
    assert "{id}" in one.get("/metrics").text
    assert "{id}" not in two.get("/metrics").text


def test_a_caller_that_leaves_halfway_stores_nothing(make_client: MakeClient, data: Any) -> None:
    app: Any = make_client().app
    sent: list[Any] = []
    messages = iter([{"type": "http.request", "body": b'{"text": ', "more_body": True}])

    async def receive() -> Any:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
        "path": ATTENTION, "raw_path": ATTENTION.encode(), "query_string": b"", "root_path": "",
        "headers": [(b"host", b"testserver"), (b"content-type", b"application/json")],
        "scheme": "http", "server": ("testserver", 80), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    run_async(app(scope, receive, send))
    assert [message["status"] for message in sent if "status" in message] == [499]
    assert stored(data) == ([], 0)
