"""Captures, and attention in plain numpy."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from tests.web.client import TRACES, array

CAPTURES = "/api/v1/captures"
TOKENS = ["The", "cat", "sat", "on", "it"]
LAYERS, HEADS, N, D = 2, 4, 5, 3


def softmax(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max(-1, keepdims=True))
    whole: np.ndarray = e / e.sum(-1, keepdims=True)
    return whole


def attention(*batch: int, kv_heads: int = HEADS, seed: int = 0) -> dict[str, np.ndarray]:
    """float32 q, k, v, and causal weights and head outputs."""
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(LAYERS, *batch, h, N, D)).astype(np.float32)
               for h in (HEADS, kv_heads, kv_heads))  # fmt: skip
    every = [np.repeat(one, HEADS // kv_heads, axis=-3) for one in (k, v)]
    scores = q.astype(np.float64) @ every[0].swapaxes(-1, -2)
    masked = np.where(np.tri(N, dtype=bool), scores / np.sqrt(D), -np.inf)
    weights = softmax(masked)
    made = {"scores": scores, "masked_scores": masked, "weights": weights}
    made["head_outputs"] = weights @ every[1]
    return {"q": q, "k": k, "v": v} | {n: a.astype(np.float32) for n, a in made.items()}


FULL = attention()
WEIGHTS = FULL["weights"]


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def sent(*files: tuple[str, bytes], **fields: Any) -> dict[str, Any]:
    texts = {
        name: one if isinstance(one, str) else json.dumps(one)
        for name, one in fields.items()
        if one is not None
    }
    parts = [("arrays", file) for file in files]
    return {"method": "POST", "url": CAPTURES, "files": parts, "data": texts}


def captured(
    client: TestClient, arrays: dict[str, np.ndarray], tokens: Any = TOKENS, **fields: Any
) -> dict[str, Any]:
    response = client.request(**sent(("run.npz", npz(**arrays)), tokens=tokens, **fields))
    assert response.status_code == 201, response.text[:400]
    body: dict[str, Any] = response.json()
    return body


def got(client: TestClient, trace: str, path: str = "") -> Any:
    response = client.get(f"{TRACES}/{trace}/{path}".rstrip("/"))
    assert response.status_code == 200, (path, response.text[:400])
    return response.json()


def values(client: TestClient, trace: str, stage: str, **place: int) -> np.ndarray:
    where = "&".join(f"{name}={at}" for name, at in place.items())
    return array(got(client, trace, f"stages/{stage}?{where}")["values"])
