"""What the API says of decoder blocks: either kind of layer has every view."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.questions import Body

MODEL = {"source": "seeded", "d_model": 16, "num_heads": 4, "num_layers": 2, "block": "decoder"}
BODY: Body = {"text": "The cat sat", "context": "le chat est assis là", "model": MODEL}
BATCH: Body = {"text": ["a b c", "d e"], "context": ["u v", "w x y z"], "model": MODEL}


def test_the_reply_says_whom_each_layer_attends_to(client: TestClient) -> None:
    reply = client.post("/api/v1/attention", json=BODY).json()
    assert [layer["attends_to"] for layer in reply["layers"]] == ["self", "context"] * 2
    assert reply["shape"]["num_layers"] == 4
    assert reply["attends_to"] == ["self", "context"] * 2
    shapes = [np.shape(layer["weights"]) for layer in reply["layers"]]
    assert shapes == [(1, 4, 3, 3), (1, 4, 3, 5)] * 2
    other = client.post("/api/v1/attention", json={"text": "a b"}).json()
    assert "attends_to" not in {*other, *other["layers"][0]}


def test_every_endpoint_answers_of_either_layer(client: TestClient) -> None:
    trace = client.post("/api/v1/traces", json=BODY).json()["trace"]
    at = f"/api/v1/traces/{trace}"
    for layer, keys in ((0, 3), (1, 5)):
        block = client.get(f"{at}/stages/weights?layer={layer}").json()
        assert np.shape(block["values"]) == (3, keys)
        cell = client.get(f"{at}/cells/output?layer={layer}&row=2&col=1")
        assert cell.status_code == 200
        for what in ("spectrum", "initialisation", "scaling", "precision", "sharing", "decode",
                     "linear", "jacobian?row=1", "export?format=csv",
                     "export?format=html"):  # fmt: skip
            joint = "&" if "?" in what else "?"
            assert client.get(f"{at}/{what}{joint}layer={layer}").status_code == 200, what
    hidden = [client.get(f"{at}/stages/hidden?layer={layer}") for layer in (0, 1)]
    assert [one.status_code for one in hidden] == [404, 200]  # the first half of a block has none
    assert hidden[0].json()["code"] == "unknown_stage"
    key = client.get(f"{at}/cells/k?layer=1&row=4&col=0").json()
    assert key["formula"] == "context w_k"
    assert {one["stage"] for one in key["steps"][0]["operands"]} == {"context", "w_k"}
    heads = client.get(f"{at}/heads").json()["heads"]
    assert [one["previous"] is None for one in heads] == ([False] * 4 + [True] * 4) * 2
    asked = {"objective": {"kind": "cell", "row": 2, "col": 0}}
    reply = client.post(f"{at}/gradients", json=asked).json()
    assert np.shape(reply["context"]) == (1, 5, 16)
    assert "Z" in reply["context_mathml"]["w_k"]
    assert "Z" not in reply["mathml"]["w_k"]


def test_what_a_closed_cell_is_closed_by_is_that_of_its_own_layer(client: TestClient) -> None:
    body = {**BATCH, "context_mask": [[0, 1, 1, 1]] * 3}
    trace = client.post("/api/v1/traces", json=body).json()["trace"]

    def because(layer: int, row: int, col: int) -> str:
        place = f"layer={layer}&row={row}&col={col}"
        reply = client.get(f"/api/v1/traces/{trace}/cells/weights?{place}").json()
        return str(reply["masked_because"])

    assert "comes after" in because(0, 0, 2)
    assert because(1, 0, 0) != because(1, 0, 3)
    assert "context" in because(1, 0, 3)


def test_what_does_not_fit_is_refused_with_its_place(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases: list[Any] = [
        ({"text": "a b", "model": MODEL}, "model.block"),
        ({"text": "a b", "context": "c", "context_mask": [[1], [0]]}, "context_mask"),
        ({**BODY, "context_mask": [[1, 0]] * 3}, "context_mask"),
        ({**BODY, "context_mask": [[1, 0, 2, 1, 1]] * 3}, "context_mask"),
        ({**BODY, "mask": [[1] * 5] * 3}, "mask"),
        ({**BODY, "blocked": [[0, 4]]}, "blocked"),
        ({**BODY, "drop": [[4, 0]]}, "drop"),
        ({**BODY, "model": {**MODEL, "block": "Decoder"}}, "model.block"),
        ({**BODY, "model": {**MODEL, "output_projection": False, "d_v": 3}},
         "model.output_projection"),
    ]  # fmt: skip
    for body, at in cases:
        with subtests.test(body=body):
            reply = client.post("/api/v1/attention", json=body)
            assert (reply.status_code, reply.json()["errors"][0]["at"]) == (422, at)
            if at == "model.block" and "context" in body:
                assert "'decoder'" in reply.json()["errors"][0]["message"]


def test_a_rollout_and_parts_of_a_score_say_that_a_context_is_in_the_way(
    client: TestClient,
) -> None:
    trace = client.post("/api/v1/traces", json=BODY).json()["trace"]
    for what in ("rollout", "cells/scores/parts?layer=0", "probe"):
        reply = client.get(f"/api/v1/traces/{trace}/{what}")
        assert reply.status_code == 422, what
        assert reply.json()["errors"][0]["message"]
