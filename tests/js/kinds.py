"""Uploads and traces of each kind with views of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from fastapi.testclient import TestClient
from numpy.random import PCG64, Generator
from safetensors.numpy import save

from tests.families.cases import made
from tests.families.made import gpt2
from tests.families.seq2seq_made import made_pair
from tests.web.client import MODELS, TRACES

FIELDS = {"weights": "model.safetensors", "config": "config.json", "tokenizer": "tokenizer.json"}
# So many numbers that the page draws pictures.
DEEP = {"n_layer": 30, "n_embd": 90, "n_head": 18}
MAPPING = {
    name: {"tensor": "attention.qkv", "slice": [None, [4 * at, 4 * at + 4]]}
    for at, name in enumerate(("w_q", "w_k", "w_v"))
}
LONG = {
    "text": "the cat sat on the mat " * 690,
    "model": {"source": "seeded", "d_model": 2, "num_heads": 1},
}


def send_kinds(client: TestClient, folder: Path) -> dict[str, str]:
    """Model ids and traces by kind."""
    folders = {
        "deep": gpt2(folder / "deep", **DEEP),
        "bert": made("bert", folder),
        "seq2seq": made_pair("bart", folder),
    }
    forms: dict[str, dict[str, Any]] = {
        kind: {
            "files": {field: (file, (one / file).read_bytes()) for field, file in FIELDS.items()}
        }
        for kind, one in folders.items()
    }
    qkv = Generator(PCG64(0)).normal(size=(6, 12)).astype(np.float32)
    forms["mapped"] = {
        "files": {"weights": ("own.safetensors", save({"attention.qkv": qkv}))},
        "data": {"mapping": json.dumps(MAPPING), "num_heads": "2"},
    }
    ids = {kind: client.post(MODELS, **form).json()["id"] for kind, form in forms.items()}
    mapped = {"source": "uploaded", "id": ids["mapped"]}
    questions = {"batch": {"text": ["the cat sat", "a dog"], "model": mapped}, "long": LONG}
    traces = {
        kind: client.post(TRACES, json=body).json()["trace"] for kind, body in questions.items()
    }
    return ids | traces
