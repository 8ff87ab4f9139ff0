"""The commands of the README work as they are written, one after the other."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def request_of(command: str, folder: Path) -> dict[str, Any]:
    """What curl would send, as arguments of a test client's request; -s and -o change nothing."""
    words = shlex.split(command)
    (url,) = (word for word in words if word.startswith("http"))
    fields: dict[str, str] = {}
    asked: dict[str, Any] = {"method": "GET", "url": url.split(":8000")[1], "headers": {}}
    for option, value in pairwise(words):
        if option == "-d":
            asked |= {"method": "POST", "content": value}
        elif option == "-H":
            name, _, content = value.partition(": ")
            asked["headers"][name] = content
        elif option == "-F":
            asked |= {"method": "POST", "data": fields}
            name, _, content = value.partition("=")
            if content.startswith("@"):
                asked["files"] = {name: (content[1:], (folder / content[1:]).read_bytes())}
            else:
                fields[name] = content
    return asked


def test_each_request_of_the_readme_is_answered(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sent = 0
    for language, block in BLOCK.findall(README.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(block, str(README), "exec"), {})  # writes the weights to upload
            continue
        for command in block.replace("\\\n", " ").splitlines():
            if command.startswith("curl "):
                response = client.request(**request_of(command, tmp_path))
                assert response.is_success, (command, response.text[:400])
                sent += 1
    assert sent == 7
