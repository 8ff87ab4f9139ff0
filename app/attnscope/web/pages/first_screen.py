from __future__ import annotations

from typing import Any

from fastapi import Request

from attnscope.installed.model_registry import shipped_model
from attnscope.web.http.languages import language_of
from attnscope.web.http.requests import engine_of
from attnscope.web.pages.site import site_of

# Language → (model, layer, head).
MODELS = {"en": ("echo", 1, 0), "zh": ("echo-zh", 1, 0)}


# Model → (solved problem, query that is shown).
TASKS = {
    "reversal": ("a7f3k>k3f7a.", 7),
    "sorting": ("52804>02458.", 6),
    "addition": ("47+85=231.", 4),
}


def first_screen(request: Request) -> dict[str, Any] | None:
    return _first(request, "first.text")


def first_pair(request: Request) -> list[dict[str, Any]] | None:
    pair = [_first(request, key) for key in ("first.text", "first.other")]
    return [each for each in pair if each] or None


def _first(request: Request, key: str) -> dict[str, Any] | None:
    language = language_of(request)
    name, layer, head = MODELS[language]
    if name not in engine_of(request).registry.models:
        return None
    text = site_of(request).catalogue.languages[language][key]
    return {**_opened(name, text, layer, head), "id": "first"}


def tasks(request: Request) -> list[dict[str, Any]]:
    models = engine_of(request).registry.models
    return [
        _opened(name, text, *shipped_model(name).figures["head"], after=query)
        for name, (text, query) in TASKS.items()
        if name in models
    ]


def sentence_for(request: Request, name: str) -> str | None:
    """None if any text suits the model."""
    if name in TASKS:
        return TASKS[name][0]
    language = next((each for each, (model, *_) in MODELS.items() if model == name), None)
    return language and site_of(request).catalogue.languages[language]["first.text"]


def _opened(name: str, text: str, layer: int, head: int, **view: int) -> dict[str, Any]:
    question = {"text": text, "model": {"source": "installed", "name": name}}
    return {"id": name, "question": question, "view": {"layer": layer, "head": head, **view}}
