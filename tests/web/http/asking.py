"""Requests that no client library would send."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.web.client import run_async

Headers = list[tuple[str, str]]


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    unread: bool  # the body was not read
    scope: dict[str, Any]  # in the end


def asked(app: Any, path: str, headers: Headers, body: bytes = b"", **scope: Any) -> Reply:
    """With these headers and no others."""
    sent: list[Any] = []
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Any:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        sent.append(message)

    asking: dict[str, Any] = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
        "scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    asking |= scope
    run_async(app(asking, receive, send))
    start = sent[0]
    replied = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    content = b"".join(message.get("body", b"") for message in sent[1:])
    unread = next(messages, None) is not None
    return Reply(start["status"], replied, content, unread, asking)
