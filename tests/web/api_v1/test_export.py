"""The numbers as files: each format, read back by its own reader, holds the same numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from attnscope.trace.stages import NAMES
from tests.web.client import TRACES, array, ask, problem_of
from tests.web.conftest import MakeClient

MODEL = {"source": "seeded", "d_model": 6, "num_heads": 2, "num_layers": 2, "bias": True}
QUESTION: dict[str, Any] = {"text": ["a b c", "d"], "model": MODEL}
Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def whole(client: TestClient) -> dict[str, Any]:
    return ask(client, **QUESTION, parameters=True)


@pytest.fixture(scope="module")
def arrays(whole: dict[str, Any]) -> Arrays:
    """Every array of the reply by the name it has in files; −∞ where masked."""
    named = {}
    for i, layer in enumerate(whole["layers"]):
        for name, values in {**layer, **layer["parameters"]}.items():
            if name != "parameters":
                numbers = array(values)
                named[f"layers.{i}.{name}"] = np.where(np.isnan(numbers), -np.inf, numbers)
    return named


def export(client: TestClient, whole: dict[str, Any], **query: Any) -> Any:
    return client.get(f"{TRACES}/{whole['trace']}/export", params=query)


def read_npz(content: bytes) -> Arrays:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize(("format", "read"), [("npz", read_npz), ("safetensors", load)])
def test_arrays_are_read_back_as_they_were(
    client: TestClient, whole: dict[str, Any], arrays: Arrays, format: str,
    read: Callable[[bytes], Arrays],
) -> None:  # fmt: skip
    found = read(export(client, whole, format=format, parameters=True).content)
    assert set(found) == set(arrays)
    for name, expected in arrays.items():
        assert found[name].dtype == np.float64
        np.testing.assert_array_equal(found[name], expected, err_msg=name)


def test_csv_has_one_number_a_line_with_its_place(
    client: TestClient, whole: dict[str, Any], arrays: Arrays
) -> None:
    check_lines(export(client, whole, format="csv", parameters=True).text, arrays)
    block = ask(client, text="a b", model={**MODEL, "block": "pre_norm", "mlp": True})
    same = read_npz(export(client, block, format="npz", parameters=True).content)
    assert same.keys() >= {"layers.0.norm_gain", "layers.1.w_in", "layers.1.hidden"}
    check_lines(export(client, block, format="csv", parameters=True).text, same)


def check_lines(text: str, arrays: Arrays) -> None:
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    places = ["layer", "stage", "batch", "head", "row", "col", "value"]
    assert list(lines[0]) == [*places, "row_token", "col_token"]
    assert len(lines) == sum(values.size for values in arrays.values())
    for line in lines:
        place = [line[axis] for axis in ("batch", "head", "row", "col")]
        index = tuple(int(part) for part in place if part)
        value = arrays[f"layers.{line['layer']}.{line['stage']}"][index]
        assert value == (float(line["value"]) if line["value"] else -np.inf)


def test_json_is_the_reply_of_the_attention(client: TestClient, whole: dict[str, Any]) -> None:
    assert export(client, whole, format="json", parameters=True).json() == whole
    assert "parameters" not in export(client, whole).json()["layers"][0]


def test_a_file_has_its_type_and_a_name(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    cases = [
        ("json", "application/json"),
        ("csv", "text/csv; charset=utf-8"),
        ("npz", "application/x-npz"),
        ("safetensors", "application/x-safetensors"),
        ("html", "text/html; charset=utf-8"),
    ]
    for format, media in cases:
        with subtests.test(format):
            response = export(client, whole, format=format)
            assert response.headers["content-type"] == media
            name = f"attnscope-{whole['trace'][:8]}.{format}"
            assert response.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_stages_choose_what_is_in_the_file(client: TestClient, whole: dict[str, Any]) -> None:
    response = export(client, whole, format="npz", stages="weights, q")
    assert set(read_npz(response.content)) == {
        f"layers.{i}.{n}" for i in (0, 1) for n in ["q", "weights"]
    }
    everything = read_npz(export(client, whole, format="npz").content)
    assert set(everything) == {f"layers.{i}.{name}" for i in (0, 1) for name in NAMES}


def test_a_layer_and_a_head_choose_what_is_in_the_file(
    client: TestClient, whole: dict[str, Any], arrays: Arrays
) -> None:
    response = export(client, whole, format="npz", layer=1, head=1)
    assert "layer1-head1.npz" in response.headers["content-disposition"]
    found = read_npz(response.content)
    assert set(found) == {f"layers.1.{name}" for name in NAMES}
    for name, values in found.items():
        expected = arrays[name][:, 1:2] if arrays[name].ndim == 4 else arrays[name]
        np.testing.assert_array_equal(values, expected, err_msg=name)
    problem_of(export(client, whole, head=2), 422, "invalid_request")
    problem_of(export(client, whole, layer=-1), 422, "invalid_request")


def test_csv_of_one_head_says_which_one_it_is(client: TestClient) -> None:
    model = {**MODEL, "d_model": 8, "num_heads": 4, "num_kv_heads": 2}
    whole = ask(client, text="a b", model=model)
    response = export(client, whole, format="csv", layer=1, head=3, stages="weights,k,x")
    lines = list(csv.DictReader(io.StringIO(response.text, newline="")))
    heads = {stage: {line["head"] for line in lines if line["stage"] == stage}
             for stage in ("weights", "k", "x")}  # fmt: skip
    assert heads == {"weights": {"3"}, "k": {"1"}, "x": {""}}
    assert {line["layer"] for line in lines} == {"1"}
    weights = [line for line in lines if line["stage"] == "weights"]
    assert float(weights[2]["value"]) == whole["layers"][1]["weights"][0][3][1][0]


def test_a_format_that_is_not_there_is_refused(
    client: TestClient, whole: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for query in ({"format": "pickle"}, {"format": ""}, {"parameters": "maybe"}):
        with subtests.test(query=query):
            problem_of(export(client, whole, **query), 422, "invalid_request")


def test_what_is_too_large_as_text_can_be_had_as_arrays(make_client: MakeClient) -> None:
    client = make_client(max_json_numbers=100)
    whole = client.post(TRACES, json=QUESTION).json()
    for format in ("json", "csv", "html"):
        body = problem_of(export(client, whole, format=format), 413, "too_large")
        assert "100" in body["detail"]
        assert "safetensors" in body["detail"]
    assert export(client, whole, format="npz").status_code == 200
    assert export(client, whole, format="csv", stages="x").status_code == 200


def test_files_hold_the_context_beside_the_stages(client: TestClient) -> None:
    question = {"text": ["a b", "c"], "context": ["d e f", "g"], "model": MODEL}
    whole = ask(client, **question, stages=["context", "weights"])
    url = f"{TRACES}/{whole['trace']}/export"
    names = {f"layers.{i}.{name}" for i in range(2) for name in [*NAMES, "context"]}
    tensors = load(client.get(url, params={"format": "safetensors"}).content)
    with np.load(io.BytesIO(client.get(url, params={"format": "npz"}).content)) as file:
        assert set(file) == set(tensors) == names
        np.testing.assert_array_equal(file["layers.1.context"], whole["layers"][0]["context"])
    text = client.get(url, params={"format": "csv", "stages": "context", "layer": 1}).text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 3 * 6
    assert [rows[-1][name] for name in ("stage", "batch", "head", "row", "col")] == [
        "context", "1", "", "2", "5",
    ]  # fmt: skip
    assert float(rows[1]["value"]) == whole["layers"][0]["context"][0][0][1]


def test_csv_has_the_tokens_of_rows_and_columns(client: TestClient) -> None:
    tokens = [['say "a, b"', "x" * 100], ["=é", "two\nlines"]]
    whole = ask(client, tokens=tokens, context_tokens=[["k1", "k2", "k3"]] * 2, model=MODEL)
    text = export(client, whole, format="csv", layer=0, head=0).text
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    exported = {
        (line["stage"], line["batch"], line["row"], line["col"]): (
            line["row_token"],
            line["col_token"],
        )
        for line in lines
    }
    assert exported["weights", "0", "0", "2"] == ('say "a, b"', "k3")
    assert exported["weights", "0", "1", "0"] == ("x" * 39 + "…", "k1")
    assert exported["q", "1", "0", "0"] == ("=é", "")
    assert exported["output", "1", "1", "0"] == ("two\nlines", "")
    assert exported["v", "0", "2", "1"] == ("k3", "")
    numbers = ask(client, x=[[1.0, 2.0]], model={**MODEL, "d_model": 2, "num_heads": 1})
    (line,) = csv.DictReader(
        io.StringIO(export(client, numbers, stages="weights", layer=0, format="csv").text)
    )
    assert (line["value"], line["row_token"], line["col_token"]) == ("1.0", "", "")
