"""The error table in full: each code with its status, one body, sentences in two languages."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from attnscope import errors
from attnscope.web.http import problems
from tests.web.client import (
    ATTENTION,
    JSON,
    MODELS,
    PROBLEM,
    TRACES,
    Body,
    matrices,
    posted,
    problem_of,
    raw,
    refused,
    sent,
    stored,
)
from tests.web.conftest import MakeClient

ECHO = {"source": "installed", "name": "echo"}
TINY = {"source": "seeded", "d_model": 2, "num_heads": 1}
LARGE = {"text": "a " * 80, "model": {"source": "seeded", "d_model": 256, "num_heads": 8}}
UNKNOWN = f"{TRACES}/{'0' * 32}"


INSTALL = "/api/v1/catalogue/minilm/install"


def got(url: str, method: str = "GET", **headers: str) -> Body:
    return {"method": method, "url": url, "headers": headers}


# code: status, settings, the request
CASES: dict[str, tuple[int, dict[str, Any], Body]] = {
    "invalid_json": (400, {}, raw(b'{"text": ')),
    "missing_key": (401, {"api_keys": ["k"]}, posted({"text": "a"})),
    "wrong_key": (401, {"api_keys": ["k"]}, got(UNKNOWN, Authorization="Bearer K")),
    "cross_site": (403, {}, got(UNKNOWN, "DELETE", Origin="https://elsewhere.example")),
    "not_enabled": (403, {"get_models": "off"}, got(INSTALL, "POST")),
    "unknown_host": (421, {}, got("/api/v1/examples", Host="elsewhere.example")),
    "unknown_trace": (404, {}, got(UNKNOWN)),
    "unknown_model": (404, {}, got(f"{MODELS}/{'0' * 32}")),
    "unknown_revision": (404, {}, posted({"text": "a", "model": {**ECHO, "revision": "step-1"}})),
    "model_changed": (409, {}, posted({"text": "a", "model": {**ECHO, "digest": "0" * 16}})),
    "unknown_stage": (404, {}, posted({"text": "a", "stages": ["attention"]})),
    "not_found": (404, {}, got("/api/v2/attention")),
    "method_not_allowed": (405, {}, got(ATTENTION)),
    "not_acceptable": (406, {}, {**posted({"text": "a"}), "headers": {"Accept": "image/png"}}),
    "unsupported_media": (415, {}, raw(b'{"text": "a"}', "text/plain")),
    "body_too_large": (413, {"max_body_mb": 1}, raw(b" " * 1_100_000)),
    "too_many_tokens": (413, {"max_tokens": 3}, posted({"text": "a b c d"})),
    "too_large": (413, {"max_trace_mb": 1}, posted(LARGE)),
    "invalid_request": (422, {}, posted({"text": "a", "temperature": 0})),
    "empty_text": (422, {}, posted({"text": "  "})),
    "shape_mismatch": (422, {}, posted({"x": [[1, 2, 3]], "model": TINY})),
    "bad_weights_file": (422, {}, sent("w.safetensors", b"")),
    "unknown_layout": (422, {}, sent("w.safetensors", save({"foreign": np.eye(2)}))),
    "non_finite": (422, {}, raw(b'{"x": [[NaN]]}')),
    "bad_mapping": (422, {}, sent("w.safetensors", save(matrices()), mapping='{"w_q": "none"}')),
    "rate_limited": (429, {"rate_limit": "1/hour"}, {"method": "GET", "url": "/api/v1/examples"}),
    "storage_full": (507, {"models_mb": 0}, sent("w.safetensors", save(matrices()))),
}
# Told below, by the tests of what a model predicts, of models that are installed, of captures, and
# of what a server holds against slow and large requests.
ELSEWHERE = {
    "already_there", "busy", "fetch_failed", "headers_too_large", "no_predictions", "not_captured",
    "slow_request",
}  # fmt: skip


def codes() -> set[str]:
    """Every code of the tree of errors but the one that nobody ever means to send."""
    kinds: list[type[errors.AttnscopeError]] = [errors.AttnscopeError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    return {kind.code for kind in kinds} - {"internal_error"}


def test_every_code_has_a_case() -> None:
    assert codes() == {*CASES, *ELSEWHERE}


def test_a_code_has_its_status_and_its_sentences(
    make_client: MakeClient, data: Path, subtests: pytest.Subtests
) -> None:
    plain = make_client()
    for code, (status, settings, request) in CASES.items():
        with subtests.test(code):
            folder = data / code if settings else data
            client = make_client(folder, **settings) if settings else plain
            if code == "rate_limited":
                assert client.request(**request).status_code == 200
            before = stored(folder)
            body = refused(client, request, status, code)
            assert body["detail"].endswith(".")
            assert stored(folder) == before
            response = client.request(**request)
            problem_of(response, status, code)
            assert response.headers["cache-control"] == "no-store"
            assert ("retry-after" in response.headers) == (status in (429, 503))
            assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)


def test_too_fast_says_when_to_come_back(make_client: MakeClient) -> None:
    client = make_client(rate_limit="2/hour")
    statuses = [client.get(UNKNOWN).status_code for _ in range(2)]
    assert statuses == [404, 404]
    response = client.get(UNKNOWN)
    problem_of(response, 429, "rate_limited")
    assert 3590 <= int(response.headers["retry-after"]) <= 3600
    assert client.get("/healthz").status_code == 200


@contextmanager
def every_slot_taken(client: TestClient, slots: int) -> Iterator[None]:
    """Large questions that a slow engine answers only when the test has looked."""
    engine, begun, done = client.app.state.engine, threading.Semaphore(0), threading.Event()  # type: ignore[attr-defined]
    trace = engine.trace

    def slow(planned: Any) -> Any:
        begun.release()
        assert done.wait(20)
        return trace(planned)

    engine.trace = slow
    with ThreadPoolExecutor(slots) as threads:
        waiting = [threads.submit(client.post, ATTENTION, json=LARGE) for _ in range(slots)]
        try:
            for _ in waiting:
                assert begun.acquire(timeout=20)
            engine.trace = trace
            yield
        finally:
            done.set()
        assert [one.result().status_code for one in waiting] == [200] * slots


def test_what_finds_no_slot_is_refused_and_small_questions_still_go(
    make_client: MakeClient,
) -> None:
    client = make_client(slots=2, queue=0)
    with every_slot_taken(client, 2):
        refused(client, posted(LARGE), 503, "busy")
        assert client.request(**sent("w", save(matrices()))).status_code == 201  # a queue apart
        response = client.post(ATTENTION, json=LARGE)
        assert int(response.headers["retry-after"]) >= 1
        assert client.post(ATTENTION, json={"text": "a"}).status_code == 200
        assert client.get("/healthz").status_code == 200
    assert client.post(ATTENTION, json=LARGE).status_code == 200


def test_any_of_the_keys_opens_the_api(make_client: MakeClient, subtests: pytest.Subtests) -> None:
    client = make_client(api_keys=["k1", "k2"])
    cases = {"Bearer k2": 404, "bearer k1": 404, "Basic k1": 401, "k1": 401}
    for scheme, status in cases.items():
        with subtests.test(scheme):
            assert client.get(UNKNOWN, headers={"Authorization": scheme}).status_code == status


def test_a_key_may_come_in_a_header_of_its_own_and_health_needs_none(
    make_client: MakeClient,
) -> None:
    client = make_client(api_keys=["schlüssel"])
    key = "schlüssel".encode()
    assert client.get(UNKNOWN, headers={"X-API-Key": key}).status_code == 404  # type: ignore[arg-type]
    problem_of(client.get(UNKNOWN, headers={"X-API-Key": "nope"}), 401, "wrong_key")
    for path in ("/healthz", "/readyz", "/api/openapi.json"):
        assert client.get(path).status_code == 200
    problem_of(client.get("/metrics"), 401, "missing_key")


def test_what_nobody_expected_is_a_problem_too(make_client: MakeClient) -> None:
    client = make_client()

    def broken(*_: object) -> None:
        raise RuntimeError("secret details")

    client.app.state.engine.plan = broken  # type: ignore[attr-defined]
    body = refused(client, posted({"text": "a"}), 500, "internal_error")
    assert "secret" not in str(body)
    response = client.post(ATTENTION, json={"text": "a"})
    assert response.headers["x-content-type-options"] == "nosniff"
    assert client.get("/healthz").status_code == 200


def test_json_that_is_none_says_where_it_goes_wrong(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [(b'{"text": "a",}', 1, 14), (b'{\n "text":\n  nope}', 3, 3), (b"", 1, 1)]
    for content, line, column in cases:
        with subtests.test(content=content):
            body = refused(client, raw(content), 400, "invalid_json")
            assert f"line {line}, column" in body["detail"]
            assert str(column) in body["detail"] or str(column - 1) in body["detail"]


def test_a_body_in_another_encoding_says_which_byte_is_no_utf_8(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    text = '{"text": "a"}'
    cases = [
        (b'{"text": "a \xff"}', 12),
        (text.encode("utf-16"), 0),
        (gzip.compress(text.encode()), 1),
    ]
    for content, byte in cases:
        with subtests.test(content=content):
            body = refused(client, raw(content), 400, "invalid_json")
            assert f"UTF-8 at byte {byte}," in body["detail"]


def test_a_body_that_says_it_is_compressed_is_refused_by_its_coding(client: TestClient) -> None:
    content = gzip.compress(b'{"text": "a"}')
    for given, coding in (("gzip", "gzip"), ("BR", "br")):
        headers = {"Content-Type": JSON, "Content-Encoding": given}
        reply = client.post(ATTENTION, content=content, headers=headers)
        body = problem_of(reply, 415, "unsupported_media")
        assert f"({coding})" in body["detail"]
    form = {"Content-Type": "multipart/form-data; boundary=x", "Content-Encoding": "gzip"}
    problem_of(client.post(MODELS, content=content, headers=form), 415, "unsupported_media")
    headers = {"Content-Type": JSON, "Content-Encoding": "identity"}
    assert client.post(ATTENTION, content=b'{"text": "a"}', headers=headers).status_code == 200


def test_a_byte_order_mark_before_json_is_skipped(client: TestClient) -> None:
    marked = client.request(**raw(b'\xef\xbb\xbf{"text": "a"}'))
    assert marked.status_code == 200
    assert marked.json()["tokens"] == [["a"]]


def test_half_a_character_anywhere_is_no_fault_of_ours(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        rb'{"text": "a", "stages": ["\ud800"]}',
        rb'{"text": "a", "model": {"source": "uploaded", "id": "\udfff"}}',
        rb'{"text": "a", "model": {"source": "\ud800"}}',
        rb'{"\ud800": 1, "text": "a"}',
        rb'{"text": "a", "tokenizer": "\ud800"}',
        rb'{"text": "a", "blocked": [["\ud800", 0]]}',
    ]
    for content in cases:
        with subtests.test(content=content):
            response = client.request(**raw(content))
            assert response.status_code in (404, 422)
            assert response.headers["content-type"] == PROBLEM
            response.json()


def test_a_status_belongs_to_the_nearest_class() -> None:
    class Narrow(errors.StorageFull):
        pass

    assert problems.status_of(Narrow("quota")) == 507
    assert problems.status_of(errors.EmptyText("no_token")) == 422
    assert problems.status_of(errors.UnknownTrace("unknown_trace")) == 404


def test_a_wrong_body_needs_no_json_to_be_refused(client: TestClient) -> None:
    for media in ("text/plain", "", "application/x-www-form-urlencoded", "application/jsonp"):
        for url in (ATTENTION, TRACES):
            refused(client, raw(b"text=a", media, url), 415, "unsupported_media")
    problem_of(client.request(**raw(b"{}", JSON, MODELS)), 415, "unsupported_media")
    good = raw(b'{"text": "a"}', "Application/JSON; charset=utf-8")
    assert client.request(**good).status_code == 200


def test_what_nobody_expected_leaves_its_id_and_its_place_in_the_log(
    make_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    client = make_client()

    def broken(*_: object) -> None:
        raise RuntimeError("secret details")

    client.app.state.engine.plan = broken  # type: ignore[attr-defined]
    body = problem_of(client.post(ATTENTION, json={"text": "a"}), 500, "internal_error")
    (line,) = [record for record in caplog.records if record.name == "attnscope.request"]
    assert line.levelname == "ERROR"
    assert line.exc_info
    assert line.__dict__["fields"]["id"] == body["request_id"]
