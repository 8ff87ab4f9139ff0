"""Errors in print: each has computed numbers, sentences, and a chapter that deals with it."""

from __future__ import annotations

from itertools import chain

import pytest

from attnscope.learn import BY_NAME
from attnscope.learn.errata import DOCUMENTS, of_chapter
from attnscope.learn.exercises import compute_trace
from tests.test_repo import messages

ALL = tuple(chain(*DOCUMENTS.values()))


def test_every_erratum_says_what_is_printed_and_what_is_right(subtests: pytest.Subtests) -> None:
    assert len({each.name for each in ALL}) == len(ALL) > 45
    for each in ALL:
        with subtests.test(each.name):
            assert each.chapter in BY_NAME
            assert each in of_chapter(each.chapter)
            for language in ("en", "zh"):
                values = each.values_in(language)
                if question := each.question_in(language):
                    compute_trace(question)
                said = messages(language)
                right = said[f"errata.{each.name}.right"]
                assert said[f"errata.{each.name}.printed"] != right
                assert "{" not in right.format_map(values)


def test_the_numbers_are_those_of_the_arithmetic() -> None:
    values = {each.name: each.values() for each in ALL}
    assert values["smooth"]["row"] == "0.54, 0.22, 0.24"
    assert values["divided"]["last"] == "625.08"  # printed 625.13
    assert values["q_times_q"]["rows"].startswith("48, 128, 208")
    assert {**values["whole_transpose"], "wrong": ""} == {
        "k": "2 × 3 × 4", "t": "4 × 3 × 2", "right": "2 × 4 × 3", "wrong": "",
    }  # fmt: skip
    assert values["two_heads"] == {"first": "0.50, 0.25", "second": "0.80, 0.20"}
    assert values["current_token"]["below"] == "0" != values["current_token"]["above"]
    assert values["one_column"]["scores"] == "0" != values["one_column"]["column"]
    assert values["gradient"]["difference"] == values["slopes"]["difference"] == "0"
    assert values["gradient"]["printed"] != values["gradient"]["w"]
    assert values["parameters"] == {"three": "786,432", "four": "1,048,576"}
    assert values["v_keeps_more"]["q"] == values["v_keeps_more"]["v"]
    assert values["first_turn"]["u"] == values["first_turn"]["sigma"] > values["first_turn"]["v"]
    assert values["sixteen"] == {"lengths": "12, 12, 13, 12", "n": "16", "padding": "15"}
    assert values["same_shape"] == {"q": "4 × 4 × 16 × 128", "k": "4 × 1 × 16 × 128"}
    assert values["later_word"]["decoder"] == "0.21, 0.43, 0.35"
    assert values["not_copied"] == {"weight": "1", "difference": "0"}
    assert values["important"]["rescaled"] == "0"
    assert float(values["important"]["larger"]) > 2 * float(values["important"]["sigma"])
    assert values["projection"]["apart"] != "0" != values["own_columns"]["moved"]
    assert values["noise"]["together"].startswith("0")
    assert values["mask_axes"] == {
        "mask": "4 × 16 × 16", "scores": "4 × 4 × 16 × 16", "right": "4 × 1 × 16 × 16",
        "cells": "96",
    }  # fmt: skip
