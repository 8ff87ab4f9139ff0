"""Numbers of a trace: those of the engine, with the axes and the masked cells of the API."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import attnscope
from attnscope.client.layers import Layer
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.stages import NAMES
from attnscope.trace.trace import Trace, answer
from tests.client.conftest import SEEDED, TEXTS


@pytest.fixture(scope="module")
def engine() -> Trace:
    """The same question, answered by the engine itself."""
    question = Question.model_validate({"text": TEXTS, "model": SEEDED})
    return answer(make_plan(question, Limits(), pytest.fail))


def test_every_stage_is_the_array_of_the_engine(trace: attnscope.Trace, engine: Trace) -> None:
    assert trace.id == engine.plan.id
    assert len(trace.layers) == 2
    for i, layer in enumerate(trace.layers):
        for name in NAMES:
            assert isinstance(getattr(Layer, name, None), property), f"client/layers.py: no {name}"
            got = getattr(layer, name)
            np.testing.assert_array_equal(got, engine.layers[i][name], strict=True)
        for name, array in engine.parameters[i].arrays().items():
            np.testing.assert_array_equal(getattr(layer, name), array, strict=True)
            np.testing.assert_array_equal(layer.parameters[name], array)
    masked = trace.layers[0].masked_scores
    assert masked[0, 0, 0, 1] == -np.inf
    assert np.isinf(masked[1, :, 2:]).all()  # padding
    assert trace.layers[0].weights is trace.layers[0].weights
    with pytest.raises(ValueError, match="read-only"):
        trace.layers[0].weights[0] = 0


def test_what_a_trace_says_of_itself(trace: attnscope.Trace, engine: Trace) -> None:
    assert trace.tokens == engine.plan.words.tokens
    assert trace.context_tokens is None
    assert trace.shape["num_kv_heads"] == 2
    assert trace.checks == vars(engine.checks)
    assert trace.dtype == "float64"
    assert repr(trace) == f"<trace {trace.id}: 2 texts, 2 layers × 4 heads × 6 tokens, float64>"
    assert trace.question == {"model": SEEDED, "text": TEXTS}


def test_layers_are_a_sequence(trace: attnscope.Trace) -> None:
    assert [layer.index for layer in trace.layers[-2:]] == [0, 1]
    assert trace.layers[-1].index == 1
    with pytest.raises(IndexError, match="no layer 2: they run from 0 to 1"):
        trace.layers[2]
    assert not hasattr(trace.layers[0], "nonsense")
    assert not hasattr(trace.layers[0], "_repr_html_")
    assert set(NAMES) <= set(dir(trace.layers[0]))
    with pytest.raises(attnscope.Problem, match=r"no stage nonsense.*weights.*unknown_stage"):
        trace.layers[0].nonsense  # noqa: B018
    with pytest.raises(attnscope.Problem, match=r"Layer 0 has no b_q. It has w_q"):
        trace.layers[0].b_q  # noqa: B018


@pytest.mark.parametrize(
    ("rows", "cols"),
    [
        (None, None),
        (slice(1, 4), slice(None, 3)),
        (slice(-3, None), slice(0, -2)),
        (slice(None, None, -2), slice(1, 6, 2)),
        (-1, slice(None)),
        (2, -2),
        (range(4, 0, -1), np.int64(0)),
    ],
)
def test_a_block_is_cut_as_numpy_cuts(
    rows: Any, cols: Any, trace: attnscope.Trace, engine: Trace
) -> None:
    array = engine.layers[1]["masked_scores"][1, 3]
    kept = [slice(None) if given is None else given for given in (rows, cols)]
    wanted = array[list(kept[0]) if isinstance(kept[0], range) else kept[0]][..., kept[1]]
    got = trace.block("masked_scores", -1, -1, rows, cols, batch=1)
    np.testing.assert_array_equal(got, wanted)


def test_blocks_of_other_stages(trace: attnscope.Trace, engine: Trace) -> None:
    x, k = engine.layers[0]["x"], engine.layers[0]["k"]
    np.testing.assert_array_equal(trace.block("x", 0, 3, (0, 2), "1:5"), x[0, :2, 1:5])
    np.testing.assert_array_equal(trace.block("k", head=-1), k[0, 1])
    np.testing.assert_array_equal(trace.block("w_q", cols=0), engine.parameters[0].w_q[:, 0])


def test_cells_predictions_and_heads(here: attnscope.Client, trace: attnscope.Trace) -> None:
    cell = trace.cell("weights", layer=-1, head=-1, row=-5, col=-6)
    assert cell["value"] == trace.layers[1].weights[0, 3, 1, 0]
    assert "Masked" in trace.cell("weights", row=0, col=3)["masked_because"]
    heads = trace.heads(batch=1)
    assert heads.column("layer").tolist() == [0] * 4 + [1] * 4
    own = [trace.layers[0].weights[1, i].diagonal()[:2].mean() for i in range(4)]
    np.testing.assert_allclose(heads.column("own")[:4], own)
    echo = here.trace("Winston Churchill met Harry Truman. Winston")
    reply = echo.predictions(top=2)
    assert reply["top"][0]["piece"] == " Churchill"
    assert echo.predictions(position=0)["position"] == 0
    assert reply["surprises"][0] is None


def test_files_hold_the_stages(trace: attnscope.Trace, tmp_path: Path) -> None:
    weights = trace.layers[1].weights
    got = load_file(trace.export(tmp_path / "run.safetensors", stages="weights,q"))
    assert got.keys() == {f"layers.{i}.{name}" for i in (0, 1) for name in ("weights", "q")}
    np.testing.assert_array_equal(got["layers.1.weights"], weights)
    with np.load(trace.export(str(tmp_path / "run.npz"), layer=-1, head=-1)) as arrays:
        np.testing.assert_array_equal(arrays["layers.1.weights"], weights[:, 3:])
    file = trace.export(tmp_path / "run.CSV", stages=["weights"], layer=1, head=0)
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == weights[:, 0].size
    assert zipfile.is_zipfile(trace.export(tmp_path / "run", format="py"))
    with pytest.raises(attnscope.Problem, match=r"\.txt is no format of files: \.json, \.csv"):
        trace.export(tmp_path / "run.txt")


def test_a_question_takes_what_numpy_has(here: attnscope.Client) -> None:
    x = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4) / 10)
    mask = np.tri(3, dtype=bool)
    model = {"source": "seeded", "seed": np.int64(1), "d_model": 4, "num_heads": 2}
    trace = here.trace(x=x, model=model, mask=mask, causal=False, drop=[(0, 1)])
    np.testing.assert_array_equal(trace.layers[0].x[0], x.tolist())
    assert np.isinf(trace.layers[0].masked_scores[0, 0]).tolist() == (~mask).tolist()
    assert trace.tokens is None


def test_a_long_text_is_read_in_parts(here: attnscope.Client) -> None:
    words = [f"w{i % 50}" for i in range(5000)]
    trace = here.trace(" ".join(words), {"source": "seeded", "d_model": 8, "num_heads": 1})
    assert trace.tokens == [words]
    assert trace.layers[0].q.shape == (1, 1, 5000, 8)
    assert trace.layers[0].w_q.shape == (8, 8)
    row = trace.block("weights", rows=-1)
    assert row.shape == (5000,)
    assert row.sum() == pytest.approx(1, abs=1e-5)
    with pytest.raises(attnscope.Problem) as refused:
        trace.layers[0].weights  # noqa: B018
    assert refused.value.code == "too_large"
    assert refused.value.__notes__ == ["trace.block('weights', layer=0, …) gives a part of it."]
