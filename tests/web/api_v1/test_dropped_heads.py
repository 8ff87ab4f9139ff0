"""`drop`: heads that add nothing, in a model that stays what it is."""

from __future__ import annotations

import numpy as np
from fastapi.testclient import TestClient

from tests.web.api_v1.test_attention import SMALL, TEXT
from tests.web.client import TRACES, array, ask


def test_a_dropped_head_has_zeros_in_concat_and_the_model_stays(client: TestClient) -> None:
    body = {"text": TEXT, "model": {**SMALL, "num_layers": 2}, "parameters": True}
    plain, none = ask(client, **body), ask(client, **body, drop=[])
    assert none["trace"] == plain["trace"]
    dropped = ask(client, **body, drop=[[1, 0]])
    assert dropped["trace"] != plain["trace"]
    assert dropped["layers"][0] == plain["layers"][0]
    ours, was = dropped["layers"][1], plain["layers"][1]
    for name in ("weights", "head_outputs", "parameters"):
        assert ours[name] == was[name]
    concat = array(was["concat"])
    concat[..., :4] = 0
    np.testing.assert_array_equal(array(ours["concat"]), concat)
    w_o = array(ours["parameters"]["w_o"])
    np.testing.assert_allclose(array(ours["output"])[0], concat[0] @ w_o, rtol=0, atol=1e-12)
    cell = {"layer": 1, "row": 2, "col": 1}
    reply = client.get(f"{TRACES}/{dropped['trace']}/cells/concat", params=cell).json()
    head_output = was["head_outputs"][0][0][2][1]
    assert reply["value"] == 0
    assert reply["steps"][-1]["operands"][0]["value"] == head_output


def test_the_same_heads_are_the_same_question_in_any_order(client: TestClient) -> None:
    drops = [[[0, 0], [0, 1]], [[0, 1], [0, 0]], [[0, 1], [0, 0], [0, 1]]]
    assert len({ask(client, text=TEXT, drop=drop)["trace"] for drop in drops}) == 1
