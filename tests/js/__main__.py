"""Runs the tests of the browser code with node's own test runner: `python -m tests.js [FILE…]`.

They are given what the server of this checkout sends: in a folder named by ATTNSCOPE_SENT the data
of the page and replies to a few questions, and at ATTNSCOPE_URL a server for tests/pages, which
open whole pages in jsdom. Made anew in each run, nothing is out of date.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from attnscope.trace.stages import NAMES
from tests.js.kinds import send_kinds
from tests.serving import COMMAND, running
from tests.web.client import ATTENTION, SAFETENSORS, TRACES, serving_app

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = (
    "node",
    "--no-warnings=ExperimentalWarning",
    "--import=./tests/js/support/today.js",
    "--test-reporter=./tests/js/support/reporter.js",
    # Threads that collect garbage cost a quarter more, as every core is busy.
    "--single-threaded-gc",
)
# One more than cores, as pages wait for replies.
PROCESSES = (os.cpu_count() or 1) + 1
TOGETHER = "tests/js/support/together.js"
# Their scripts keep state that other files set too: one process each. All others share one.
ALONE = {
    f"tests/js/{name}.test.js"
    for name in (
        "compare/pair-history",
        "core/api",
        "core/address/history",
        "core/traces",
        "editing/apply-edit",
        "lib/load",
        "matrix/axis-labels",
    )
}
# Slow files begin first, so that all processes end together.
LONG = {
    f"tests/pages/{name}.test.js"
    for name in (
        "address",
        "compare-sides",
        "every-tab",
        "learn-chapters",
        "too-long",
        "walkthrough",
    )
}
SEEDED = {"source": "seeded", "d_model": 8, "num_heads": 2}
IDENTITIES = {name: [[1, 0], [0, 1]] for name in ("w_q", "w_k", "w_v")}
QUESTIONS: dict[str, dict[str, Any]] = {
    "cat": {"text": "the cat saw the dog", "model": SEEDED},
    "dog": {"text": "the dog saw a cat", "model": {**SEEDED, "seed": 1}},
    "batch": {"text": ["the cat", "a cat saw the dog"], "model": SEEDED},
    "grouped": {"text": "the cat saw", "model": {**SEEDED, "num_heads": 4, "num_kv_heads": 2}},
    "layers": {"text": "the cat", "model": {**SEEDED, "num_layers": 2}},
    "cross": {"text": "a cat", "context": "the dog saw it", "model": SEEDED},
    "block": {
        "text": "a cat sat",
        "scale": "none",
        "model": {**SEEDED, "positions": "rotary", "block": "pre_norm", "mlp": True},
    },
    "decoder": {
        "text": "a cat",
        "context": "the dog saw it",
        "model": {**SEEDED, "block": "decoder", "num_layers": 2},
    },
    "given": {"x": [[1, 2], [3, 4]], "model": {"source": "explicit", **IDENTITIES}},
    "open": {"text": "a cat", "causal": False, "model": {**SEEDED, "bias": True}},
    "induction": {"text": "a b a", "model": {"source": "crafted", "name": "induction"}},
}


def first_cell(client: TestClient, trace: str, stage: str, layer: int) -> dict[str, Any]:
    """Explanation of the first cell of a stage."""
    at = {"row": 0, "col": 0, "layer": layer}
    made: dict[str, Any] = client.get(f"{TRACES}/{trace}/cells/{stage}", params=at).json()
    return made


def keep(folder: Path, client: TestClient) -> None:
    """Writes page.json; of each question NAME.json, NAME.safetensors and NAME.cells.json; and
    kinds.json of tests/js/kinds.py."""
    sent = re.search(r'id="page-data">(.*?)</script>', client.get("/embed?lang=en").text, re.DOTALL)
    assert sent, "the page holds no data"
    (folder / "page.json").write_text(sent[1], encoding="utf-8")
    for name, body in QUESTIONS.items():
        reply = client.post(ATTENTION, json=body, headers={"Accept": SAFETENSORS})
        assert reply.status_code == 200, reply.text
        (folder / f"{name}.safetensors").write_bytes(reply.content)
        (folder / f"{name}.json").write_text(json.dumps(body), encoding="utf-8")
        about = client.post(TRACES, json=body).json()
        cells = [
            {stage: first_cell(client, about["trace"], stage, layer) for stage in NAMES}
            for layer in range(about["shape"]["num_layers"])
        ]
        (folder / f"{name}.cells.json").write_text(json.dumps(cells), encoding="utf-8")
    kinds = send_kinds(client, folder / "models")
    (folder / "kinds.json").write_text(json.dumps(kinds), encoding="utf-8")


def commands(files: list[str]) -> list[list[str]]:
    """Commands of node; several processes share the files that open pages."""
    if files:
        return [[*NODE, "--test", *files]]
    scripts, pages = (
        sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.test.js"))
        for folder in ("tests/js", "tests/pages")
    )
    pages.sort(key=lambda path: path not in LONG)
    together = [path for path in scripts if path not in ALONE]
    shared = [[*NODE, TOGETHER, *pages]] * PROCESSES
    return [[*NODE, TOGETHER, *together], [*NODE, "--test", *sorted(ALONE)], *shared]


def run(files: list[str]) -> int:
    """The worst exit status."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        taken = folder / "taken"
        taken.mkdir()
        with serving_app(folder / "data") as client:
            keep(folder, client)
        # A busy process must not lose its connection.
        server = running(COMMAND, folder, keep_alive_seconds=600)
        with server as at, ThreadPoolExecutor(PROCESSES) as pool:
            sent = {"ATTNSCOPE_SENT": str(folder), "ATTNSCOPE_URL": at.url}
            sent["ATTNSCOPE_TAKEN"] = str(taken)
            node = partial(subprocess.run, cwd=ROOT, env={**os.environ, **sent}, check=False)
            return max(abs(done.returncode) for done in pool.map(node, commands(files)))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
