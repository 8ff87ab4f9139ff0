"""A model with thousands of tensors tells them by pages."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from tests.web.client import MODELS, refused

MANY = 2500


def sent(client: TestClient, tensors: int) -> dict[str, Any]:
    """The reply to an upload of w_q, w_k, w_v and others."""
    one = np.ones((1, 1), np.float32)
    names = ["w_q", "w_k", "w_v", *(f"x.{i:04}" for i in range(tensors - 3))]
    files = {"weights": ("m.safetensors", save(dict.fromkeys(names, one)))}
    mapping = '{"w_q": "w_q", "w_k": "w_k", "w_v": "w_v"}'
    reply = client.post(MODELS, files=files, data={"mapping": mapping})
    assert reply.status_code == 201, reply.text
    body: dict[str, Any] = reply.json()
    return body


def test_an_upload_lists_a_thousand_tensors_and_how_many_there_are(client: TestClient) -> None:
    reply = sent(client, MANY)
    assert (len(reply["tensors"]), reply["num_tensors"]) == (1000, MANY)
    url = f"{MODELS}/{reply['id']}"
    assert client.get(url).json() == reply
    pages = [
        client.get(url, params={"tensors": f"{start}:{start + 1000}"}).json()["tensors"]
        for start in range(0, MANY, 1000)
    ]
    names = [one["name"] for page in pages for one in page]
    assert len(set(names)) == len(names) == MANY
    last = client.get(url, params={"tensors": f"{MANY - 1}:"}).json()
    assert [one["name"] for one in last["tensors"]] == names[-1:]
    assert len(client.get(url, params={"tensors": "7:"}).json()["tensors"]) == 1000


def test_of_one_with_few_all_are_listed(client: TestClient) -> None:
    reply = sent(client, 5)
    assert len(reply["tensors"]) == 5
    assert "num_tensors" not in reply


@pytest.mark.parametrize("asked", ["5", "a:b", "5:5", f"{MANY}:", "-1:2"])
def test_what_is_no_page_of_them_is_refused(client: TestClient, asked: str) -> None:
    url = f"{MODELS}/{sent(client, MANY)['id']}"
    request = {"method": "GET", "url": url, "params": {"tensors": asked}}
    assert refused(client, request, 422, "invalid_request")["errors"][0]["at"] == "tensors"


def test_an_installed_model_is_listed_by_pages_too(client: TestClient) -> None:
    url = f"{MODELS}/installed/echo"
    whole = client.get(url).json()
    assert "num_tensors" not in whole
    part = client.get(url, params={"tensors": "2:5"}).json()
    assert part["tensors"] == whole["tensors"][2:5]
    assert part["num_tensors"] == len(whole["tensors"])


def test_its_page_turns_them_over(client: TestClient) -> None:
    def names(text: str) -> list[str]:
        return re.findall(r'data-words="(\S+)', text)

    whole = client.get("/models/echo").text
    assert 'rel="next"' not in whole
    part = client.get("/models/echo", params={"tensors": "5:10", "lang": "zh"}).text
    assert names(part) == names(whole)[5:10]
    assert "第 6 到 10 个，共 16 个" in part
    links = dict(re.findall(r'rel="(prev|next)" href="([^"]*)"', part))
    addresses = {way: link.replace("&amp;", "&") for way, link in links.items()}
    assert names(client.get(f"/models/echo{addresses['prev']}").text) == names(whole)[:5]
    after = client.get(f"/models/echo{addresses['next']}")
    assert names(after.text) == names(whole)[10:]
    assert after.headers["content-language"] == "zh"
    assert 'rel="next"' not in after.text
