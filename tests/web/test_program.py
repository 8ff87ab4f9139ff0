"""The program of a question makes every stage of it, in numpy alone."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.trace.trace import Trace
from attnscope.web.serializers.numpy_program import main
from attnscope.web.serializers.program import program_of
from attnscope.web.serializers.traces import Notes
from tests.questions import SEEDS, Body, ask, cross_question, patterned_question, random_question

BOUNDS = {"float64": 1e-12, "float32": 1e-5}


def unpacked(trace: Trace, folder: Path, notes: Notes = ()) -> Path:
    with zipfile.ZipFile(io.BytesIO(program_of(trace, notes).whole())) as archive:
        archive.extractall(folder)
    return folder


def printed(text: str) -> dict[tuple[int, str], float]:
    """(layer, stage) → difference, of what the program prints."""
    lines = [line.split() for line in text.splitlines()]
    return {(int(layer), stage): float(apart) for _, layer, stage, apart in lines}


def runs(body: Body, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = ask(body)
    main(unpacked(trace, folder))
    found = printed(capsys.readouterr().out)
    layers = range(trace.plan.model.num_layers)
    assert set(found) == {
        (i, name) for i in layers for name in trace.plan.stages_of(i) if name != "context"
    }
    for (i, name), apart in found.items():
        stage_values = trace.layers[i][name]
        size = max(1.0, float(np.abs(stage_values[np.isfinite(stage_values)]).max(initial=0)))
        sharp = max(1.0, float(np.abs(trace.layers[i]["scaled_scores"]).max()))
        assert apart <= BOUNDS[str(stage_values.dtype)] * size * sharp, (i, name)


def test_notes_are_printed_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = ask({"text": "a b"})
    notes = [{"code": "random_words", "message": "Words have random vectors."}]
    main(unpacked(trace, tmp_path, notes))
    assert capsys.readouterr().out.startswith("Words have random vectors.\nlayer 0 ")


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_random_question_is_made_again(
    seeds: Sequence[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    for seed, dtype in product(seeds, BOUNDS):
        with subtests.test(dtype, seed=seed):
            runs({**random_question(seed), "dtype": dtype}, tmp_path / f"{seed}{dtype}", capsys)


@pytest.mark.parametrize("seeds", SEEDS)
def test_so_are_patterns_and_contexts(
    seeds: Sequence[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    for seed, question in product(seeds, (patterned_question, cross_question)):
        name = question.__name__
        with subtests.test(name, seed=seed):
            runs({**question(seed), "dtype": "float64"}, tmp_path / f"{seed}{name}", capsys)


def test_so_are_masks_padding_dropped_heads_and_trained_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    cases: dict[str, Body] = {
        "block": {"model": {
            "source": "seeded", "d_model": 8, "num_heads": 2, "num_layers": 2, "mlp": True,
            "bias": True, "block": "post_norm", "activation": "relu", "positions": "learned",
        }},
        "masks": {"mask": [[[1, 0, 1]], [[0, 1, 1]]], "padding": "keys", "drop": [[0, 1]]},
        "trained": {
            "model": {"source": "installed", "name": "addition"}, "text": ["47+", "1"],
            "tokens": None,
        },
    }  # fmt: skip
    for name, more in cases.items():
        with subtests.test(name):
            runs({"tokens": [["a", "b", "c"], ["d"]], **more}, tmp_path / name, capsys)


def test_the_download_runs_where_numpy_is(client: TestClient, tmp_path: Path) -> None:
    body = {"text": "a b c", "model": {"source": "seeded", "num_layers": 2, "block": "pre_norm"}}
    trace = client.post("/api/v1/traces", json=body).json()["trace"]
    reply = client.get(f"/api/v1/traces/{trace}/export?format=py")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/zip")
    assert f'filename="attnscope-{trace[:8]}.zip"' in reply.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(reply.content)) as archive:
        archive.extractall(tmp_path)
    run = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "attention.py")],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert max(printed(run.stdout).values()) < 1e-12


def test_half_precision_has_no_program(client: TestClient) -> None:
    trace = client.post("/api/v1/traces", json={"text": "a b", "dtype": "float16"}).json()["trace"]
    reply = client.get(f"/api/v1/traces/{trace}/export?format=py")
    assert (reply.status_code, reply.json()["errors"][0]["at"]) == (422, "format")


def test_a_program_of_too_many_numbers_is_refused_before_they_are_computed(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = {"source": "seeded", "num_heads": 12, "d_model": 48}
    body = {"tokens": ["a"] * 900, "dtype": "float32", "model": model}
    trace = client.post("/api/v1/traces", json=body).json()["trace"]
    engine = client.app.state.engine  # type: ignore[attr-defined]
    monkeypatch.setattr(engine, "trace", lambda planned: pytest.fail("computed"))
    reply = client.get(f"/api/v1/traces/{trace}/export?format=py")
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
    assert "33,554,432" in reply.json()["detail"]
    assert "format=npz" in reply.json()["detail"]
