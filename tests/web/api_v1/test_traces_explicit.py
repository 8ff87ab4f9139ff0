"""Traces of weights that were drawn from a seed and sent back are those of the seed."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from attnscope.trace.stages import NAMES
from tests.questions import written_out
from tests.web.client import TRACES, ask, posted, refused


def get(client: TestClient, whole: dict[str, Any], path: str = "", **query: Any) -> Any:
    return client.get(f"{TRACES}/{whole['trace']}{path}", params=query)


def test_weights_written_out_are_answered_alike_piece_by_piece(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for positions in ("none", "sinusoidal", "rotary", "alibi"):
        with subtests.test(positions):
            model = {
                "source": "seeded",
                "seed": 3,
                "d_model": 8,
                "num_heads": 2,
                "positions": positions,
            }
            seeded = {"text": "a cat sat on the mat", "model": model}
            whole, same = ask(client, **seeded), ask(client, **written_out(seeded))
            place = {"row": 3, "col": 1, "head": 1}
            paths = [f"/cells/{stage}" for stage in NAMES]
            paths += [
                "/heads",
                "/rollout",
                "/spectrum",
                "/scaling",
                "/precision",
                "/decode",
                "/sharing",
            ]
            for path in paths:
                query = place if path.startswith("/cells") else {}
                one, other = (get(client, answer, path, **query) for answer in (whole, same))
                assert one.status_code == 200, one.text[:400]
                assert {**one.json(), "trace": same["trace"]} == {
                    "trace": same["trace"],
                    **other.json(),
                }
            objective = {"objective": {"kind": "sum"}}
            one, other = (
                client.post(f"{TRACES}/{answer['trace']}/gradients", json=objective).json()
                for answer in (whole, same)
            )
            assert {**one, "trace": same["trace"]} == {"trace": same["trace"], **other}
            formula = get(client, same, "/cells/x", row=0, col=0).json()["formula"]
            assert formula == ("embedding + position" if positions == "sinusoidal" else "embedding")


def test_an_odd_d_k_of_explicit_weights_is_not_turned(client: TestClient) -> None:
    odd: dict[str, Any] = {"source": "explicit", "positions": "rotary"}
    odd |= {name: [[1, 0, 2]] for name in ("w_q", "w_k", "w_v")}
    body = refused(client, posted({"text": "a", "model": odd}), 422, "shape_mismatch")
    assert body["errors"][0]["at"] == "model.positions"
    assert "d_k is 3" in body["detail"]
