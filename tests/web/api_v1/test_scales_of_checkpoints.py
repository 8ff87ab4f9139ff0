"""A scale of a checkpoint's own, in the answers that multiply by it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.analysis.scaling import softmax_figures
from tests.families.cases import made
from tests.families.seq2seq_made import made_pair
from tests.web.client import TRACES, serving_app


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("scales")
    folders = [made(name, folder) for name in ("gpt2", "gpt2_by_layer", "gemma2")]
    folders.append(made_pair("t5", folder))
    with serving_app(folder / "data", models=folders) as client:
        yield client


def traced(client: TestClient, name: str, **options: Any) -> str:
    """The address of a trace."""
    context = {"context": "It was"} if name == "t5" else {}
    body = {"text": "The animal didn't", "model": {"source": "installed", "name": name},
            "dtype": "float64", **context, **options}  # fmt: skip
    reply = client.post(TRACES, json=body)
    assert reply.status_code == 201, reply.text
    return f"{TRACES}/{reply.json()['trace']}"


def sweep(client: TestClient, at: str, layer: int) -> dict[float, dict[str, Any]]:
    """By factor."""
    reply = client.get(f"{at}/scaling", params={"layer": layer, "head": 1}).json()
    return {row["factor"]: row for row in reply["factors"]}


def test_a_factor_multiplies_the_scale_of_its_layer(served: TestClient) -> None:
    at, place = traced(served, "gpt2_by_layer"), {"layer": 1, "head": 1}
    values = served.get(f"{at}/stages/masked_scores", params=place).json()["values"]
    masked = np.array([[-np.inf if one is None else one for one in row] for row in values])
    rows = sweep(served, at, 1)
    for factor in (0.25, 1.0, 4.0):
        assert rows[factor]["figures"] == pytest.approx(
            vars(softmax_figures([factor * masked])), abs=1e-9
        )


@pytest.mark.parametrize(
    ("name", "scales", "factors"),
    [
        ("gpt2", [8**-0.5] * 2, [math.sqrt(8)] * 2),
        ("gpt2_by_layer", [8**-0.5, 8**-0.5 / 2], [math.sqrt(8), None]),
        ("t5", [1.0] * 2, [1.0] * 2),
    ],
)
def test_the_scale_is_the_layers_own(
    served: TestClient, name: str, scales: list[float], factors: list[float | None]
) -> None:
    at = traced(served, name)
    for layer, (scale, factor) in enumerate(zip(scales, factors, strict=True)):
        rows = sweep(served, at, layer)
        assert rows[1.0]["scale"] == pytest.approx(scale)
        without = [found for found, row in rows.items() if row["unscaled"]]
        assert without == ([] if factor is None else [factor])


def test_the_terms_of_a_bilinear_form_have_the_scale_of_their_layer(served: TestClient) -> None:
    at, layer = traced(served, "gpt2_by_layer"), {"layer": 1}
    x, w_q, w_k = (
        np.array(served.get(f"{at}/stages/{stage}", params=layer).json()["values"])
        for stage in ("normed_x", "w_q", "w_k")
    )
    found = served.get(f"{at}/spectrum", params={**layer, "head": 0}).json()["heads"][0]
    term = np.abs(x @ w_q[:, :8] @ w_k[:, :8].T @ x.T).max()
    assert found["bilinear"]["terms"]["x_w_qk_x"] == pytest.approx(term * 8**-0.5 / 2)


def test_a_capped_score_is_capped_again(served: TestClient) -> None:
    own = sweep(served, traced(served, "gemma2"), 0)
    for factor in (1 / 64, 4.0, 64.0):
        other = sweep(served, traced(served, "gemma2", temperature=1 / factor), 0)[1.0]
        assert own[factor]["figures"] == pytest.approx(other["figures"], abs=1e-9)
        assert own[factor]["scale"] == pytest.approx(other["scale"])
