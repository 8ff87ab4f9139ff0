"""The channel between a widget and the application: any request, in parts, from any thread."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from typing import Any

import pytest

import attnscope
from attnscope.notebook.channel import Channel, Parts
from attnscope.notebook.frame import VERSION

Sent = list[tuple[dict[str, Any], list[bytes]]]


def channel_of(client: attnscope.Client, sent: Sent) -> Channel:
    send = lambda content, buffers: sent.append((content, buffers))  # noqa: E731
    return Channel(client._loop, client._client._server, send)


def asked(id: str, target: str, method: str = "GET", **headers: str) -> dict[str, Any]:
    pairs = [[name.replace("_", "-"), text] for name, text in headers.items()]
    return {"kind": "ask", "id": id, "method": method, "target": target, "headers": pairs}


def page(id: str, target: str, **more: Any) -> dict[str, Any]:
    return {"kind": "page", "id": id, "target": target, "version": VERSION, **more}


@pytest.fixture
def sent() -> Sent:
    return []


@pytest.fixture
def channel(client: attnscope.Client, sent: Sent) -> Channel:
    return channel_of(client, sent)


def test_a_request_is_answered_with_status_headers_and_bytes(channel: Channel, sent: Sent) -> None:
    body = json.dumps({"text": "a b", "stages": ["weights"]}).encode()
    for piece in (body[:5], body[5:]):
        channel.receive({"kind": "body", "id": "1"}, [memoryview(piece)])
    channel.receive(asked("1", "/api/v1/attention", "POST", content_type="application/json"))
    (heard, _), (reply, (bytes_,)) = sent
    assert heard == {"kind": "heard", "id": "1"}
    assert (reply["id"], reply["status"], reply["more"]) == ("1", 200, False)
    assert dict(reply["headers"])["content-type"] == "application/json"
    assert json.loads(bytes_)["tokens"] == [["a", "b"]]


def test_problems_are_replies_too(channel: Channel, sent: Sent) -> None:
    channel.receive(asked("1", "/api/v1/traces/none?layer=%20"))
    assert sent[1][0]["status"] in (404, 422)
    assert json.loads(sent[1][1][0])["code"]


def test_a_stream_comes_in_parts(channel: Channel, sent: Sent) -> None:
    body = json.dumps({"task": "copy", "steps": 2}).encode()
    channel.receive({"kind": "body", "id": "1"}, [body])
    headers = {"content_type": "application/json", "accept": "text/event-stream"}
    channel.receive(asked("1", "/api/v1/training", "POST", **headers))
    first, *others = [content for content, _ in sent[1:]]
    assert first["status"] == 200
    assert all("status" not in each for each in others)
    assert [each["more"] for each in (first, *others)][-1] is False


def test_parts_are_joined_unless_they_are_events(sent: Sent) -> None:
    parts = Parts("1", lambda content, buffers: sent.append((content, buffers)))
    for media in (b"text/event-stream; charset=utf-8", b"application/x-safetensors"):
        headers = [(b"content-type", media)]
        parts.send({"type": "http.response.start", "status": 200, "headers": headers})
        for body in (b"a" * (3 << 20), b"b" * (3 << 20), b"end"):
            parts.send({"type": "http.response.body", "body": body, "more_body": body != b"end"})
    sizes = [len(body) for _, (body,) in sent]
    assert sizes == [3 << 20, 3 << 20, 3, 6 << 20, 3]
    assert ["status" in content for content, _ in sent] == [True, False, False, True, False]


def test_a_page_is_one_document_whose_policy_allows_no_connection(
    channel: Channel, sent: Sent
) -> None:
    channel.receive(page("1", "/learn?lang=en", dark=True, language="en"))
    html = sent[-1][1][0].decode()
    assert "default-src 'none'" in html
    assert "data-dark" in html
    for left in ("<link ", 'src="/static', "modulepreload"):
        assert left not in html
    channel.receive(page("2", "/?t=0&tab=lines"))
    (_, (document,)) = sent[-1]
    for name in (b"core/address/short-link.js", b"lines/lines-tab.js"):
        assert re.search(rb'<script type="text/plain" data-ahead="[^"]+/' + name, document)
    channel.receive(page("2", "/?lang=zh"))
    assert '<html lang="zh-CN">' in sent[-1][1][0].decode()
    channel.receive(page("3", "/api/openapi.json"))
    assert "<pre>" in sent[-1][1][0].decode()


def test_what_cannot_be_answered_is_a_sentence(sent: Sent) -> None:
    with attnscope.Client("http://127.0.0.1:1") as nowhere:
        channel = channel_of(nowhere, sent)
        channel.receive(page("1", "/"))
        channel.receive(asked("2", "/api/v1/models"))
    assert [content["failed"].split(" (")[0] for content, _ in sent[1::2]] == [
        "http://127.0.0.1:1 cannot be reached"
    ] * 2


def test_another_version_is_refused_and_nonsense_ignored(channel: Channel, sent: Sent) -> None:
    channel.receive({**page("1", "/"), "version": "0.0.1"})
    assert "another version of attnscope" in sent[0][0]["failed"]
    assert "run this cell again" in sent[0][0]["failed"]
    sent.clear()
    nonsense: list[Any] = [None, [], {}, {"kind": "ask"}, {"kind": "dance", "id": "1"}, "text"]
    for content in nonsense:
        channel.receive(content)
    assert sent == []


def test_a_loop_that_runs_goes_on_meanwhile_and_sends_from_its_own_thread(
    client: attnscope.Client, sent: Sent
) -> None:
    threads = set()
    done = asyncio.Event()

    def send(content: dict[str, Any], buffers: list[bytes]) -> None:
        threads.add(threading.get_ident())
        sent.append((content, buffers))
        if content["kind"] == "reply" and content["id"] == "2":
            done.set()

    async def notebook() -> None:
        channel = Channel(client._loop, client._client._server, send)
        channel.receive({"kind": "body", "id": "1"}, [b'{"task": "copy", "steps": 1000}'])
        channel.receive(asked("1", "/api/v1/training", "POST", content_type="application/json"))
        channel.receive({"kind": "abort", "id": "1"})
        channel.receive(asked("2", "/api/v1/models"))
        assert [content["kind"] for content, _ in sent] == ["heard", "heard"]
        await asyncio.wait_for(done.wait(), 60)
        channel.close()

    asyncio.run(notebook())
    assert threads == {threading.get_ident()}
    assert [content["id"] for content, _ in sent if content["kind"] == "reply"] == ["2"]


def test_a_server_elsewhere_answers_the_same(
    live_server: str, client: attnscope.Client, channel: Channel, sent: Sent
) -> None:
    here: Sent = sent
    there: Sent = []
    question = asked("1", "/api/v1/models", accept="application/json")
    channel.receive(question)
    with attnscope.Client(live_server) as remote:
        channel_of(remote, there).receive(question)
    assert [content.get("status") for content, _ in here] == [None, 200]
    assert there[1][0]["status"] == 200
    names = [
        json.loads(b"".join(b"".join(buffers) for _, buffers in each))["models"][0]["name"]
        for each in (here, there)
    ]
    assert names[0] == names[1]
