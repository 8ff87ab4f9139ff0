"""Requests drawn from the OpenAPI document, sound and unsound: never a 5xx, always the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from tests.hostile.test_hostile_mutations import CHANGES, GOOD, changed
from tests.safetensors_files import write_safetensors
from tests.web.client import MODELS, TRACES, matrices
from tests.web.operations import asked, described, operations_of, validated

# Every answer stays small, so that many requests take little time.
SMALL: dict[str, Any] = {"max_trace_mb": 2, "max_tokens": 32, "max_upload_mb": 1}
QUICKLY: dict[str, Any] = {
    "deadline": None, "derandomize": True, "database": None, "phases": [Phase.generate],
    "suppress_health_check": list(HealthCheck),
}  # fmt: skip
PREDICTED = {"predictions", "ablations", "contributions", "continuations", "probe", "parts"}
LONG = {"training", "continuations"}  # a sound request may take seconds
# Drawn requests of one operation.
FEW = {"GET": 3, "POST": 8, "DELETE": 3, "LONG": 1}
MANY = {"GET": 8, "POST": 20, "DELETE": 8, "LONG": 8}
WEIGHTS = write_safetensors(matrices(), {})


class Served(NamedTuple):
    """An app's document, a trace of two texts, one of a model that predicts, and an upload."""

    document: Any
    trace: str
    predicting: str
    model: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with operations_of(tmp_path_factory.mktemp("data"), **SMALL) as document:
        trace = asked(document, "POST", TRACES, {"text": ["a b", "c"]}).json()["trace"]
        echo = {"text": ["a b", "c"], "model": {"source": "installed", "name": "echo"}}
        predicting = asked(document, "POST", TRACES, echo).json()["trace"]
        yield Served(
            document, trace, predicting, sent(document, {"weights": [WEIGHTS]}).json()["id"]
        )


def sent(document: Any, fields: dict[str, Any]) -> Any:
    """The reply to an upload, where it keeps the document."""
    case = document[MODELS]["POST"].Case(body=fields, media_type="multipart/form-data")
    return validated(case)


def drawn(*, both: bool) -> list[tuple[str, str, GenerationMode]]:
    """Operations with a body in sound and in wrong forms; with a query in wrong ones, as sound
    queries are what other tests send, and in sound ones too if `both`."""
    found = []
    for path, method, operation in described():
        places = {parameter["in"] for parameter in operation.get("parameters", [])}
        has_body, has_query = "requestBody" in operation, bool(places - {"path"})
        if both or has_body or not has_query:
            found.append((path, method, GenerationMode.POSITIVE))
        if has_body or has_query:
            found.append((path, method, GenerationMode.NEGATIVE))
    return found


def send(served: Served, path: str, method: str, mode: GenerationMode, examples: int) -> None:
    """Sends drawn requests of one operation, most of them about what the app has."""
    known: dict[str, Any] = {"stage": "masked_scores", "chapter": "scores", "name": "echo"}
    known |= dict.fromkeys(("layer", "head", "z", "row", "col"), 0)
    trace = served.predicting if path.rsplit("/", 1)[-1] in PREDICTED else served.trace
    known["id"] = trace if "/traces/" in path else served.model
    operation = served.document[path][method]

    @settings(max_examples=examples, **QUICKLY)
    @given(case=operation.as_strategy(generation_mode=mode))
    def one(case: Any) -> None:
        if method != "DELETE":
            case.path_parameters = {name: known[name] for name in case.path_parameters}
        validated(case)

    one()


@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.full)])
def test_no_request_breaks_the_server(
    served: Served, examples: dict[str, int], subtests: pytest.Subtests
) -> None:
    for path, method, mode in drawn(both=examples is MANY):
        kind = "LONG" if path.rsplit("/", 1)[-1] in LONG else method
        with subtests.test(f"{mode.value} {method} {path}"):
            send(served, path, method, mode, examples[kind])


@settings(max_examples=60, **QUICKLY)
@given(
    weights=st.lists(st.tuples(st.sampled_from(sorted(GOOD)), CHANGES | st.just([])), max_size=3),
    fields=st.fixed_dictionaries(
        {},
        optional={
            "num_heads": st.sampled_from(["1", "2", "3", "0", "-1", "x", ""]),
            "mapping": st.sampled_from([json.dumps({"w_q": "w_k"}), "{}", "[", '{"w_q": 1}']),
            "name": st.text(max_size=130),
        },
    ),
)
def test_no_upload_breaks_the_server(
    served: Served,
    weights: list[tuple[str, list[tuple[float, int, bytes]]]],
    fields: dict[str, str],
) -> None:
    files = [changed(GOOD[name], changes) for name, changes in weights]
    reply = sent(served.document, {"weights": files, **fields})
    assert reply.status_code in (201, 422)
    if reply.status_code == 201:
        asked(served.document, "GET", f"{MODELS}/{{id}}", id=reply.json()["id"])
        asked(served.document, "GET", f"{MODELS}/{{id}}/spectrum", id=reply.json()["id"])


def test_an_upload_is_described_read_and_deleted_as_the_document_says(served: Served) -> None:
    model = sent(served.document, {"weights": [WEIGHTS], "name": "another", "num_heads": 2})
    assert model.status_code == 201
    at = f"{MODELS}/{{id}}"
    for status in (204, 404):
        reply = asked(served.document, "DELETE", at, id=model.json()["id"])
        assert reply.status_code == status
