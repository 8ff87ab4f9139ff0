"""Stored uploads are opened while others upload, and small ones come in beside large ones."""

from __future__ import annotations

import pytest

from attnscope.web.http.admission import SMALL_UPLOAD, Queue
from tests.web.client import ATTENTION, MODELS, TRACES, ask, matrices, sent, upload
from tests.web.conftest import MakeClient


def test_a_stored_upload_does_not_wait_behind_those_that_come_in(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    first = make_client()
    reply = upload(first, matrices())
    question = {"text": "a", "model": {"source": "uploaded", "id": reply["id"]}}
    trace = ask(first, **question)["trace"]
    requests = {
        "its description": ("GET", f"{MODELS}/{reply['id']}", None),
        "its spectrum": ("GET", f"{MODELS}/{reply['id']}/spectrum", None),
        "a question": ("POST", ATTENTION, question),
        "a link": ("GET", f"{TRACES}/{trace}", None),
    }
    for what, (method, url, body) in requests.items():
        client = make_client(queue_seconds=0.1)
        for queue in ("uploads", "small_uploads"):
            client.app.state.admission.queues[queue] = Queue(0, 0)  # type: ignore[attr-defined]
        for where in ("disk", "memory"):
            with subtests.test(what, where=where):
                assert client.request(method, url, json=body).status_code == 200


def test_a_long_text_to_a_stored_upload_keeps_no_other_from_being_opened(
    make_client: MakeClient,
) -> None:
    first = make_client()
    reply = upload(first, matrices())
    client = make_client(queue_seconds=0.1)
    client.app.state.admission.queues["texts"] = Queue(0, 0)  # type: ignore[attr-defined]
    model = {"source": "uploaded", "id": reply["id"]}
    busy = client.post(ATTENTION, json={"text": "a " * 20_000, "model": model})
    assert (busy.status_code, busy.json()["code"]) == (503, "busy")
    assert client.app.state.engine.has_upload(reply["id"])  # type: ignore[attr-defined]
    assert client.post(ATTENTION, json={"text": "a", "model": model}).status_code == 200


def test_a_small_upload_does_not_wait_behind_a_large_one(make_client: MakeClient) -> None:
    client = make_client(queue_seconds=0.1)
    client.app.state.admission.queues["uploads"] = Queue(0, 0)  # type: ignore[attr-defined]
    assert upload(client, matrices())
    large = client.request(**sent("w", bytes(SMALL_UPLOAD + 1)))
    assert (large.status_code, large.json()["code"]) == (503, "busy")


def test_an_upload_that_is_larger_than_the_memory_for_them_is_read_for_each_question(
    make_client: MakeClient,
) -> None:
    client = make_client(cache_mb=0)
    model = {"source": "uploaded", "id": upload(client, matrices())["id"]}
    for _ in range(2):
        assert ask(client, text="a", model=model)["shape"]["n"] == 1


def test_a_few_words_to_wide_matrices_do_not_wait_behind_large_answers(
    make_client: MakeClient,
) -> None:
    client = make_client(queue_seconds=0.1)
    model = {"source": "uploaded", "id": upload(client, matrices(300))["id"]}
    client.app.state.admission.queues["large"] = Queue(0, 0)  # type: ignore[attr-defined]
    chosen = {"model": model, "stages": ["output"]}
    assert ask(client, text="a b", **chosen)["shape"]["n"] == 2
    busy = client.post(ATTENTION, json={"text": "a " * 300, **chosen})
    assert (busy.status_code, busy.json()["code"]) == (503, "busy")
