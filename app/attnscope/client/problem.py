from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attnscope.errors import ShortTraceback


class Problem(ShortTraceback, Exception):
    """A problem of the API (RFC 9457), or of the connection.

    Attributes:
        code: such as `empty_text`; without a reply of attnscope, such as `unreachable`, `timeout`,
            `bad_address`, `no_attnscope`, `closed`.
        detail: what is wrong and what to do.
        status: HTTP status; None without a reply.
        errors: `{"at": "model.w_k", "message": "…"}` for each wrong field.
        retry_after: seconds to wait (`busy`, `rate_limited`), or None.
        request_id: id of the request in the server's log, or None.
    """

    __module__ = "attnscope"

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        errors: Sequence[Mapping[str, str]] = (),
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.errors = [dict(error) for error in errors]
        self.retry_after = retry_after
        self.request_id = request_id

    def __str__(self) -> str:
        others = [error["message"] for error in self.errors if error["message"] != self.detail]
        status = "" if self.status is None else f", status {self.status}"
        return f"{' '.join([self.detail, *others])} ({self.code}{status})"


class UnknownStage(Problem, AttributeError):
    """Also an AttributeError, so that hasattr(layer, "nonsense") is False."""


def invalid(detail: str, *at: str) -> Problem:
    errors = [{"at": one, "message": detail} for one in at]
    return Problem("invalid_request", detail, errors=errors)


def problem_of(status: int, body: Mapping[str, Any], retry_after: float | None) -> Problem:
    kind = UnknownStage if body["code"] == "unknown_stage" else Problem
    return kind(
        body["code"],
        body["detail"],
        status=status,
        errors=body.get("errors", ()),
        retry_after=retry_after,
        request_id=body.get("request_id"),
    )
