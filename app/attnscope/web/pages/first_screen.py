from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import Request

from attnscope.families.model import ModelConfig
from attnscope.installed.model_registry import shipped_model
from attnscope.tokens.library import PieceWithoutRow
from attnscope.tokens.process import TokenizationFailed
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.requests import engine_of
from attnscope.web.pages.site import site_of

PRONOUN = "The animal didn't cross the street because it was too tired."
INDUCTION = "Mr. Lestrange met Solomon Grundy. The next day Mr. Lestrange met Solomon"
PAIR = ("Where does the cat sleep?", "The cat sleeps on the mat.")
MASKED = "The capital of France is {mask}."
CHINESE = "猫坐在垫子上，因为它很累。"
SOURCE = "The red book is on the table."
MASKS = ("[MASK]", "<mask>")
PER_CHARACTER = 1.5  # tokens; more mean that the text was split into bytes


def first_texts(about: ModelConfig, pieces: SubwordTokenizer) -> dict[str, dict[str, str]]:
    """Example texts that the model can tokenize, by kind."""
    return {
        kind: fields for kind, fields in _kinds(about, pieces)
        if about.architecture.encoder_layers
        or all(_fits(text, about, pieces) for text in fields.values())
    }  # fmt: skip


def _kinds(about: ModelConfig, pieces: SubwordTokenizer) -> Iterator[tuple[str, dict[str, str]]]:
    if about.architecture.encoder_layers:
        read = next((one for one in (SOURCE, CHINESE) if _fits(one, about, pieces.source)), None)
        if read is not None:
            yield "source", {"context": read, "text": read if _fits(read, about, pieces) else ""}
        return
    yield "pronoun", {"text": PRONOUN}
    if about.predicts == "next":
        yield "induction", {"text": INDUCTION}
    mask = next((mask for mask in MASKS if mask in pieces.ids), None)
    if about.predicts == "masked" and mask is not None:
        yield "masked", {"text": MASKED.format(mask=mask)}
    if about.pairs:
        yield "pair", dict(zip(("text", "pair"), PAIR, strict=True))
    yield "chinese", {"text": CHINESE}


def _fits(text: str, about: ModelConfig, pieces: SubwordTokenizer) -> bool:
    try:
        tokens = pieces.tokenize(text)
    except (PieceWithoutRow, TokenizationFailed):
        return False
    if len(tokens) > min(about.context, PER_CHARACTER * len(text)):
        return False
    return pieces.unknown is None or all(token.id != pieces.unknown for token in tokens)


# Language → (model, layer, head).
MODELS = {"en": ("echo", 1, 0), "zh": ("echo-zh", 1, 0)}


# Model → (solved problem, query to show).
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
