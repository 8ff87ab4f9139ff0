"""Questions and views of the shipped model echo."""

from __future__ import annotations

from attnscope.installed.model_registry import shipped_model
from attnscope.learn.parts import Body

TEXT_ZH = "姑苏城外寒山寺，姑苏城"
ECHO_ZH: Body = {"source": "installed", "name": "echo-zh"}
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


# A figure of echo on Chinese pages: another model, with a text and an induction head of its own.
IN_CHINESE: Body = {
    "text": TEXT_ZH, "model": ECHO_ZH, "look": look(shipped_model("echo-zh").head_of("induction")),
}  # fmt: skip
