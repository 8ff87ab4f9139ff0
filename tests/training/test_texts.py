"""Texts out of packages: what is read is what was written."""

from __future__ import annotations

import zlib

from training.texts import glosses, inflated, paragraphs, split, strings


def serialised(lines: list[str | None]) -> bytes:
    """A vector of strings as R writes it, in its third version."""
    head = b"X\n" + bytes([0, 0, 0, 3, 0, 4, 2, 1, 0, 3, 5, 0, 0, 0, 0, 5]) + b"UTF-8"
    body = b"".join(
        b"\x00\x04\x00\x09"
        + (b"\xff" * 4 if each is None else len(each.encode()).to_bytes(4) + each.encode())
        for each in lines
    )
    return head + b"\x00\x00\x00\x10" + len(lines).to_bytes(4) + body


def test_strings_come_out_of_an_object_of_r() -> None:
    assert strings(serialised(["EMMA", "", "Emma était", None])) == ["EMMA", "", "Emma était", ""]


def test_each_object_of_a_database_is_a_stream_behind_its_length() -> None:
    objects = [b"one" * 50, b"two"]
    data = b"".join(len(each).to_bytes(4) + zlib.compress(each) for each in objects)
    assert list(inflated(data)) == objects


def test_lines_are_joined_up_to_the_next_empty_one() -> None:
    assert paragraphs(["EMMA", "", "", "Emma Woodhouse,", "handsome", ""]) == (
        "EMMA\nEmma Woodhouse, handsome"
    )


def test_the_last_twentieth_is_held_out() -> None:
    text = "".join(chr(97 + i % 26) for i in range(200))
    parts = split(text)
    assert parts.train + parts.held_out == text
    assert len(parts.held_out) == 10


def test_definitions_and_examples_stand_on_lines_of_their_own() -> None:
    data = (
        "  1 This software and database is being provided to you\n"
        "00016380 29 v 01 drowse 0 001 @ 00014405 v 0000 01 + 02 00 | be on the verge of sleep;"
        ' nod; "The students were drowsing"; "she drowsed"  \n'
        "00001740 03 n 01 entity 0 000 | that which is perceived  \n"
    )
    assert glosses(data).splitlines() == [
        "be on the verge of sleep; nod", "The students were drowsing", "she drowsed",
        "that which is perceived",
    ]  # fmt: skip
