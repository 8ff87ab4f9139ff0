from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError

from attnscope.trace.engine import Engine
from attnscope.web.http.admission import AdmissionQueue
from attnscope.web.http.memory_budget import Lease
from attnscope.web.http.negotiation import chosen_format
from attnscope.web.http.problems import InvalidJson, UnsupportedMedia
from attnscope.web.http.queries import RELEASE, StrictRoute
from attnscope.web.http.replies import unchanged
from attnscope.web.http.validation import check_fields
from attnscope.weights.json_cost import cost_of_json

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
LONG = 10_000  # bytes
ARRAY_GROWTH = 4  # the 2 bytes `1,` may become 8


class JsonRequest(Request):
    def __init__(self, request: Request, value: Any, long: bool) -> None:
        super().__init__(request.scope, request.receive)
        self._body = b"read"  # frees the body; if empty, FastAPI would not call json()
        self.value = value
        self.long = long

    async def json(self) -> Any:
        return self.value


def parse(body: bytes) -> Any:
    """Parse with orjson, else with json, which accepts NaN: validation then names the field."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(body.decode("utf-8-sig"))
        except UnicodeDecodeError as wrong:
            raise InvalidJson("not_utf8", byte=wrong.start) from None
        except (ValueError, RecursionError):
            raise InvalidJson("not_json", line=error.lineno, column=error.colno) from None


def check_coding(request: Request) -> None:
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        raise UnsupportedMedia("compressed", given=coding[:40])


class JsonRoute(StrictRoute):
    """Replies 415 to other media types, 400 to invalid JSON, 304 if unchanged."""

    def shared(self, methods: Sequence[str]) -> list[dict[str, Any]]:
        return [*super().shared(methods), *([RELEASE] if "GET" in methods else [])]

    def answering(self) -> Handler:
        handle = self.called()
        adapter: TypeAdapter[Any] | None = None
        if self.body_field is not None:
            adapter = TypeAdapter(self.body_field.field_info.annotation or Any)

        async def strict(request: Request) -> Response:
            if request.method != "POST" or adapter is None:
                return unchanged(request, await handle(request))
            media = request.headers.get("content-type", "").split(";")[0].strip().lower()
            if media != "application/json":
                raise UnsupportedMedia("not_json", given=media or "—")
            check_coding(request)
            return await handle(await _read(request, adapter))

        return strict

    def called(self) -> Handler:
        return super().answering()


class DirectRoute(JsonRoute):
    """Skips FastAPI's dependencies, which take as long as a small reply."""

    def called(self) -> Handler:
        async def direct(request: Request) -> Response:
            assert isinstance(request, JsonRequest)
            media = await chosen_format(request, request.query_params.get("format"))
            response: Response = await self.endpoint(request, request.value, media)
            return response

        return direct


async def _read(request: Request, adapter: TypeAdapter[Any]) -> JsonRequest:
    body = await request.body()
    if len(body) <= LONG:
        return JsonRequest(request, _validated(body, adapter), False)
    size = len(body) + cost_of_json(body)
    value = await admission_of(request).run(
        request, lambda: _validated(body, adapter), size=size, queue="small"
    )
    lease: Lease = request.scope["lease"]
    lease.hold_now(min(size, ARRAY_GROWTH * len(body)))  # its numbers will become arrays
    return JsonRequest(request, value, True)


def _validated(body: bytes, adapter: TypeAdapter[Any]) -> Any:
    parsed = parse(body)
    check_fields(parsed)
    try:
        return adapter.validate_python(parsed)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False), body=parsed) from None


def engine_of(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


def admission_of(request: Request) -> AdmissionQueue:
    admission: AdmissionQueue = request.app.state.admission
    return admission
