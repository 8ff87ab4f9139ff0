"""Messages from a widget to the application (→), and back (←).

→ {kind: "page", id, target, dark, language, version}
→ {kind: "body", id} + bytes                             part of a request's body
→ {kind: "ask", id, method, target, headers}             request
→ {kind: "abort", id}
← {kind: "heard", id}                                    the kernel is alive
← {kind: "reply", id, status, headers, more} + bytes     first part of a reply
← {kind: "reply", id, more} + bytes                      another part
← {kind: "reply", id, failed}                            error message
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from attnscope.client.asgi import Headers, Message, SendMessage
from attnscope.client.loop import Loop
from attnscope.client.problem import Problem
from attnscope.client.servers import InProcess, RelayServer
from attnscope.notebook.frame import VERSION, page_document

Send = Callable[[dict[str, Any], list[bytes]], None]
Answer = Callable[[SendMessage], Coroutine[Any, Any, None]]

DEFAULT_ORIGIN = "http://127.0.0.1:8000"  # server named in programs that the page shows
MOST_BODY = 1 << 30
MESSAGE = 4 << 20  # bytes up to which parts are joined; each message costs milliseconds
OTHER_VERSION = (
    "This view is of another version of attnscope than the kernel has: run this cell again."
)
LOST = "attnscope could not answer ({error}): run this cell again."
# Request headers that reach the server.
PASSED_HEADERS = ("accept", "accept-language", "content-type", "if-none-match")


class Channel:
    """Calls `send` in the thread of `receive` if an event loop runs there, as in notebooks."""

    def __init__(self, loop: Loop, server: RelayServer, send: Send) -> None:
        self._loop = loop
        self._server = server
        self._send = send
        self._bodies: dict[str, bytearray] = {}
        self._works: dict[str, tuple[Future[None], Parts]] = {}

    def receive(self, content: Any, buffers: Sequence[Any] = ()) -> None:
        """Unknown messages are ignored."""
        kind, id = (content.get("kind"), content.get("id")) if isinstance(content, dict) else (0, 0)
        if not isinstance(id, str):
            return
        if kind == "body":
            self._collect(id, buffers)
        elif kind == "abort":
            self._bodies.pop(id, None)
            self._stop(id)
        elif kind == "ask":
            self._begin(id, partial(self._ask, content, bytes(self._bodies.pop(id, b""))))
        elif kind == "page":
            if content.get("version") == VERSION:
                self._begin(id, partial(self._page, content))
            else:
                self._send({"kind": "reply", "id": id, "failed": OTHER_VERSION}, [])

    def close(self) -> None:
        for id in list(self._works):
            self._stop(id)
        self._bodies.clear()

    def _stop(self, id: str) -> None:
        work, parts = self._works.pop(id, (None, None))
        if work is not None and parts is not None:
            parts.is_wanted = False
            work.cancel()

    def _collect(self, id: str, buffers: Sequence[Any]) -> None:
        body = self._bodies.setdefault(id, bytearray())
        for piece in buffers:
            if len(body) + len(piece) <= MOST_BODY:
                body += piece

    def _begin(self, id: str, answer: Answer) -> None:
        """Answer on the client's event loop, and send from the caller's, if any."""
        self._send({"kind": "heard", "id": id}, [])
        parts = Parts(id, self._send)
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            self._loop.run(_run_answer(answer, parts.send, parts.fail))
            return
        context = contextvars.copy_context()

        def on_loop(act: Callable[[Any], None]) -> Callable[[Any], None]:
            return lambda message: _from_thread(here, partial(act, message), context)

        work = self._loop.begin(_run_answer(answer, on_loop(parts.send), on_loop(parts.fail)))
        self._works[id] = work, parts
        work.add_done_callback(lambda _: self._works.pop(id, None))

    async def _ask(self, content: dict[str, Any], body: bytes, send: SendMessage) -> None:
        headers = [
            (name.lower().encode(), value.encode())
            for name, value in content.get("headers", ())
            if name.lower() in PASSED_HEADERS
        ]
        target = str(content.get("target"))
        await self._server.relay(str(content.get("method")), target, headers, body, send)

    async def _page(self, content: dict[str, Any], send: SendMessage) -> None:
        language = str(content.get("language", "en")).encode("latin-1", "ignore")
        headers: Headers = [(b"accept-language", language), (b"accept", b"text/html, */*")]

        async def fetch(target: str) -> str:
            found: list[bytes] = []
            await self._server.relay(
                "GET", target, headers, b"", lambda part: found.append(part.get("body", b""))
            )
            return b"".join(found).decode()

        origin = DEFAULT_ORIGIN if isinstance(self._server, InProcess) else self._server.url
        target = str(content.get("target"))
        page = await page_document(
            fetch, origin, target.partition("#")[0], bool(content.get("dark"))
        )
        send({"type": "http.response.start", "status": 200, "headers": []})
        send({"type": "http.response.body", "body": page.encode()})


class Parts:
    def __init__(self, id: str, send: Send) -> None:
        self._id = id
        self._send = send
        self._start: dict[str, Any] = {}
        self._body = bytearray()
        self._joins = False
        self.is_wanted = True

    def send(self, message: Message) -> None:
        """Send a part of the reply, or hold small ones. The first has status and headers too."""
        if message["type"] == "http.response.start":
            headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in message["headers"]]
            self._start = {"status": message["status"], "headers": headers}
            media = dict(headers).get("content-type", "")
            self._joins = not media.startswith("text/event-stream")
            return
        more = bool(message.get("more_body", False))
        self._body += message.get("body", b"")
        if self._joins and more and len(self._body) < MESSAGE:
            return
        start, self._start = self._start, {}
        body, self._body = bytes(self._body), bytearray()
        if self.is_wanted and (body or start or not more):
            self._send({"kind": "reply", "id": self._id, "more": more, **start}, [body])

    def fail(self, sentence: str) -> None:
        if self.is_wanted:
            self._send({"kind": "reply", "id": self._id, "failed": sentence}, [])


async def _run_answer(answer: Answer, send: SendMessage, fail: Callable[[str], None]) -> None:
    try:
        await answer(send)
    except Problem as problem:
        fail(problem.detail)
    except Exception as error:
        fail(LOST.format(error=f"{type(error).__name__}: {error}"))


def _from_thread(
    loop: asyncio.AbstractEventLoop, act: Callable[[], None], context: contextvars.Context
) -> None:
    with suppress(RuntimeError):  # the notebook is closed
        loop.call_soon_threadsafe(act, context=context)
