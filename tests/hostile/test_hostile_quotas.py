"""One client that wants all the room there is: others keep theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import TRACES, serving_app

KEYS: dict[str, dict[str, Any]] = {
    "keys": {"api_keys": ["greedy", "quiet"]},
    "keys and a full share": {"api_keys": ["greedy", "quiet"], "client_share": 60},
}


def link(client: TestClient, key: str, text: str) -> str:
    """The address of a new link of the client with that key."""
    headers = {"Authorization": f"Bearer {key}"}
    response = client.post(TRACES, json={"text": text}, headers=headers)
    assert response.status_code == 201, response.text[:400]
    return str(response.headers["location"])


@pytest.mark.parametrize("settings", KEYS.values(), ids=KEYS.keys())
def test_a_flood_of_links_costs_nobody_else_a_link(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    with serving_app(tmp_path, questions_mb=1, **settings) as client:
        quiet = [link(client, "quiet", f"quiet {i}") for i in range(5)]
        shared = link(client, "greedy", "shared")
        assert link(client, "quiet", "shared") == shared
        flood = [link(client, "greedy", f"{i}{'x' * 70_000}") for i in range(20)]
    with serving_app(tmp_path, questions_mb=1, **settings) as client:
        headers = {"Authorization": "Bearer quiet"}
        for address in (*quiet, shared, flood[-1]):
            assert client.get(address, headers=headers).status_code == 200
        assert client.get(flood[0], headers=headers).status_code == 404
