"""Captures that are refused leave nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.web.captures import CAPTURES, FULL, TOKENS, WEIGHTS, npy, npz, sent
from tests.web.client import refused, stored
from tests.web.conftest import MakeClient

VOCABULARY = b'{"model": {"vocab": {"a": 0, "b": 1, "c": 2, "d": 3}}}'


def refusals() -> dict[str, tuple[dict[str, Any], int, str]]:
    """Requests with the status and the code of their refusal."""
    nan, negative = WEIGHTS.copy(), WEIGHTS.copy()
    nan[0, 0, 1, 1], negative[0, 0, 1, 1] = np.nan, -0.5
    objects = np.array([{"a": 1}], dtype=object)

    def of(tokens: Any = TOKENS, **arrays: np.ndarray) -> dict[str, Any]:
        return sent(("run.npz", npz(**arrays)), tokens=tokens)

    def named(tokens: Any, tokenizer: bytes = VOCABULARY) -> dict[str, Any]:
        request = of(tokens, weights=WEIGHTS)
        request["files"].append(("tokenizer", ("tokenizer.json", tokenizer)))
        return request

    long = np.ones((1, 4, 9000, 1), np.float32)
    shorter = {"layers.0.weights": WEIGHTS[0], "layers.1.weights": WEIGHTS[1, :, :4, :4]}
    return {
        "NaN": (of(weights=nan), 422, "non_finite"),
        "infinite q": (of(weights=WEIGHTS, q=FULL["q"] / 0.0), 422, "non_finite"),
        "negative": (of(weights=negative), 422, "invalid_request"),
        "too few tokens": (of(TOKENS[:4], weights=WEIGHTS), 422, "shape_mismatch"),
        "too many tokens": (of([*TOKENS, "x"], weights=WEIGHTS), 422, "shape_mismatch"),
        "texts for a batch": (of([TOKENS, TOKENS], weights=WEIGHTS), 422, "shape_mismatch"),
        "no list": (of("The", weights=WEIGHTS), 422, "invalid_request"),
        "numbers for tokens": (of([1, 2, 3, 4, 5], weights=WEIGHTS), 422, "invalid_request"),
        "ids beyond the vocabulary": (named([0, 1, 2, 3, 9]), 422, "invalid_request"),
        "a tokenizer and no ids": (named(TOKENS), 422, "invalid_request"),
        "a tokenizer and no lists": (named(None), 422, "invalid_request"),
        "no vocabulary": (named([0], b'{"model": {"vocab": {"a": "0"}}}'), 422, "bad_weights_file"),
        "no tokenizer.json": (named([0], b"\x93NUMPY"), 422, "bad_weights_file"),
        "layers of two lengths": (of(**shorter), 422, "shape_mismatch"),
        "a gap": (of(**{"layers.1.weights": WEIGHTS[1]}), 422, "shape_mismatch"),
        "twice": (of(weights=WEIGHTS, attentions=WEIGHTS), 422, "shape_mismatch"),
        "a vector": (of(weights=WEIGHTS[0, 0, 0]), 422, "shape_mismatch"),
        "a number": (of(weights=np.array(1.0)), 422, "shape_mismatch"),
        "w_o alone": (of(w_o=np.eye(4)), 422, "shape_mismatch"),
        "objects": (of(weights=objects), 422, "bad_weights_file"),
        "an .npy of objects": (sent(("a.npy", npy(objects))), 422, "bad_weights_file"),
        "a pickle": (sent(("a.pt", b"\x80\x02}q\x00.")), 422, "bad_weights_file"),
        "cut short": (sent(("a.npy", npy(WEIGHTS)[:-8])), 422, "bad_weights_file"),
        "a text": (sent(("a.txt", b"hello")), 422, "bad_weights_file"),
        "no file": (
            {"method": "POST", "url": CAPTURES, "files": {"tokens": (None, "[]")}},
            422, "bad_weights_file",
        ),
        "another name": (of(weights=WEIGHTS, attn_probs=WEIGHTS), 422, "unknown_layout"),
        "another field": (sent(("a.npz", npz(weights=WEIGHTS)), tokenz="[]"), 422,
                          "invalid_request"),
        "JSON": ({"method": "POST", "url": CAPTURES, "json": {}}, 415, "unsupported_media"),
        "many layers": (of(weights=np.ones((300, 1, 1, 1)), tokens=["a"]), 422, "shape_mismatch"),
        "many maps": (of(None, weights=np.ones((2, 600, 128, 1, 1))), 413, "too_large"),
        "many texts": (of(None, weights=np.ones((5000, 1, 1, 1))[None]), 413, "too_large"),
        "a large trace": (
            of(None, q=long, k=long),
            413, "too_large",
        ),
    }  # fmt: skip


def other_dtypes() -> dict[str, tuple[dict[str, Any], int, str]]:
    """As refusals()."""
    arrays = {
        "bfloat16 that numpy cannot name": {"weights": WEIGHTS.view("V2")},
        "records": {"weights": np.zeros(2, [("a", "f4")])},
        "complex numbers": {"weights": WEIGHTS.astype("c8")},
        "an object beside weights": {"weights": WEIGHTS, "q": np.array([{}], dtype=object)},
    }
    return {
        name: (sent(("run.npz", npz(**each))), 422, "bad_weights_file")
        for name, each in arrays.items()
    }


def test_what_cannot_be_read_is_refused_and_leaves_nothing(
    make_client: MakeClient, data: Path, subtests: pytest.Subtests
) -> None:
    client = make_client()
    with np.errstate(all="ignore"):
        cases = refusals() | other_dtypes()
    for name, (request, status, code) in cases.items():
        with subtests.test(name):
            body = refused(client, request, status, code)
            assert all(one["at"] != "weights" for one in body["errors"])
    assert "9 at position 4" in refused(client, *cases["ids beyond the vocabulary"])["detail"]
    assert "tokenizer.json" in refused(client, *cases["numbers for tokens"])["detail"]
    assert "dtype [('a', '<f4')]: save" in refused(client, *cases["records"])["detail"]
    assert "attn_probs" in refused(client, *cases["another name"])["detail"]
    assert stored(data) == ([], 0)


def test_quota_and_limits_are_those_of_uploads(make_client: MakeClient, data: Path) -> None:
    client = make_client(models_mb=1)
    big = np.full((1, 1, 400, 400), 0.0025)
    refused(client, sent(("a.npz", npz(weights=big))), 507, "storage_full")
    assert stored(data) == ([], 0)


def test_files_may_be_as_large_as_those_of_models(make_client: MakeClient) -> None:
    large = np.full((1, 1, 400, 400), 0.0025)
    client = make_client(max_body_mb=1, max_upload_mb=2)
    assert client.request(**sent(("a.npz", npz(weights=large)))).status_code == 201
    larger = sent(("a.npz", npz(weights=np.concatenate([large, large]))))
    refused(client, larger, 413, "body_too_large")
