"""Asking the engine for a trace without blocking the others, and what goes back of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fastapi import Request, Response

from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.trace.work import work_of
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import Content, reply
from attnscope.web.http.requests import admission_of
from attnscope.web.serializers.opening import engine_of

T = TypeVar("T")
SMALL = 200_000  # numbers; below, handing the work to a thread costs more than it saves
BRIEF = 40 * SMALL  # numbers, by `work_of`, of what the lane for small work takes: half a second


async def answer(
    request: Request,
    planned: Plan,
    write: Callable[[Trace], Content],
    media: str = JSON,
    *,
    extra: int = 0,
    slow: bool = False,
    status: int = 200,
) -> Response:
    """The reply that write(trace) makes; see `ask`."""
    content = await ask(request, planned, write, extra=extra, slow=slow)
    return reply(request, content, media, status)


async def ask(
    request: Request,
    planned: Plan,
    work: Callable[[Trace], T],
    *,
    extra: int = 0,
    slow: bool = False,
    near: bool = False,
) -> T:
    """work(trace) on the question's trace: here if both are small, else in a thread.

    `extra` is what the work itself makes, in bytes, beside the trace; `slow` says that it takes
    longer than a small trace, `near` that it takes milliseconds once the trace is there.
    Raises Busy, and TooLarge where it can never fit.
    """
    engine = engine_of(request)
    small = is_small(planned, extra)
    if small and work_of(planned) <= SMALL and not slow:
        return work(engine.trace(planned))
    # Matrices of a few hundred columns: they are held, but few numbers are computed with them.
    few = planned.computed_numbers <= SMALL and extra <= 8 * SMALL
    brief = few and work_of(planned) <= BRIEF
    kept = engine.kept_bytes(planned)
    if near and kept:
        return await admission_of(request).run(
            request, lambda: work(engine.trace(planned)), size=extra, lane="small"
        )
    size = extra + (max(0, planned.bytes - kept) if kept else planned.bytes + planned.held_bytes)
    return await admission_of(request).run(
        request,
        lambda: work(engine.trace(planned)),
        size=0 if small else size,
        lane="small" if brief else "large",
    )


def is_small(planned: Plan, extra: int = 0) -> bool:
    """Whether a question belongs in the lane for small work."""
    return planned.numbers <= SMALL and extra <= 8 * SMALL and work_of(planned) <= BRIEF
