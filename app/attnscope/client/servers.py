from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, Protocol

import httpx2
from threadpoolctl import threadpool_limits

from attnscope.client.asgi import App, Headers, SendMessage, call_app, reply_to
from attnscope.client.calls import BASE, Call, Reply, check
from attnscope.client.loop import CLOSED
from attnscope.client.problem import Problem
from attnscope.client.progress import bar

CONNECT_SECONDS = 10.0
MOST_SENT = 2 << 30  # bytes; the whole body is in memory
LARGE = 8 << 20  # bytes; larger replies show a progress bar
AS_SENT = (b"content-encoding", b"content-length", b"transfer-encoding")


class Server(Protocol):
    url: str

    async def send(self, call: Call) -> Reply:
        """Raises Problem unless the call succeeds."""

    async def most_sent(self) -> int:
        """Largest upload in bytes."""

    async def close(self) -> None: ...


class RelayServer(Server, Protocol):
    async def relay(
        self, method: str, target: str, headers: Headers, body: bytes, send: SendMessage
    ) -> None:
        """Pass the reply to `send` as ASGI messages. Raises Problem."""


class Unpicklable:
    """Pickling and deep copies of clients and traces fail with a reason."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A client and its traces are of one process and cannot be pickled: make a client in "
            "each process, and open a trace there by its id, or keep arrays of it."
        )


class Remote(Unpicklable):
    """`seconds`: longest wait for the next bytes of a reply."""

    def __init__(self, url: str, key: str | None, seconds: float) -> None:
        self.url = address_of(url)
        timeout = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        self._http = httpx2.AsyncClient(
            base_url=self.url + BASE, headers=header_of(key), timeout=timeout
        )
        self._seconds = seconds

    async def send(self, call: Call) -> Reply:
        self._check_open()
        try:
            got = await self._received(call)
        except httpx2.ConnectTimeout:
            raise self._unreachable() from None
        except httpx2.TimeoutException:
            detail = (
                f"{self.url} sent nothing for {self._seconds:g} seconds: ask for less, or give "
                "Client(…, timeout=…) more seconds."
            )
            raise Problem("timeout", detail) from None
        except httpx2.TransportError as error:
            if call.files and not isinstance(error, httpx2.ConnectError):
                raise self._cut_off(call) from error
            raise self._unreachable(error) from error
        return check(got, call, self.url)

    async def relay(
        self, method: str, target: str, headers: Headers, body: bytes, send: SendMessage
    ) -> None:
        self._check_open()
        try:
            async with self._http.stream(
                method, self.url + target, headers=headers, content=body
            ) as got:
                # Without encoding and length, as httpx decompresses the body.
                fields = [pair for pair in got.headers.raw if pair[0].lower() not in AS_SENT]
                start = {"status": got.status_code, "headers": fields}
                send({"type": "http.response.start", **start})
                async for part in got.aiter_bytes():
                    send({"type": "http.response.body", "body": part, "more_body": True})
                send({"type": "http.response.body", "body": b"", "more_body": False})
        except httpx2.TransportError as error:
            raise self._unreachable(error) from error

    async def most_sent(self) -> int:
        return MOST_SENT

    async def close(self) -> None:
        await self._http.aclose()

    def _check_open(self) -> None:
        if self._http.is_closed:
            raise Problem("closed", CLOSED)

    async def _received(self, call: Call) -> Reply:
        async with self._http.stream(call.method, call.path, **call.options()) as got:
            length = got.headers.get("content-length", "")
            if not length.isdigit() or int(length) < LARGE:
                return Reply(got.status_code, got.headers, await got.aread())
            parts, seen = [], 0
            with bar("receiving", int(length), "B") as shown:
                async for part in got.aiter_bytes():
                    parts.append(part)
                    shown.update(got.num_bytes_downloaded - seen)
                    seen = got.num_bytes_downloaded
            return Reply(got.status_code, got.headers, b"".join(parts))

    def _cut_off(self, call: Call) -> Problem:
        """A server that refuses a large body closes early, often without a reply."""
        size = sum(len(content) for _, content in call.files.values())
        return Problem(
            "unreachable",
            f"{self.url} closed the connection while {size / 2**20:,.0f} MB were sent. Its "
            "ATTNSCOPE_MAX_UPLOAD_MB limits uploads: choose fewer layers or heads, or a part of "
            "the tokens.",
        )

    def _unreachable(self, error: Exception | None = None) -> Problem:
        why = f"cannot be reached ({str(error) or type(error).__name__})"
        what = why if error else "does not answer"
        return Problem(
            "unreachable",
            f"{self.url} {what}. Start a server there with `attnscope serve`, check host and port, "
            "or leave the address out, and this process computes.",
        )


class InProcess(Unpicklable):
    """Runs the application on the event loop of the first call. Until `close`, BLAS has one thread,
    as heads are computed in parallel."""

    def __init__(self, data_dir: Path | None, models: Sequence[Path]) -> None:
        self.url = "this process"
        self._data_dir = data_dir
        self._models = list(models)
        self._app: App | None = None
        self._starting, self._opened = asyncio.Lock(), AsyncExitStack()
        self._most_sent = 0
        self._closed = False

    async def send(self, call: Call) -> Reply:
        app = self._app or await self._start()
        return check(await reply_to(app, call), call, self.url)

    async def relay(
        self, method: str, target: str, headers: Headers, body: bytes, send: SendMessage
    ) -> None:
        app = self._app or await self._start()
        await call_app(app, method, target, headers, body, send)

    async def most_sent(self) -> int:
        if self._app is None:
            await self._start()
        return self._most_sent

    async def close(self) -> None:
        self._closed, self._app = True, None
        await self._opened.aclose()

    async def _start(self) -> App:
        async with self._starting:
            if self._closed:
                raise Problem("closed", CLOSED)
            if self._app is None:
                # The import is slow, and would block the loop, which may be the caller's.
                await asyncio.to_thread(import_module, "attnscope.main")
                # threadpoolctl must save and restore limits in one thread.
                self._opened.callback(threadpool_limits(None, "blas").restore_original_limits)
                data_dir = self._data_dir or self._scratch()
                app, self._most_sent = _application(data_dir, self._models)
                await self._opened.enter_async_context(app.router.lifespan_context(app))
                self._app = app
            return self._app

    def _scratch(self) -> Path:
        folder = tempfile.mkdtemp(prefix="attnscope-")
        self._opened.callback(shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)


def _application(data_dir: Path, models: Sequence[Path]) -> tuple[Any, int]:
    """Application without API keys and rate limits, and its upload limit in bytes."""
    # These imports are slow.
    from attnscope.main import create_app
    from attnscope.settings import Settings

    settings = Settings()
    here = {
        "data_dir": data_dir, "models": [*settings.models, *models],
        "host": "127.0.0.1", "api_keys": [], "rate_limit": "",
    }  # fmt: skip
    return create_app(settings.model_copy(update=here)), settings.max_upload_mb << 20


def address_of(url: str) -> str:
    """URL in front of /api/v1, with http:// by default. Raises Problem (`bad_address`)."""
    given = url.strip() if "://" in url else f"http://{url.strip()}"
    try:
        parsed = httpx2.URL(given)
    except httpx2.InvalidURL as error:
        raise _bad(url, str(error)) from None
    if any(letter.isspace() for letter in given):
        raise _bad(url, "there is a space in it")
    if parsed.scheme not in ("http", "https"):
        raise _bad(url, f"{parsed.scheme} is neither http nor https")
    if not parsed.host or parsed.query or parsed.fragment:
        raise _bad(url, "what follows the host does not belong there" if parsed.host else "no host")
    if parsed.port is not None and not 0 < parsed.port < 1 << 16:
        raise _bad(url, f"ports end at 65535, before {parsed.port}")
    return given.rstrip("/").removesuffix(BASE)


def _bad(url: str, why: str) -> Problem:
    detail = f"{url!r} is no address of a server ({why}): give http://127.0.0.1:8000, for example."
    return Problem("bad_address", detail)


def header_of(key: str | None) -> dict[str, str]:
    """Authorization header. Raises Problem, whose text omits the key."""
    if key is None:
        return {}
    bare = key.strip()
    if not bare or not bare.isascii() or not bare.isprintable():
        detail = "The key is empty, or holds characters that no key has: copy it again."
        raise Problem("wrong_key", detail)
    return {"authorization": f"Bearer {bare}"}
