"""Limits of a connection, in a subclass of uvicorn's protocol: docs/decisions/0005-server.md."""

from __future__ import annotations

import asyncio
import re
from enum import Enum
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from attnscope.errors import AttnscopeError, Busy
from attnscope.serving.connections import PATIENCE, Connections
from attnscope.web.http.problems import HeadersTooLarge, NotHttp, SlowRequest

UPGRADE = re.compile(rb"(?<=\n)upgrade(?=[ \t]*:)", re.IGNORECASE)
PIPELINED = 16  # most queued requests
CONTENT_PER_FRAMING_BYTE = 4  # bytes of content for which framing may grow by one byte
LINGER = 1.0  # seconds in which the client can read the last reply; a reset may discard it
LINGER_BYTES = 1 << 20


class Reading(Enum):
    NEXT = "a request, or nothing more"
    HEAD = "the rest of an address and headers"
    BODY = "the rest of a body"
    NOTHING = "nothing that is read"


class Guard(HttpToolsProtocol):
    """`framing` counts bytes of address, headers, chunk sizes and trailers."""

    server_state: Connections

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.reading = Reading.NEXT
        self.since = self.heard = self.loop.time()
        self.stuck: float | None = None
        self.framing = self.content = 0
        self.left = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.server_state.make_room(self.since):
            self.server_state.unasked[self] = None
        else:
            full = Busy("connections", limit=self.server_state.limit)
            self._leave(self.server_state.refusal(full, self.since))

    def connection_lost(self, exc: Exception | None) -> None:
        self.server_state.forget(self)
        self.pipeline.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self.heard = self.loop.time()
        rest, limit = memoryview(data), self.server_state.header_bytes
        while rest and self.reading is not Reading.NOTHING:
            if self.reading is Reading.NEXT:
                self.reading, self.since = Reading.HEAD, self.heard
            room = limit - self.framing if self.reading is Reading.HEAD else limit
            if room > 0:
                self._feed(self._plain(rest[:room]))
                rest = rest[room:]
            if room <= 0 or self.framing > limit + self.content // CONTENT_PER_FRAMING_BYTE:
                self._refuse(HeadersTooLarge("headers", limit=limit >> 10))
        self.framing += len(rest)
        if self.left and self.framing > LINGER_BYTES:
            self.flow.pause_reading()

    def _plain(self, piece: memoryview) -> memoryview:
        """Rename Upgrade headers (RFC 9110, section 7.8), which make httptools stop parsing."""
        if self.reading is not Reading.HEAD:
            return piece
        head, end, rest = bytes(piece).partition(b"\r\n\r\n")
        return memoryview(UPGRADE.sub(b"Ignored", head) + end + rest)

    def _feed(self, piece: memoryview) -> None:
        self.framing += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            self._stop_reading()  # bytes of another protocol may follow
        except httptools.HttpParserError:
            self._refuse(NotHttp("not_http"))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self.reading is not Reading.NOTHING:
            self.reading, self.since = Reading.HEAD, self.heard

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.reading is Reading.HEAD:  # trailers would bypass the checks
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.reading is not Reading.HEAD:
            return
        if len(self.pipeline) >= PIPELINED:
            self._stop_reading()
            return
        self.server_state.unasked.pop(self, None)
        self.reading = Reading.BODY
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self.reading is Reading.BODY:
            self.framing -= len(body)
            self.content += len(body)
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self.reading is Reading.BODY:
            super().on_message_complete()
            self.reading, self.since = Reading.NEXT, self.heard
            self.framing = self.content = 0
            if not self.answering:  # the reply came before the end of the body
                self.server_state.unasked[self] = None

    @property
    def answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def unsent(self) -> int:
        return self.transport.get_write_buffer_size()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.server_state.stopping:
            self.transport.close()
        if self.answering or self.transport.is_closing():
            return
        if self.reading in (Reading.NEXT, Reading.HEAD):
            self.server_state.unasked[self] = None
        self.since = self.loop.time()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.stuck = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.stuck = None

    def look(self, now: float) -> None:
        waited, rules = now - self.since, self.server_state
        if self.transport.is_closing() and self.stuck is None:
            self.stuck = now  # close() waits until the client has read all
        unread = self.stuck is not None and now - self.stuck > rules.write_seconds
        useless = rules.stopping and self.idle(now) > PATIENCE
        if unread or useless or (self.left and waited > LINGER):
            self.cut()
        elif self.left or self.answering or self.transport.is_closing():
            pass
        elif self.reading is Reading.NEXT:
            if waited > (rules.keep_alive_seconds if self.cycle else rules.header_seconds):
                self.transport.close()
        elif waited > rules.header_seconds:
            if self.reading is Reading.HEAD:
                self._refuse(SlowRequest("headers", seconds=f"{rules.header_seconds:g}"))
            else:
                self._leave(b"")  # the reply is sent, but the body has not ended

    def idle(self, now: float) -> float:
        """Seconds since the client's last progress; 0 while the server works."""
        if self.stuck is not None:
            return now - self.stuck
        waits = self.reading is Reading.BODY and not self.flow.read_paused
        return now - self.heard if waits or not self.answering else 0.0

    def shutdown(self) -> None:
        self.pipeline.clear()
        super().shutdown()

    def cut(self) -> None:
        self.server_state.forget(self)
        self.transport.abort()

    def _stop_reading(self) -> None:
        self.reading = Reading.NOTHING
        self.cycle.keep_alive = False

    def _refuse(self, error: AttnscopeError) -> None:
        """Send a problem, unless a reply has begun. A complete request is answered instead."""
        if self.reading is Reading.NOTHING:
            return
        if self.answering and not self.cycle.more_body:
            self._stop_reading()
            return
        begun = self.answering and (self.cycle.response_started or bool(self.pipeline))
        self._leave(b"" if begun else self.server_state.refusal(error, self.loop.time()))

    def _leave(self, reply: bytes) -> None:
        self.reading, self.since, self.left = Reading.NOTHING, self.loop.time(), True
        self.pipeline.clear()
        self.server_state.unasked.pop(self, None)
        if self.answering:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(reply)
        if reply and self.server_state.may_linger(self):
            self.flow.resume_reading()
            self.transport.write_eof()
        else:
            self.transport.close()
