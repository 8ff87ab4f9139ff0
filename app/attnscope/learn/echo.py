"""Questions and views of the shipped model echo."""

from __future__ import annotations

from attnscope.installed.model_registry import shipped_model
from attnscope.learn.parts import Body

ECHO: Body = {"source": "installed", "name": "echo"}
TEXT = "My friend Jacob Darcy met Thomas Bennet. My friend Jacob"
FIRST: Body = {**ECHO, "revision": next(iter(shipped_model("echo").revisions))}
PREVIOUS = shipped_model("echo").head_of("previous")
INDUCTION = shipped_model("echo").head_of("induction")


def asked(text: str, **fields: object) -> Body:
    """A question to echo."""
    return {"text": text, "model": ECHO, **fields}


def look(head: tuple[int, int]) -> Body:
    """The initial view of a figure of one head."""
    return {"layer": head[0], "head": head[1]}
