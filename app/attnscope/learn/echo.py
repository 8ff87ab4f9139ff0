"""Questions to the shipped models echo and echo-zh, and their initial views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from attnscope.installed.model_registry import shipped_model
from attnscope.learn.exercises import LANGUAGE
from attnscope.learn.parts import Body

T = TypeVar("T")
Head = tuple[int, int]  # layer and head


@dataclass(frozen=True)
class Echo:
    """A shipped model and the text to ask."""

    name: str
    text: str

    @property
    def model(self) -> Body:
        return {"source": "installed", "name": self.name}

    @property
    def previous(self) -> Head:
        return shipped_model(self.name).head_of("previous")

    @property
    def induction(self) -> Head:
        return shipped_model(self.name).head_of("induction")

    def asked(self, text: str | None = None, **fields: object) -> Body:
        return {"text": self.text if text is None else text, "model": self.model, **fields}


TEXT = "My friend Jacob Darcy met Thomas Bennet. My friend Jacob"
TEXT_ZH = "姑苏城外寒山寺，姑苏城"
ENGLISH, CHINESE = Echo("echo", TEXT), Echo("echo-zh", TEXT_ZH)
ECHO, ECHO_ZH = ENGLISH.model, CHINESE.model
FIRST: Body = {**ECHO, "revision": next(iter(shipped_model("echo").revisions))}
PREVIOUS, INDUCTION = ENGLISH.previous, ENGLISH.induction


def echo_question(text: str, **fields: object) -> Body:
    return ENGLISH.asked(text, **fields)


def echo_of_reader() -> Echo:
    """The model in the reader's language."""
    return CHINESE if LANGUAGE.get() == "zh" else ENGLISH


def view_of_head(head: Head) -> Body:
    return {"layer": head[0], "head": head[1]}


def by_language(
    make: Callable[[Echo], T], chinese: Echo = CHINESE
) -> tuple[Callable[[], T], Callable[[], T]]:
    """Bind `make` to the Echo of English and of Chinese pages."""
    return partial(make, ENGLISH), partial(make, chinese)


# Fields that replace those of echo's figures on Chinese pages.
IN_CHINESE: Body = {"text": TEXT_ZH, "model": ECHO_ZH, "look": view_of_head(CHINESE.induction)}
