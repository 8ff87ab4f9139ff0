"""The query parameter `skip`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.web.api_v1.address_parameters import recall


async def chosen_keys(
    skip: Annotated[
        str | None,
        Query(
            pattern=r"^\d{1,6}(_\d{1,6})*$",
            max_length=2_000,
            description="Positions of keys that are left out, joined by _, as 0_3: each row of "
            "weights is divided by the sum of the others.",
        ),
    ] = None,
) -> tuple[int, ...]:
    return tuple(sorted({int(key) for key in skip.split("_")})) if skip else ()


Skip = Annotated[tuple[int, ...], Depends(chosen_keys)]


async def recall_without(
    request: Request, trace_id: str, stage: str, skip: tuple[int, ...], *, merges: bool = False
) -> Plan:
    """Raises InvalidRequest for other stages, words and unknown keys, TooLarge for long texts."""
    if stage != "weights":
        raise InvalidRequest("skip_of_weights", at="skip")
    planned = await recall(request, trace_id, captured=True)
    check_keys(planned, skip, merges=merges)
    return planned


def check_keys(planned: Plan, skip: tuple[int, ...], *, merges: bool = False) -> None:
    """Raises InvalidRequest for unknown keys and for words."""
    if skip and merges:
        raise InvalidRequest("skip_of_words", at="skip")
    most = max(planned.keys(layer) for layer in range(planned.model.num_layers))
    if skip and skip[-1] >= most:
        raise InvalidRequest("out_of_range", at="skip", name="skip", value=skip[-1], last=most - 1)


def name_without(name: str, skip: tuple[int, ...]) -> str:
    return f"{name}-without-{'_'.join(map(str, skip))}"[:120] if skip else name
