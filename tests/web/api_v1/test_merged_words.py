"""Weights between words: ?tokens=words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from tests.web.client import TRACES

ECHO = {"source": "installed", "name": "echo"}
TIRED = "The squirrel didn't cross because it was too tired"


def traced(client: TestClient, **body: Any) -> str:
    reply = client.post(TRACES, json={"text": TIRED, "model": ECHO, **body})
    assert reply.status_code == 201, reply.text
    address: str = reply.headers["Location"]
    return address


def between(weights: np.ndarray, words: list[list[int]], others: list[list[int]]) -> np.ndarray:
    """By hand: the sum over the key's pieces, the mean over the query's."""
    return np.array(
        [[np.mean([weights[i, keys].sum() for i in rows]) for keys in others] for rows in words]
    )


def test_a_block_of_weights_is_summed_over_keys_and_averaged_over_queries(
    client: TestClient,
) -> None:
    at = f"{traced(client)}/stages/weights?layer=1&head=2"
    pieces = np.array(client.get(at).json()["values"])
    reply = client.get(f"{at}&tokens=words").json()
    assert (reply["words"][1], reply["context_words"]) == ([1, 2, 3], None)
    assert len(reply["words"]) == len(TIRED.split())
    expected = between(pieces, reply["words"], reply["words"])
    np.testing.assert_allclose(reply["values"], expected, atol=1e-6)
    np.testing.assert_allclose(np.sum(reply["values"], axis=1), 1, atol=1e-6)
    part = client.get(f"{at}&tokens=words&rows=2:4&cols=1:3").json()
    assert (part["rows"], part["cols"]) == ([2, 4], [1, 3])
    np.testing.assert_array_equal(part["values"], np.array(reply["values"])[2:4, 1:3])
    raw = load(client.get(f"{at}&tokens=words&format=safetensors").content)["layers.1.weights"]
    np.testing.assert_array_equal(raw, np.array(reply["values"], np.float32))


def test_pieces_can_be_merged_in_other_ways(client: TestClient) -> None:
    at = f"{traced(client)}/stages/weights"
    pieces = np.array(client.get(at).json()["values"])
    reply = client.get(f"{at}?tokens=words&keys=max&queries=sum").json()
    words = reply["words"]
    expected = [[sum(pieces[i, keys].max() for i in rows) for keys in words] for rows in words]
    np.testing.assert_allclose(reply["values"], expected, atol=1e-6)
    mean = client.get(f"{at}?tokens=words&keys=mean&queries=max").json()["values"]
    assert mean[-1][0] == pytest.approx(pieces[words[-1], 0].max(), abs=1e-6)


def test_a_cell_between_words_is_explained_by_the_cells_of_its_pieces(client: TestClient) -> None:
    trace = traced(client)
    values = client.get(f"{trace}/stages/weights?tokens=words").json()["values"]
    made = client.get(f"{trace}/cells/weights?tokens=words&row=2&col=1").json()
    assert made["value"] == pytest.approx(values[2][1], abs=1e-6)
    (step,) = made["steps"]
    assert [(one["row"], one["col"]) for one in step["operands"]] == [
        (row, col) for row in (4, 5) for col in (1, 2, 3)
    ]
    assert sum(one["value"] for one in step["operands"]) / 2 == pytest.approx(made["value"])
    assert step["expression"].count(" + ") == 5
    assert "/ 2 ≈ " in step["expression"]
    assert made["masked_because"] is None
    later = client.get(f"{trace}/cells/weights?tokens=words&row=0&col=1").json()
    assert later["value"] == 0
    assert later["masked_because"].startswith("Masked: key 1 comes after query 0")


def test_heads_are_measured_between_words(client: TestClient) -> None:
    body = {"text": "un believ un believ", "model": {"source": "crafted", "name": "all"}}
    trace = traced(client, **body)
    pieces, words = (client.get(f"{trace}/heads{query}").json() for query in ("", "?tokens=words"))
    assert words["words"] == [[0], [1], [2], [3]]
    assert words["heads"] == pieces["heads"]
    trace = traced(client)
    measured = client.get(f"{trace}/heads?tokens=words").json()
    weights = client.get(f"{trace}/stages/weights?tokens=words&layer=1&head=1").json()["values"]
    one = next(one for one in measured["heads"] if (one["layer"], one["head"]) == (1, 1))
    assert one["first"] == pytest.approx(np.mean([row[0] for row in weights]), abs=1e-6)


def test_a_picture_of_words_has_their_cells_and_closes_what_all_pieces_close(
    client: TestClient,
) -> None:
    trace = traced(client)
    values = client.get(f"{trace}/stages/weights?tokens=words&head=1").json()["values"]
    reply = client.get(f"{trace}/pictures/weights?tokens=words&head=1").json()
    np.testing.assert_allclose(reply["values"], values, atol=1e-7)
    bits = client.get(f"{trace}/pictures/weights?tokens=words&encoding=u8")
    cells = np.frombuffer(bits.content, np.uint8).reshape(len(values), -1)
    np.testing.assert_array_equal(cells == 255, np.triu(np.ones_like(cells), 1))


def test_maps_tiles_and_joined_heads_are_between_words(client: TestClient) -> None:
    trace, words = traced(client), "tokens=words&head=1"
    values = np.array(client.get(f"{trace}/stages/weights?{words}").json()["values"])
    reply = client.get(f"{trace}/map/weights?{words}").json()
    assert (reply["n"], reply["m"]) == values.shape
    assert reply["max"] == pytest.approx(values.max())
    tile = client.get(f"{trace}/tiles/weights/0/1/0/0/0?tokens=words").json()
    np.testing.assert_allclose(tile["values"], values, atol=1e-7)
    one = client.get(f"{trace}/together?heads=0.1&tokens=words").json()["weights"]
    np.testing.assert_allclose(one, values, atol=1e-7)
    (pieces,) = client.get(f"{trace}/rollout?layer=1").json()["maps"]
    groups = client.get(f"{trace}/heads?tokens=words").json()["words"]
    expected = between(np.array(pieces), groups, groups)
    (across,) = client.get(f"{trace}/rollout?layer=1&tokens=words").json()["maps"]
    np.testing.assert_allclose(across, expected, atol=1e-7)
    lines = client.get(f"{trace}/together?combine=rollout&layer=1&tokens=words&format=csv").text
    assert len(lines.splitlines()) == 1 + len(groups) ** 2


def test_every_reply_between_words_lists_their_tokens(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "itself": {}, "a context": {"context": "unbelievably odd", "model": {"source": "seeded"}}
    }  # fmt: skip
    paths = ["cells/weights?row=2&col=1", "map/weights?head=1", "tiles/weights/0/1/0/0/0",
             "pictures/weights?head=1", "together?heads=0.1", "rollout?layer=0"]  # fmt: skip
    for name, body in bodies.items():
        trace = traced(client, **body)
        block = client.get(f"{trace}/stages/weights?tokens=words").json()
        own, other = block["words"], block["context_words"]
        assert (other is not None) == ("context" in body)
        for path in paths[: 5 if other else 6]:  # rollout refuses a context
            with subtests.test(path, of=name):
                sign = "&" if "?" in path else "?"
                plain = client.get(f"{trace}/{path}").json()
                assert not {"words", "context_words"} & plain.keys()
                reply = client.get(f"{trace}/{path}{sign}tokens=words").json()
                assert (reply["words"], reply.get("context_words")) == (own, other)


def test_exports_have_words(client: TestClient) -> None:
    trace = traced(client, text=["unbelievably", "it was too tired"])
    reply = client.get(f"{trace}/export?format=json&tokens=words").json()
    assert [len(words) for words in reply["words"]] == [1, 4]
    weights = np.array(reply["layers"][0]["weights"])
    assert weights.shape[2:] == (4, 4)
    np.testing.assert_allclose(weights[1].sum(-1), 1, atol=1e-6)
    assert not weights[0, :, 1:].any()
    lines = client.get(f"{trace}/export?format=csv&tokens=words&layer=0&head=0").text.splitlines()
    assert len(lines) == 1 + 2 * 4 * 4
    assert lines[1].endswith(",unbelievably,unbelievably")
    assert lines[2].endswith(",unbelievably,")
    raw = load(client.get(f"{trace}/export?format=safetensors&tokens=words").content)
    np.testing.assert_array_equal(raw["layers.0.weights"], weights.astype(np.float32))


def test_keys_of_a_context_are_its_words(client: TestClient) -> None:
    body = {"text": "two cats", "context": "three dogs sat", "model": {"source": "seeded"}}
    reply = client.get(f"{traced(client, **body)}/stages/weights?tokens=words").json()
    assert (reply["words"], reply["context_words"]) == ([[0], [1]], [[0], [1], [2]])


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("stages/scores?tokens=words", "tokens"),
        ("stages/weights?keys=max", "keys"),
        ("heads?queries=mean", "queries"),
        ("stages/weights?tokens=words&keys=median", "keys"),
        ("stages/weights?tokens=words&rows=9:", "rows"),
        ("stages/weights?tokens=words&head=99", "head"),
        ("stages/weights?tokens=words&batch=1", "batch"),
        ("cells/weights?tokens=words&row=9&col=0", "row"),
        ("cells/q?tokens=words&row=0&col=0", "tokens"),
        ("pictures/x?tokens=words", "tokens"),
        ("export?tokens=words&stages=x", "tokens"),
        ("map/scores?tokens=words", "tokens"),
        ("tiles/scores/0/0/0/0/0?tokens=words", "tokens"),
        ("together?heads=0.1&keys=max", "keys"),
        ("rollout?queries=max", "queries"),
        ("export?tokens=words&format=py", "tokens"),
    ],
)
def test_what_cannot_be_merged_is_refused(client: TestClient, path: str, at: str) -> None:
    refused = client.get(f"{traced(client)}/{path}")
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request"), refused.text
    assert refused.json()["errors"][0]["at"].endswith(at)
    assert "errors." not in refused.json()["detail"]


def test_a_reply_says_which_tokens_go_on_with_a_word(client: TestClient) -> None:
    reply = client.post(TRACES, json={"text": [TIRED, "我 didn't"], "model": ECHO}).json()
    names, joined = reply["tokens"], reply["continues"]
    parts = [[name for name, on in zip(row, flags, strict=True) if on]
             for row, flags in zip(names, joined, strict=True)]  # fmt: skip
    assert "rel" in parts[0]
    assert " didn" not in parts[0]
    assert parts[1][:2] == ["<88>", "<91>"]
    padding = [flag for name, flag in zip(names[1], joined[1], strict=True) if name is None]
    assert set(padding) == {None}
    letters = client.post(TRACES, json={"text": "to be", "tokenizer": "characters"}).json()
    assert sum(map(bool, letters["continues"][0])) == 2
    for words in ({"text": "don't wait"}, {"text": "the old man said", "model": ECHO}):
        assert "continues" not in client.post(TRACES, json=words).json(), words
