"""What a model says, over REST: replies that agree with each other, and what is refused."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.admission import AdmissionQueue
from tests.installed.asking import ECHO, TEXT
from tests.web.client import ATTENTION, MODELS, TRACES, problem_of


def traced(client: TestClient, **question: Any) -> str:
    body = {"text": TEXT, "model": ECHO, **question}
    reply = client.post(TRACES, json=body)
    assert reply.status_code == 201, reply.text
    trace: str = reply.json()["trace"]
    return trace


def test_installed_models_are_listed_and_described(client: TestClient) -> None:
    models = {one["name"]: one for one in client.get(MODELS).json()["models"]}
    model = models["echo"]
    assert model["source"] == "installed"
    assert model["predicts"] == "next"
    reply = client.post(ATTENTION, json={"text": TEXT, "model": ECHO}).json()
    for size in ("num_layers", "num_heads", "num_kv_heads", "d_model", "d_k", "d_v"):
        assert model["shape"][size] == reply["shape"][size]
    assert reply["dtype"] == "float32"
    details = client.get(f"{MODELS}/installed/echo").json()
    became = {t["name"]: t["became"] for t in details["tensors"]}
    assert became["embedding"] == ["embedding", "unembedding"]
    assert (became["w_u"], became["layers.0.w_q"]) == (["unembedding"], ["layers.0.w_q"])
    assert {key: details[key] for key in model} == model
    problem_of(client.delete(f"{MODELS}/installed/echo"), 405, "method_not_allowed")
    problem_of(client.get(f"{MODELS}/installed/nobody"), 404, "unknown_model")


def test_predictions_have_the_likeliest_pieces_and_every_surprise(client: TestClient) -> None:
    trace = traced(client)
    reply = client.get(f"{TRACES}/{trace}/predictions", params={"top": 4}).json()
    assert len(reply["top"]) == 4
    for one in reply["top"]:
        assert one["probability"] == pytest.approx(math.exp(one["log_probability"]))
    n = len(reply["surprises"])
    assert reply["position"] == n - 1
    assert reply["surprises"][0] is None
    first = client.get(f"{TRACES}/{trace}/predictions", params={"position": 0, "top": 1000})
    tokens = client.get(f"{TRACES}/{trace}").json()["tokens"][0]
    chances = {one["piece"]: one["log_probability"] for one in first.json()["top"]}
    if tokens[1] in chances:
        assert -chances[tokens[1]] == pytest.approx(reply["surprises"][1], abs=1e-4)


def test_ablations_and_contributions_speak_of_the_same_token(client: TestClient) -> None:
    trace = traced(client)
    likeliest = client.get(f"{TRACES}/{trace}/predictions").json()["top"][0]
    ablations = client.get(f"{TRACES}/{trace}/ablations").json()
    contributions = client.get(f"{TRACES}/{trace}/contributions").json()
    assert likeliest["piece"] == ablations["token"] == contributions["token"]
    assert ablations["log_probability"] == pytest.approx(likeliest["log_probability"], abs=1e-5)
    dropped = traced(client, drop=[[1, 2]])
    pieces = client.get(f"{TRACES}/{dropped}/predictions", params={"top": 1000}).json()["top"]
    found = {one["piece"]: one["log_probability"] for one in pieces}
    one = ablations["heads"][1][2]
    assert one["change"] == pytest.approx(one["log_probability"] - ablations["log_probability"])
    if ablations["token"] in found:
        assert found[ablations["token"]] == pytest.approx(one["log_probability"], abs=1e-4)
    assert contributions["norm"] == "frozen"
    other = {"position": 2, "token": likeliest["piece"]}
    asked = client.get(f"{TRACES}/{trace}/contributions", params=other).json()
    assert (asked["position"], asked["token"]) == (2, likeliest["piece"])


def test_the_parts_of_a_score_sum_to_the_cell(client: TestClient) -> None:
    trace = traced(client)
    place = {"layer": 1, "head": 1, "row": 5, "col": 2}
    parts = client.get(f"{TRACES}/{trace}/cells/scores/parts", params=place).json()
    cell = client.get(f"{TRACES}/{trace}/cells/scores", params=place).json()
    assert sum(map(sum, parts["values"])) == pytest.approx(cell["value"], abs=1e-4)
    assert parts["key_parts"][0] == {"of": "embedding"}


def test_the_parts_sum_to_the_number_beside_them_in_every_precision(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for dtype in ("float32", "float16", "bfloat16"):
        with subtests.test(dtype):
            trace = traced(client, dtype=dtype)
            place = {"layer": 1, "head": 1, "row": 5, "col": 2}
            parts = client.get(f"{TRACES}/{trace}/cells/scores/parts", params=place).json()
            assert sum(map(sum, parts["values"])) == pytest.approx(parts["score"], abs=1e-9)
            said = client.get(f"{TRACES}/{trace}/contributions").json()
            whole = (
                said["embedding"] + sum(map(sum, said["heads"])) + sum(said["mlps"]) + said["bias"]
            )
            assert whole == pytest.approx(said["logit"], abs=1e-9)
            answer = client.get("/api/openapi.json").json()["components"]["schemas"]
            for reply, field in (("ScorePartsReply", "score"), ("ContributionsReply", "logit")):
                assert "half precision" in answer[reply]["properties"][field]["description"]


def test_a_probe_measures_the_same_twice_and_other_tokens_with_another_seed(
    client: TestClient,
) -> None:
    trace = traced(client)
    first, again, other = (
        client.get(f"{TRACES}/{trace}/probe", params={"seed": seed}).json() for seed in (0, 0, 1)
    )
    assert first == again
    assert first["heads"] != other["heads"]
    assert 0 <= first["copied"] <= 1
    for layer in first["heads"]:
        for head in layer:
            assert all(0 <= head[name] <= 1 for name in head)
    seeded = traced(client, model={"source": "crafted", "name": "induction"})
    crafted = client.get(f"{TRACES}/{seeded}/probe").json()
    assert crafted["copied"] is None
    assert crafted["heads"][1][0]["induction"] > 0.9
    assert crafted["heads"][0][0]["previous"] > 0.9


def test_a_continuation_is_the_trace_of_the_whole_text(client: TestClient) -> None:
    trace = traced(client)
    body = {"tokens": 3, "temperature": 0.7, "seed": 5}
    reply = client.post(f"{TRACES}/{trace}/continuations", json=body).json()
    assert "".join(reply["pieces"]) == reply["text"]
    whole = client.get(f"{TRACES}/{reply['trace']}").json()
    before = client.get(f"{TRACES}/{trace}").json()
    assert whole["tokens"][0] == before["tokens"][0] + reply["pieces"]
    surprises = client.get(f"{TRACES}/{reply['trace']}/predictions").json()["surprises"][-3:]
    assert [-one for one in surprises] == pytest.approx(reply["log_probabilities"], abs=1e-4)


def test_a_place_that_is_not_there_is_refused(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases: list[Any] = [
        ("predictions", {"position": 99}, "position"),
        ("predictions", {"position": -99}, "position"),
        ("predictions", {"batch": 1}, "batch"),
        ("predictions", {"top": 0}, "top"),
        ("ablations", {"position": 99}, "position"),
        ("contributions", {"token": "no such piece"}, "token"),
        ("cells/scores/parts", {"col": 99}, "col"),
        ("probe", {"repeats": 1}, "repeats"),
    ]
    for path, params, at in cases:
        with subtests.test(path):
            reply = client.get(f"{TRACES}/{traced(client)}/{path}", params=params)
            problem = problem_of(reply, 422, "invalid_request")
            assert problem["errors"][0]["at"].endswith(at)


def test_a_model_without_pieces_predicts_nothing(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path in ("predictions", "ablations", "contributions"):
        with subtests.test(path):
            trace = traced(client, model={"source": "seeded"})
            problem_of(client.get(f"{TRACES}/{trace}/{path}"), 422, "no_predictions")
            problem_of(
                client.post(f"{TRACES}/{trace}/continuations", json={}), 422, "no_predictions"
            )


def test_of_numbers_that_overflowed_nothing_is_invented(client: TestClient) -> None:
    trace = traced(client, scale=1e38)
    said = client.get(f"{TRACES}/{trace}/predictions").json()
    assert said["top"] == []
    assert set(said["surprises"]) == {None}
    heads = client.get(f"{TRACES}/{trace}/heads").json()["heads"]
    assert {one["entropy"] for one in heads} == {one["first"] for one in heads} == {None}
    probe = client.get(f"{TRACES}/{trace}/probe").json()
    assert probe["copied"] is None
    assert {one["own"] for layer in probe["heads"] for one in layer} == {None}
    for part in ("ablations", "contributions", "contributions?token=Emma", "ablations?position=2"):
        problem_of(client.get(f"{TRACES}/{trace}/{part}"), 422, "invalid_request")
    for temperature in (0, 1):
        body = {"temperature": temperature}
        refused = client.post(f"{TRACES}/{trace}/continuations", json=body)
        assert "overflowed" in problem_of(refused, 422, "invalid_request")["detail"]


def test_what_a_task_has_no_piece_for_is_refused(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases: list[Any] = [
        ("reversal", {"text": "Hello World"}, "text"),
        ("sorting", {"text": ["12>", "😀"]}, "text[1]"),
        ("addition", {"text": None, "tokens": ["1", "?"]}, "tokens"),
        ("addition", {"text": None, "tokens": ["1", "a"]}, "tokens"),
    ]
    for name, question, at in cases:
        with subtests.test(name):
            model = {"source": "installed", "name": name}
            problem = problem_of(
                client.post(TRACES, json={"model": model, **question}), 422, "invalid_request"
            )
            assert problem["errors"][0]["at"] == at


def test_a_task_is_probed_with_pieces_that_it_knows(client: TestClient) -> None:
    trace = traced(client, text="12>", model={"source": "installed", "name": "sorting"})
    for seed in range(8):
        params = {"length": 3, "seed": seed}
        assert client.get(f"{TRACES}/{trace}/probe", params=params).status_code == 200


def test_a_round_is_as_long_as_the_model_has_room_for(client: TestClient) -> None:
    trace = traced(client, text="12>", model={"source": "installed", "name": "sorting"})
    found = client.get(f"{TRACES}/{trace}/probe").json()
    assert 1 < found["length"] < 32
    assert client.get(f"{TRACES}/{traced(client)}/probe").json()["length"] == 32
    longer = client.get(f"{TRACES}/{trace}/probe", params={"length": found["length"] + 1})
    assert problem_of(longer, 413, "too_many_tokens")["errors"][0]["at"] == "length"


def test_a_decoder_is_not_probed(client: TestClient) -> None:
    model = {"source": "seeded", "d_model": 8, "num_heads": 2, "block": "decoder"}
    trace = traced(client, text="a b", context="c", model=model)
    reply = client.get(f"{TRACES}/{trace}/probe")
    assert problem_of(reply, 422, "invalid_request")["errors"][0]["at"] == "id"


def test_a_short_text_waits_for_no_large_work(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    queues: list[str] = []
    run = AdmissionQueue.run

    def recorded(self: AdmissionQueue, *given: Any, queue: str, **more: Any) -> Any:
        queues.append(queue)
        return run(self, *given, queue=queue, **more)

    monkeypatch.setattr(AdmissionQueue, "run", recorded)
    short, long = (f"{TRACES}/{traced(client, text=text)}" for text in (TEXT, TEXT * 6))
    for trace, queue in ((short, "small"), (long, "large")):
        queues.clear()
        for part in ("predictions", "ablations", "contributions"):
            assert client.get(f"{trace}/{part}").status_code == 200
        assert client.post(f"{trace}/continuations", json={"tokens": 8}).status_code == 200
        assert queues == [queue] * 4
    queues.clear()
    client.post(f"{short}/continuations", json={"tokens": 100})
    assert queues == ["large"]


def test_a_name_that_is_nothing_is_seen_in_the_refusal(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        ({"name": ""}, "unknown_model"),
        ({"name": "echo", "revision": ""}, "unknown_revision"),
    ]
    for (model, code), language in product(cases, ("en", "zh")):
        with subtests.test(language, model=model):
            body = {"text": TEXT, "model": {"source": "installed", **model}}
            reply = client.post(TRACES, json=body, headers={"Accept-Language": language})
            assert "“”" in problem_of(reply, 404, code, language)["detail"]


def test_what_a_model_cannot_take_is_refused(client: TestClient) -> None:
    trace = traced(client)
    problem_of(client.post(f"{TRACES}/{trace}/continuations", json={"tokens": 1000}), 413,
         "too_many_tokens")  # fmt: skip
    long = {"text": "Emma " * 300, "model": ECHO}
    problem_of(client.post(TRACES, json=long), 413, "too_many_tokens")
    problem_of(
        client.post(TRACES, json={"text": "a", "tokenizer": "model"}), 422, "invalid_request"
    )
    problem_of(
        client.get(f"{TRACES}/{trace}/probe", params={"length": 1000}), 413, "too_many_tokens"
    )
