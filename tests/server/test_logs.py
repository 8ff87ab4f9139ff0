"""The log: lines that machines and people read, none twice, none that holds anybody up."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from attnscope.serving.logs import KEPT, Console, Json, RepeatFilter, Writer
from tests.hostile.sockets import eventually


def record(message: str = "request", **more: Any) -> logging.LogRecord:
    return logging.makeLogRecord(
        {
            "name": "attnscope.x",
            "levelname": "INFO",
            "levelno": logging.INFO,
            "msg": message,
            **more,
        }
    )


def failed() -> Any:
    try:
        try:
            raise KeyError("what somebody wrote")
        except KeyError as error:
            raise ValueError("what somebody wrote") from error
    except ValueError as error:
        return type(error), error, error.__traceback__


@pytest.fixture
def pipe() -> Iterator[tuple[int, Writer]]:
    """Where lines come out, and their writer."""
    out, into = os.pipe()
    writer = Writer(into)
    writer.setFormatter(Json())
    yield out, writer
    os.set_blocking(into, False)
    os.close(out)


def test_a_line_of_json_has_the_fields_of_its_event() -> None:
    line = orjson.loads(Json().format(record(fields={"id": "a", "status": 503})))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line == {"level": "info", "message": "request", "id": "a", "status": 503}


def test_a_line_for_a_reader_is_one_line() -> None:
    line = Console().format(record(fields={"id": "a", "status": 503}))
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} info    request id=a status=503", line)


@pytest.mark.parametrize("form", [Json(), Console()])
def test_an_exception_is_logged_with_its_kind_and_place_and_not_with_what_it_quotes(
    form: logging.Formatter,
) -> None:
    line = form.format(record(exc_info=failed()))
    assert "ValueError" in line
    assert "KeyError" in line
    assert "test_logs.py" in line
    assert "somebody" not in line


def test_a_complaint_that_comes_again_is_counted() -> None:
    once, heard = RepeatFilter(), []
    for n in range(50):
        heard.append(once.filter(record(name="asyncio", msg="no descriptor %d", args=(n,))))
    assert heard.count(True) == 1
    assert once.filter(record(name="asyncio", msg="something else"))
    assert all(once.filter(record()) for _ in range(50)), "requests are logged one by one"


def test_lines_that_nobody_reads_hold_nobody_up_and_are_counted(pipe: tuple[int, Writer]) -> None:
    out, writer = pipe
    more = 5_000
    for _ in range(KEPT + more):
        writer.handle(record(fields={"id": "a" * 64}))
    lines: list[dict[str, Any]] = []
    rest = b""

    def read() -> bool:
        nonlocal rest
        *whole, rest = (rest + os.read(out, 1 << 16)).split(b"\n")
        lines.extend(orjson.loads(line) for line in whole)
        writer.handle(record())
        return any("lost" in line["message"] for line in lines)

    assert eventually(read)
    lost = sum(
        line["times"] for line in lines if "lost" in line["message"]
    )  # logged in one line, or in more
    assert 0 < lost <= more


def test_a_warning_is_written_before_the_process_can_be_killed(pipe: tuple[int, Writer]) -> None:
    out, writer = pipe
    writer.handle(record(levelno=logging.WARNING))
    writer.flush()
    os.set_blocking(out, False)
    assert orjson.loads(os.read(out, 4096))["message"] == "request"
