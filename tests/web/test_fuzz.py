"""Requests drawn from the OpenAPI document, sound and unsound: never a 5xx, always the schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode, checks

from app.main import create_app
from app.settings import Settings
from tests.web.client import ATTENTION, serving_app

# Every answer stays small, so that many requests take little time.
SMALL: dict[str, Any] = {"max_trace_mb": 2, "max_tokens": 32, "max_upload_mb": 1}
CHECKS = [
    checks.not_a_server_error,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


def operations() -> list[tuple[str, str, GenerationMode]]:
    """What takes input: everything in sound forms; bodies and queries, which may be wrong, too."""
    found = []
    for path, methods in create_app(Settings()).openapi()["paths"].items():
        for method, operation in methods.items():
            places = {parameter["in"] for parameter in operation.get("parameters", [])}
            places |= {"body"} if "requestBody" in operation else set()
            if places:
                found.append((path, method.upper(), GenerationMode.POSITIVE))
            if places - {"path"}:
                found.append((path, method.upper(), GenerationMode.NEGATIVE))
    return found


@pytest.mark.parametrize(("path", "method", "mode"), operations())
def test_no_request_breaks_the_server(
    data: Path, path: str, method: str, mode: GenerationMode
) -> None:
    with serving_app(data, **SMALL) as client:
        trace = client.post(ATTENTION, json={"text": ["a b", "c"]}).json()["trace"]
    app = create_app(Settings(data_dir=data, **SMALL))
    operation = schemathesis.openapi.from_asgi("/api/openapi.json", app)[path][method]

    @settings(
        max_examples=20 if method == "POST" else 8, deadline=None, derandomize=True,
        database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        if "/traces/" in path:
            case.path_parameters["id"] = trace
        if "{stage}" in path:
            case.path_parameters["stage"] = "masked_scores"
        case.call_and_validate(checks=CHECKS)

    send()
