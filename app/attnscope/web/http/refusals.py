"""Raw replies to connections without a valid request."""

from __future__ import annotations

from http import HTTPStatus

import orjson

from attnscope.errors import AttnscopeError
from attnscope.web.http.identity import SAFE
from attnscope.web.http.problems import PROBLEM, body_of, headers_of, status_of
from attnscope.web.texts import DEFAULT, Catalogue


def refusal(catalogue: Catalogue, error: AttnscopeError, request_id: str) -> bytes:
    body = orjson.dumps(body_of(catalogue, DEFAULT, error, request_id))
    status = HTTPStatus(status_of(error))
    headers = {
        "Content-Type": PROBLEM,
        "Content-Length": str(len(body)),
        "Connection": "close",
        "X-Request-ID": request_id,
        **headers_of(DEFAULT, error),
        **SAFE,
    }
    lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
    lines += [f"{name.lower()}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
