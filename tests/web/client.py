"""Clients of apps, and checks of replies."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from fastapi.testclient import TestClient
from safetensors.numpy import save

from attnscope.main import create_app
from attnscope.settings import Settings

ATTENTION, TRACES, MODELS = "/api/v1/attention", "/api/v1/traces", "/api/v1/models"
JSON, SAFETENSORS, PROBLEM = (
    "application/json",
    "application/x-safetensors",
    "application/problem+json",
)
BODY_KEYS = ["type", "title", "status", "detail", "code", "errors", "request_id"]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
Body = dict[str, Any]
T = TypeVar("T")


def run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """In a thread, since browser tests keep a loop running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


@cache
def openapi_document() -> dict[str, Any]:
    return create_app(Settings()).openapi()


@contextmanager
def serving_app(folder: Path, **settings: Any) -> Iterator[TestClient]:
    """Uncaught errors are 500, as for any client."""
    app = create_app(Settings(data_dir=folder, **settings))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def stored(folder: Path) -> tuple[list[str], int]:
    """Uploads in a data folder, unfinished too, and the count of questions."""
    kept = (".lock", ".secret", ".lived")
    files = sorted(path.name for path in folder.glob("models/*") if path.name not in kept)
    database = folder / "questions.sqlite"
    if not database.exists():
        return files, 0
    with closing(sqlite3.connect(database)) as connection:
        made = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'links'").fetchone()
        if made is None:  # the table is created behind the first reply
            return files, 0
        (count,) = connection.execute("SELECT count(*) FROM links").fetchone()
    return files, count


def problem_of(response: Any, status: int, code: str, language: str = "en") -> Body:
    """Body of a problem, whose shape and sentences are checked."""
    assert response.status_code == status, response.text[:400]
    assert response.headers["content-type"] == PROBLEM
    assert response.headers["content-language"] == language
    body: Body = response.json()
    assert list(body) == BODY_KEYS
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"/problems/{code}"
    assert body["request_id"] == response.headers["x-request-id"]
    sentences = [body["title"], body["detail"], *(one["message"] for one in body["errors"])]
    for sentence in sentences:
        assert sentence
        assert not re.search(r"errors\.\w|\{\w+\}", sentence), sentence
        assert bool(CHINESE.search(sentence)) == (language == "zh"), sentence
    for one in body["errors"]:
        assert list(one) in (
            ["at", "message"],
            ["at", "message", "end"],
            ["at", "message", "accept"],
        )
        assert one["at"]
    return body


def refused(client: TestClient, request: Body, status: int, code: str) -> Body:
    """English body; checked in both languages."""
    bodies = {}
    for language in ("zh", "en"):
        headers = {**request.get("headers", {}), "Accept-Language": language}
        response = client.request(**{**request, "headers": headers})
        bodies[language] = problem_of(response, status, code, language)
    assert bodies["en"]["detail"] != bodies["zh"]["detail"]
    return bodies["en"]


def posted(body: Any, url: str = ATTENTION) -> Body:
    """A request for `refused`."""
    return {"method": "POST", "url": url, "json": body}


def raw(content: bytes, media: str = JSON, url: str = ATTENTION) -> Body:
    return {"method": "POST", "url": url, "content": content, "headers": {"Content-Type": media}}


def sent(filename: str, content: bytes, /, **fields: str) -> Body:
    """An upload of one file."""
    files = {"weights": (filename, content)}
    return {"method": "POST", "url": MODELS, "files": files, "data": fields}


def ask(client: TestClient, **question: Any) -> Body:
    response = client.post(ATTENTION, json=question)
    assert response.status_code == 200, response.text[:400]
    body: Body = response.json()
    return body


def matrices(
    d_model: int = 4, names: tuple[str, ...] = ("w_q", "w_k", "w_v"), seed: int = 0
) -> dict[str, np.ndarray]:
    """Square, float32."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=(d_model, d_model)).astype(np.float32) for name in names}


def upload(client: TestClient, arrays: dict[str, np.ndarray], **fields: str) -> Body:
    response = client.request(**sent("weights.safetensors", save(arrays), **fields))
    assert response.status_code == 201, response.text[:400]
    body: Body = response.json()
    return body


def array(values: Any) -> np.ndarray:
    """float64; null is NaN."""
    return np.array(values, dtype=float)
