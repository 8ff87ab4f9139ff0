from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

import orjson
from fastapi import Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError

from attnscope.errors import InvalidRequest
from attnscope.trace.engine import Engine
from attnscope.web.http.admission import AdmissionQueue
from attnscope.web.http.memory_budget import Lease
from attnscope.web.http.negotiation import chosen_format
from attnscope.web.http.problems import BadQuery, InvalidJson, UnsupportedMedia
from attnscope.web.http.replies import unchanged
from attnscope.web.http.validation import check_fields
from attnscope.weights.json_cost import cost_of_json

MOST_FAULTS = 20
LONGEST_NAME = 80  # characters


def within(least: int, most: int, about: str) -> Any:
    return Query(ge=least, le=most, description=about)


def parameter(name: str, description: str) -> dict[str, Any]:
    schema = {"type": "string"}
    return {"name": name, "in": "query", "description": description, "schema": schema}


def declared(names: Iterable[str], description: str) -> dict[str, Any]:
    return {"parameters": [parameter(name, description) for name in names]}


LANG = parameter("lang", "Language of sentences: en or zh. Left out: as Accept-Language wants.")
RELEASE = parameter("release", "The server's release; a cache may then keep the reply for ever.")


class StrictRoute(APIRoute):
    def __init__(self, *args: Any, **options: Any) -> None:
        extra = options.pop("openapi_extra", None) or {}
        parameters = [*extra.get("parameters", ()), *self.shared(options["methods"])]
        super().__init__(*args, openapi_extra={**extra, "parameters": parameters}, **options)

    def shared(self, methods: Sequence[str]) -> list[dict[str, Any]]:
        return [LANG]

    def ignores(self, name: str) -> bool:
        return False

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle, known = self.answering(), parameter_names(self)

        async def strict(request: Request) -> Response:
            if request.scope["query_string"]:
                check_query(request, known, self.ignores)
            return await handle(request)

        return strict

    def answering(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        return super().get_route_handler()


def parameter_names(route: APIRoute) -> list[str]:
    """Names of query parameters; those shared by all routes come last."""
    read = [one for one in get_flat_params(route.dependant) if isinstance(one.field_info, Query)]
    extra = (route.openapi_extra or {}).get("parameters", [])
    return [*(one.alias for one in read), *(one["name"] for one in extra)]


def check_query(request: Request, known: Sequence[str], ignores: Callable[[str], bool]) -> None:
    given = [one for one in request.query_params.multi_items() if not ignores(one[0])]
    times = Counter(name for name, _ in given)
    faults = [_fault(name, times[name], known) for name in times if not _fits(name, times, known)]
    if faults:
        kept = urlencode([one for one in given if _fits(one[0], times, known)])
        address = request.url.path
        raise BadQuery.of(faults[:MOST_FAULTS], f"{address}?{kept}" if kept else address)


def _fits(name: str, times: Counter[str], known: Sequence[str]) -> bool:
    return name in known and times[name] == 1


def _fault(name: str, times: int, known: Sequence[str]) -> InvalidRequest:
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    at = f"query.{short}"
    if name in known:
        return InvalidRequest("repeated_parameter", at=at, name=short, times=times)
    return InvalidRequest("unknown_parameter", at=at, name=short, known=", ".join(known))


Handler = Callable[[Request], Coroutine[Any, Any, Response]]
LONG = 10_000  # bytes; more are parsed in a thread
ARRAY_GROWTH = 4  # the 2 bytes `1,` may become a float64


class JsonRequest(Request):
    def __init__(self, request: Request, value: Any, long: bool) -> None:
        super().__init__(request.scope, request.receive)
        self._body = b"read"  # frees the body; FastAPI calls json() only if it is not empty
        self.value = value
        self.long = long

    async def json(self) -> Any:
        return self.value


def parse(body: bytes) -> Any:
    """Parse with orjson, else with json: it accepts NaN, and validation names the field."""
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
    """Replies 415 to bodies of other types, 400 to invalid JSON, 304 if unchanged."""

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
    lease.hold_now(min(size, ARRAY_GROWTH * len(body)))  # numbers will become arrays
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
