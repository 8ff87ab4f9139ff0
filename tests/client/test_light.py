"""What `import attnscope` costs, and which names it has."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import attnscope

PROGRAM = """
import sys, attnscope
print(sorted({"numpy", "fastapi", "httpx2", "pydantic"} & sys.modules.keys()))
attnscope.Problem("code", "detail")
print(sorted({"numpy", "fastapi", "httpx2", "pydantic"} & sys.modules.keys()))
attnscope.Client("http://127.0.0.1:1")
print(sorted({"fastapi"} & sys.modules.keys()))
"""


def test_it_loads_nothing_until_a_name_is_used_and_no_framework_for_a_server_elsewhere() -> None:
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["[]"] * 3
    assert done.stderr == ""


def test_every_name_is_there_and_no_other() -> None:
    assert set(attnscope.__all__) <= set(dir(attnscope))
    for name in attnscope.__all__:
        found = getattr(attnscope, name)
        assert name == "__version__" or found.__doc__
        members = vars(found) if isinstance(found, type) else {}
        for member in members.values():
            if inspect.isfunction(member) and not member.__name__.startswith("_"):
                assert member.__doc__, f"the reference would have nothing on {member.__qualname__}"
    with pytest.raises(AttributeError, match="no attribute 'Cleint'"):
        attnscope.Cleint  # noqa: B018
