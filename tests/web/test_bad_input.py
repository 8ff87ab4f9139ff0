"""Every bad input gets its code, its place and a sentence; nothing is stored, nothing breaks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import ATTENTION, TRACES, posted, raw, refused, serving_app, stored

TINY = {"source": "seeded", "d_model": 2, "num_heads": 1}
EYE = [[1, 0], [0, 1]]


def seeded(**changed: Any) -> dict[str, Any]:
    return {"text": "a b", "model": {"source": "seeded", **changed}}


def explicit(**changed: Any) -> dict[str, Any]:
    model = {"source": "explicit", "w_q": EYE, "w_k": EYE, "w_v": EYE, **changed}
    return {"x": EYE, "model": model}


def a(**options: Any) -> dict[str, Any]:
    return {"text": "a b", **options}


def x(rows: Any, **options: Any) -> dict[str, Any]:
    return {"x": rows, "model": TINY, **options}


LIMITS = {"max_tokens": 1_000, "max_characters": 10_000}
INVALID, EMPTY, SHAPE = (422, "invalid_request"), (422, "empty_text"), (422, "shape_mismatch")
NON_FINITE, MANY = (422, "non_finite"), (413, "too_many_tokens")
Case = tuple[Any, tuple[int, str], str | None]

# What it is: the body (bytes as they are), the status and code, the place.
TEXTS: dict[str, Case] = {
    "no text": ({"text": ""}, EMPTY, "text"),
    "only spaces": ({"text": " \t\n\u3000 "}, EMPTY, None),
    "one empty text of a batch": ({"text": ["a", ""]}, EMPTY, "text[1]"),
    "a batch of none": ({"text": []}, EMPTY, "text"),
    "no tokens": ({"tokens": []}, EMPTY, "tokens"),
    "an empty row of tokens": ({"tokens": [["a"], []]}, EMPTY, "tokens"),
    "nothing at all": ({}, INVALID, "text"),
    "too many characters": ({"text": "a" * 10_001}, MANY, "text"),
    "too many tokens": ({"text": "a " * 1_001}, MANY, "text"),
    "more tokens than context_length": (a(context_length=1), MANY, "context_length"),
    "a context_length beyond all": (a(context_length=10**9), MANY, "context_length"),
    "many long texts": ({"text": ["a b " * 501] * 3}, MANY, "text[0]"),
    "many characters in all": ({"text": ["a" * 6_000] * 3}, MANY, "text[1]"),
    "many characters in tokens": ({"tokens": ["a" * 6_000] * 3}, MANY, "tokens"),
    "lists a thousand deep": (b'{"text":' + b"[" * 1000 + b"]" * 1000 + b"}", INVALID, "text"),
    "a lone surrogate": (rb'{"text": "a \ud800"}', INVALID, "text"),
    "a lone surrogate in a token": (rb'{"tokens": ["\udc00"]}', INVALID, "tokens"),
    "NUL": ({"text": "a\0b"}, INVALID, "text"),
    "NUL in a batch": ({"text": ["a", "\0"]}, INVALID, "text[1]"),
    "a number for a text": ({"text": 3}, INVALID, "text"),
    "text beside tokens": (a(tokens=["a"]), INVALID, "text"),
    "text beside x": ({"text": "a", **x(EYE)}, INVALID, "text"),
    "an unknown tokenizer": (a(tokenizer="bytes"), INVALID, "tokenizer"),
}
NUMBERS: dict[str, Case] = {
    "NaN in x": (b'{"x": [[NaN, 1]]}', NON_FINITE, "x"),
    "Infinity in x": (b'{"x": [[1, -Infinity]]}', NON_FINITE, "x"),
    "a number too large for any float": (b'{"x": [[1e999, 1]]}', NON_FINITE, "x"),
    "a whole number too large": (x([[10**400, 1]]), INVALID, "x"),
    "NaN in w_q": (
        b'{"text": "a", "model": {"source": "explicit", "w_q": [[NaN]], "w_k": [[1]],'
        b' "w_v": [[1]]}}', NON_FINITE, "model.w_q",
    ),
    "ragged x": (x([[1, 2], [3]]), SHAPE, "x"),
    "ragged in depth": (x([[1, 2], [[3], 4]]), SHAPE, "x"),
    "ragged w_k": (explicit(w_k=[[1, 0], [1]]), SHAPE, "model.w_k"),
    "a vector for x": (x([1, 2]), SHAPE, "x"),
    "four axes for x": (x([[[[1, 2]]]]), SHAPE, "x"),
    "an empty x": (x([]), INVALID, "x"),
    "empty rows": (x([[], []]), SHAPE, "x"),
    "texts in x": (x([["1", "2"]]), INVALID, "x"),
    "true in x": (x([[True, 1]]), INVALID, "x"),
    "null in x": (x([[None, 1]]), INVALID, "x"),
    "x that is too narrow": (x([[1], [2]]), SHAPE, "x"),
    "x that is a text": (x("1"), INVALID, "x"),
    "labels that do not fit": (x(EYE, tokens=["a"]), SHAPE, "tokens"),
    "w_k of another height": (explicit(w_k=[[1, 0]]), SHAPE, "model.w_k"),
    "w_k of another width": (explicit(w_k=[[1], [1]]), SHAPE, "model.w_k"),
    "w_o of another height": (explicit(w_o=[[1, 1]]), SHAPE, "model.w_o"),
    "b_q of another width": (explicit(b_q=[1]), SHAPE, "model.b_q"),
    "b_o without w_o": (explicit(b_o=[1, 1]), INVALID, "model.b_o"),
    "no w_v": (
        {"x": EYE, "model": {"source": "explicit", "w_q": EYE, "w_k": EYE}},
        INVALID, "model.w_v",
    ),
    "heads that divide no columns": (explicit(num_heads=3), SHAPE, "model.w_q"),
}  # fmt: skip
MODELS: dict[str, Case] = {
    "heads that do not divide d_model": (seeded(num_heads=3), SHAPE, "model.num_heads"),
    "key/value heads that do not divide": (seeded(num_kv_heads=3), SHAPE, "model.num_kv_heads"),
    "no heads": (seeded(num_heads=0), INVALID, "model.num_heads"),
    "d_model of 0": (seeded(d_model=0), INVALID, "model.d_model"),
    "a negative seed": (seeded(seed=-1), INVALID, "model.seed"),
    "a seed out of range": (seeded(seed=2**53), INVALID, "model.seed"),
    "a seed of a thousand digits": (seeded(seed=10**1000), INVALID, "model.seed"),
    "a seed with a fraction": (seeded(seed=0.5), INVALID, "model.seed"),
    "a seed in quotes": (seeded(seed="3"), INVALID, "model.seed"),
    "an unknown init": (seeded(init="zeros"), INVALID, "model.init"),
    "sharing what has two shapes": (seeded(share="qk", num_kv_heads=2), SHAPE, "model.share"),
    "layers that do not chain": (
        seeded(num_layers=2, output_projection=False, d_v=5), SHAPE, "model.output_projection",
    ),
    "too many layers": (seeded(num_layers=97), INVALID, "model.num_layers"),
    "orthogonal matrices that take minutes": (
        seeded(init="orthogonal", d_model=3600, num_heads=1), (413, "too_large"), None,
    ),
    "an unknown source": (a(model={"source": "guessed"}), INVALID, "model"),
    "no source": (a(model={"seed": 1}), INVALID, "model"),
    "a model that is null": (a(model=None), INVALID, "model"),
    "an unknown crafted head": (
        a(model={"source": "crafted", "name": "next_token"}), INVALID, "model.name",
    ),
    "an upload that is not there": (
        a(model={"source": "uploaded", "id": "../.secret"}), (404, "unknown_model"), "model.id",
    ),
    "an unknown field of the model": (seeded(dmodel=8), INVALID, "model.dmodel"),
}  # fmt: skip
OPTIONS: dict[str, Case] = {
    "temperature 0": (a(temperature=0), INVALID, "temperature"),
    "a negative temperature": (a(temperature=-1), INVALID, "temperature"),
    "a temperature that is NaN": (b'{"text": "a", "temperature": NaN}', INVALID, "temperature"),
    "an infinite scale": (b'{"text": "a", "scale": Infinity}', INVALID, "scale"),
    "an unknown scale": (a(scale="sqrt"), INVALID, "scale"),
    "a window of 0": (a(window=0), INVALID, "window"),
    "a window of 400 digits": (b'{"text":"a","window":1' + b"0" * 400 + b"}", INVALID, "window"),
    "a prefix of 400 digits": (b'{"text":"a","prefix":1' + b"0" * 400 + b"}", INVALID, "prefix"),
    "a negative prefix": (a(prefix=-1), INVALID, "prefix"),
    "causal in words": (a(causal="yes"), INVALID, "causal"),
    "a blocked cell out of range": (a(blocked=[[0, 2]]), INVALID, "blocked"),
    "a blocked cell below 0": (a(blocked=[[-1, 0]]), INVALID, "blocked[0][0]"),
    "too many blocked cells": (a(blocked=[[0, 0]] * 70_000), INVALID, "blocked"),
    "a head twice": (a(heads=[0, 0]), INVALID, "heads"),
    "a layer twice": (a(layers=[0, 0]), INVALID, "layers"),
    "a dropped head of a layer that is not there": (a(drop=[[1, 0]]), INVALID, "drop"),
    "a dropped head that is not there": (a(drop=[[0, 4]]), INVALID, "drop"),
    "a dropped head below 0": (a(drop=[[0, -1]]), INVALID, "drop[0][1]"),
    "a dropped head of no layer": (a(drop=[[0]]), INVALID, "drop[0]"),
    "too many dropped heads": (a(drop=[[0, 0]] * 25_000), INVALID, "drop"),
    "a blocked cell of three": (a(blocked=[[0, 0, 0]]), INVALID, "blocked[0]"),
    "an unknown dtype": (a(dtype="float8"), INVALID, "dtype"),
    "an unknown field": (a(temprature=1), INVALID, "temprature"),
    "a layer out of range": (a(layers=[1]), INVALID, "layers"),
    "a head out of range": (a(heads=[0, 4]), INVALID, "heads"),
    "a negative head": (a(heads=[-1]), INVALID, "heads[0]"),
    "an unknown stage": (a(stages=["logits"]), (404, "unknown_stage"), "stages"),
    "a list for a body": ([a()], INVALID, "body"),
    "null for a body": (b"null", INVALID, "body"),
    "invalid JSON": (b"{'text': 'a'}", (400, "invalid_json"), None),
    "no JSON at all": (b"\xff\xfe\x00", (400, "invalid_json"), None),
    "brackets without end": (b"[" * 100_000, (400, "invalid_json"), None),
}
CONTEXTS: dict[str, Case] = {
    "a context without a text": ({"context": "a"}, INVALID, "text"),
    "a context beside context_tokens": (a(context="c", context_tokens=["c"]), INVALID, "context"),
    "a context beside context_x": (a(context="c", context_x=EYE), INVALID, "context"),
    "an empty context": (a(context=""), EMPTY, "context"),
    "an empty text among the contexts": (a(context=["c", " "]), EMPTY, "context[1]"),
    "no context tokens": (a(context_tokens=[]), EMPTY, "context_tokens"),
    "a number for a context": (a(context=3), INVALID, "context"),
    "a surrogate in the context": (rb'{"text": "a", "context": "\ud800"}', INVALID, "context"),
    "a very long context": (a(context="a " * 1_001), MANY, "context"),
    "two texts and one context": ({"text": ["a", "b"], "context": "c"}, SHAPE, "context"),
    "one text and two contexts": (a(context_tokens=[["c"], ["d"]]), SHAPE, "context_tokens"),
    "x and context_x of two batches": (x([EYE, EYE], context_x=EYE), SHAPE, "context_x"),
    "a context_x that is too narrow": (x(EYE, context_x=[[1]]), SHAPE, "context_x"),
    "NaN in context_x": (b'{"text": "a", "context_x": [[NaN]]}', NON_FINITE, "context_x"),
    "ragged context_x": (x(EYE, context_x=[[1, 2], [3]]), SHAPE, "context_x"),
    "labels that do not fit the context": (
        x(EYE, context_x=EYE, context_tokens=["c"]), SHAPE, "context_tokens",
    ),
    "causal with a context": (a(context="c d", causal=True), INVALID, "causal"),
    "a window with a context": (a(context="c d", window=2), INVALID, "window"),
    "a prefix with a context": (a(context="c d", prefix=1), INVALID, "prefix"),
    "a blocked cell beyond the context": (a(context="c", blocked=[[0, 1]]), INVALID, "blocked"),
    "context as a stage without a context": (
        a(stages=["context"]), (404, "unknown_stage"), "stages",
    ),
}  # fmt: skip
CASES = {**CONTEXTS, **TEXTS, **NUMBERS, **MODELS, **OPTIONS}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path]]:
    """A client, and the data folder in which nothing is ever stored."""
    folder = tmp_path_factory.mktemp("data")
    with serving_app(folder, **LIMITS) as client:
        yield client, folder


@pytest.mark.parametrize("url", [ATTENTION, TRACES])
def test_bad_input_is_refused_and_leaves_nothing(
    one: tuple[TestClient, Path], url: str, subtests: pytest.Subtests
) -> None:
    client, folder = one
    for what, (body, (status, code), at) in CASES.items():
        with subtests.test(what):
            request = raw(body, url=url) if isinstance(body, bytes) else posted(body, url)
            refusal = refused(client, request, status, code)
            assert at is None or at in [error["at"] for error in refusal["errors"]]
            assert stored(folder) == ([], 0)


def test_of_very_many_faults_of_a_request_a_few_are_named(one: tuple[TestClient, Path]) -> None:
    for body in (
        a(blocked=[[-1, -1]] * 60_000),
        {"text": [1] * 60_000},
        a(**{f"f{i}": 1 for i in range(5_000)}),
    ):
        refusal = refused(one[0], posted(body, ATTENTION), 422, "invalid_request")
        assert 1 <= len(refusal["errors"]) <= 20


@pytest.mark.parametrize("seed", [b"1e3", b"3.0", b"1" * 30])
def test_of_a_whole_number_the_way_to_write_it_is_said(client: TestClient, seed: bytes) -> None:
    body = b'{"text": "a", "model": {"source": "seeded", "seed": %b}}' % seed
    refusal = refused(client, raw(body), 422, "invalid_request")
    assert "at most 16 digits, without a point or an exponent" in refusal["detail"]


def test_text_plain_is_refused_and_leaves_nothing(one: tuple[TestClient, Path]) -> None:
    client, folder = one
    refused(client, raw(b'{"text": "a"}', "text/plain"), 415, "unsupported_media")
    assert stored(folder) == ([], 0)


def test_by_default_a_text_has_131072_tokens_and_a_million_characters(client: TestClient) -> None:
    for text in ("a " * 131_073, "a" * (10**6 + 1)):
        refused(client, posted({"text": text}), *MANY)
