"""create_app(settings): an app is a value, made of its settings and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope import __version__
from attnscope.main import create_app
from attnscope.settings import Settings
from tests.families.made import gpt2
from tests.web.client import ATTENTION, SAFETENSORS, matrices, problem_of, stored, upload

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
ELAPSED = re.compile(rb'"elapsed_ms":[0-9.e-]+')
QUESTION = {"text": ["The animal didn't cross.", "猫爱吃鱼"], "parameters": True}


def test_making_an_app_touches_no_file(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path / "data"))
    assert not (tmp_path / "data").exists()
    assert (app.title, app.version) == ("attnscope", __version__)


def test_an_app_opens_what_was_installed_in_its_data_directory(tmp_path: Path) -> None:
    gpt2(tmp_path / "installed/tiny")
    with TestClient(create_app(Settings(data_dir=tmp_path))) as client:
        names = [model["name"] for model in client.get("/api/v1/models").json()["models"]]
    assert names[-1] == "tiny"
    assert "echo" in names


def test_an_app_without_settings_reads_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ATTNSCOPE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ATTNSCOPE_MAX_TOKENS", "2")
    with TestClient(create_app()) as client:
        problem_of(client.post(ATTENTION, json={"text": "a b c"}), 413, "too_many_tokens")
        assert client.post(ATTENTION, json={"text": "a b"}).status_code == 200
    assert stored(tmp_path) == ([], 1)


def test_two_apps_in_a_process_do_not_mix(tmp_path: Path) -> None:
    one, two = (create_app(Settings(data_dir=tmp_path / name)) for name in ("one", "two"))
    with TestClient(one) as first, TestClient(two) as second:
        model = upload(first, matrices())["id"]
        problem_of(second.get(f"/api/v1/models/{model}"), 404, "unknown_model")
        trace = first.post(ATTENTION, json={"text": "a"}).json()["trace"]
        problem_of(second.get(f"/api/v1/traces/{trace}"), 404, "unknown_trace")


def test_uploads_and_traces_outlive_the_process(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with TestClient(create_app(settings)) as client:
        model = {"source": "uploaded", "id": upload(client, matrices())["id"]}
        first = client.post(ATTENTION, json={"x": np.eye(4).tolist(), "model": model}).json()
    with TestClient(create_app(settings)) as client:
        export = client.get(f"/api/v1/traces/{first['trace']}/export")
        assert export.json()["layers"] == first["layers"]


# The entry of ASGI servers; its folder is made once the server begins, not when it is imported.
ASK = f"""
import json, os, sys
from fastapi.testclient import TestClient
from app.main import app
print(app.title, os.path.exists(os.environ["ATTNSCOPE_DATA_DIR"]), flush=True)
with TestClient(app) as client:
    reply = client.post({ATTENTION!r}, json=json.load(sys.stdin))
    sys.stdout.buffer.write(reply.content)
"""


def in_a_process_of_its_own(folder: Path) -> tuple[bytes, bytes]:
    """What the entry of a checkout says of itself, and its reply to QUESTION, from a new
    interpreter with hash seeds of its own."""
    environment = {"PYTHONPATH": str(ROOT / "app"), "ATTNSCOPE_DATA_DIR": str(folder)}
    made = subprocess.run(
        [sys.executable, "-c", ASK],
        input=json.dumps(QUESTION).encode(),
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**environment, "PYTHONHASHSEED": "random"},
    )
    printed, _, reply = made.stdout.partition(b"\n")
    return printed, reply


def test_a_checkout_has_an_asgi_entry_that_gives_the_same_bytes(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(data_dir=tmp_path / "one"))) as client:
        first = client.post(ATTENTION, json=QUESTION).content
    said, second = in_a_process_of_its_own(tmp_path / "two")
    assert said == b"attnscope False"
    assert json.loads(first)["tokens"][1][:4] == ["猫", "爱", "吃", "鱼"]
    assert ELAPSED.sub(b"", first) == ELAPSED.sub(b"", second)


def test_limits_are_the_settings(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, max_characters=5, max_trace_mb=1, max_json_numbers=50)
    with TestClient(create_app(settings)) as client:
        problem_of(client.post(ATTENTION, json={"text": "abcdef"}), 413, "too_many_tokens")
        wide = {"source": "seeded", "d_model": 512, "num_heads": 1}
        problem_of(client.post(ATTENTION, json={"text": "a", "model": wide}), 413, "too_large")
        problem_of(client.post(ATTENTION, json={"text": "a"}), 413, "too_large")
        raw = client.post(ATTENTION, json={"text": "a"}, headers={"Accept": SAFETENSORS})
        assert raw.status_code == 200
