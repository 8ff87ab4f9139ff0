"""Routes that refuse undeclared query parameters. `openapi_extra` declares those that
a handler reads itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute

from attnscope.errors import InvalidRequest
from attnscope.web.http.problems import BadQuery

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
        handle, known = self.answering(), known_by(self)

        async def strict(request: Request) -> Response:
            if request.scope["query_string"]:
                check_query(request, known, self.ignores)
            return await handle(request)

        return strict

    def answering(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        return super().get_route_handler()


def known_by(route: APIRoute) -> list[str]:
    """Names of query parameters; those that all routes share are last."""
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
