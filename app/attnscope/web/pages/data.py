from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_args

import numpy as np
from cmap import Colormap
from fastapi import Request

from attnscope.analysis import heads
from attnscope.analysis.gradients import MOST_KEYS
from attnscope.analysis.scaling import MOST_PAIRS, SAMPLES
from attnscope.attention.architecture import AskedBlock
from attnscope.attention.dtypes import Dtype
from attnscope.attention.masks import Padding
from attnscope.errors import AttnscopeError
from attnscope.families.model import ModelConfig
from attnscope.figures.heatmap import LIGHT
from attnscope.installed.model_registry import ModelRegistry
from attnscope.installed.uploaded_model import UploadedCheckpoint
from attnscope.settings import Settings
from attnscope.tokens.split import Tokenizer
from attnscope.toy_training.tasks import TASKS, USUAL, example, num_positions, task_tokenizer
from attnscope.toy_training.training import MOST_STEPS
from attnscope.trace.question import (
    MAX_BLOCKED,
    MAX_LAYERS,
    MAX_RATE,
    MAX_SEED,
    MAX_WIDTH,
    Model,
    Question,
    Seeded,
)
from attnscope.trace.stages import GATED_NAMES, MLP_NAMES, OPERANDS, PARAMETERS, STAGES, Stage
from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.replies import RELEASE
from attnscope.web.http.requests import engine_of
from attnscope.web.pages.file_limits import file_limits
from attnscope.web.pages.site import site_of
from attnscope.web.serializers.installed import base_of
from attnscope.web.serializers.opening import open_upload
from attnscope.web.serializers.request import DEFAULT_TEXT, AttentionRequest
from attnscope.web.serializers.selection import JSON_BYTES
from attnscope.web.serializers.typeset import typeset
from attnscope.web.texts import Catalogue
from attnscope.weights import crafted, schemes
from attnscope.weights.layouts.shapes import MAX_HEADS
from attnscope.weights.schemes import Share

T = TypeVar("T")
COLORS = {"light": LIGHT, "dark": {"diverging": "crameri:berlin_r", "sequential": "crameri:oslo"}}
# Colours of 0 in the dark theme, lighter than the page and masked cells.
DARK_ZERO_COLORS = {"diverging": "363d47", "sequential": "1f4266"}
LARGE_CAPTURE = 16 << 20  # bytes
SOME_CAPTURE = 2 << 20  # bytes; larger ones would delay the first picture
PARTS = tuple(name for name in AttentionRequest.model_fields if name not in Question.model_fields)


def warm() -> None:
    for prepare in (
        stage_rows,
        parameter_rows,
        operand_rows,
        colors,
        default_question,
        default_models,
    ):
        prepare()


def page_data(request: Request, *, learn: bool = False) -> dict[str, Any]:
    site, settings = site_of(request), request.app.state.settings
    language = language_of(request)
    return {
        "lang": language,
        "version": site.static.version,
        "release": RELEASE,
        "messages": page_messages(site.catalogue, language, learn=learn),
        "stages": stage_rows(),
        "parameters": parameter_rows(),
        "operands": operand_rows(),
        "metrics": metric_rows(),
        "colors": colors(),
        "defaults": default_question(),
        "models": default_models(),
        "installed": installed(engine_of(request).registry),
        "lessons": lessons(),
        "parts": PARTS,
        "limits": limits(settings) | file_limits(request),
        "frame_ancestors": settings.frame_ancestors,
        "choices": {
            "init": schemes.INITS,
            "share": get_args(Share),
            "positions": get_args(Seeded.model_fields["positions"].annotation),
            "block": (*get_args(AskedBlock), "decoder"),
            "norm": get_args(Seeded.model_fields["norm"].annotation),
            "padding": get_args(Padding),
            "activation": get_args(Seeded.model_fields["activation"].annotation),
            "crafted": crafted.NAMES,
            "tokenizer": (*get_args(Tokenizer), "model"),
            "special_tokens": get_args(Question.model_fields["special_tokens"].annotation),
            "dtype": get_args(Dtype),
            "task": TASKS,
        },
    }


def installed(registry: ModelRegistry) -> list[dict[str, Any]]:
    return [
        {"name": model.name, "revisions": list(model.revisions), "base": base_of(model)}
        | _about(model.config)
        for model in registry.existing_models()
    ]


async def sent_model(request: Request) -> dict[str, Any] | None:
    upload = await _named(request, "uploaded", engine_of(request).find_upload)
    if not isinstance(upload, UploadedCheckpoint):
        return None
    return {"id": request.query_params["id"], **_about(upload.about)}


async def capture_parts(request: Request) -> dict[str, Any]:
    """`large_capture`: id of a capture too large to send whole; `first_part`: id and layer to send
    first."""
    parts: dict[str, Any] = {"large_capture": None, "first_part": None}
    capture = await _named(request, "captured", engine_of(request).find_capture)
    if capture is None:
        return parts
    asked = request.query_params
    if capture.bytes > LARGE_CAPTURE:
        return parts | {"large_capture": asked["id"]}
    layers = len(capture.layers)
    shows_all = asked.get("tab") == "heads" or "heads" in asked
    if capture.bytes <= SOME_CAPTURE or layers < 2 or shows_all:
        return parts
    layer = asked.get("layer", "0")[:9]
    shown = min(int(layer), layers - 1) if layer.isdecimal() else 0
    return parts | {"first_part": {"id": asked["id"], "layers": [shown]}}


async def _named(request: Request, source: str, find: Callable[[str], T]) -> T | None:
    """None if the URL names no existing upload of this source."""
    asked = request.query_params
    upload_id = asked.get("id", "")
    if asked.get("source") != source or not upload_id:
        return None
    try:
        return await open_upload(request, upload_id, lambda: find(upload_id))
    except AttnscopeError:
        return None  # the page shows the question's error


def _about(config: ModelConfig) -> dict[str, Any]:
    made = config.architecture
    mlp = GATED_NAMES if made.gated else MLP_NAMES
    return {
        "language": config.language,
        "pieces": config.vocabulary,
        "context": config.context,
        "num_layers": made.num_layers,
        "num_heads": made.shape.num_heads,
        "encoder_layers": made.encoder_layers,
        "predicts": config.predicts,
        "causal": config.causal,
        "pairs": config.pairs,
        "mlp": mlp if made.mlp_width else (),
    }


@cache
def lessons() -> dict[str, dict[str, Any]]:
    return {
        task: {
            "example": example(task, USUAL[task]),
            "words": list(task_tokenizer(task).known),
            "context": num_positions(task, USUAL[task]),
        }
        for task in TASKS
    }


def limits(settings: Settings) -> dict[str, float]:
    return {
        "max_tokens": settings.max_tokens,
        "max_characters": settings.max_characters,
        "max_layers": MAX_LAYERS,
        "max_heads": MAX_HEADS,
        "max_d_model": MAX_WIDTH,
        "max_seed": MAX_SEED,
        "max_blocked": MAX_BLOCKED,
        "max_body_numbers": (settings.max_body_mb << 20) // JSON_BYTES,
        "max_jacobian_keys": MOST_KEYS,
        "max_laboratory_keys": MOST_PAIRS // SAMPLES,
        "max_training_steps": MOST_STEPS,
        "max_rate": MAX_RATE,
    }


def page_messages(catalogue: Catalogue, language: str, *, learn: bool) -> dict[str, str]:
    """Messages for scripts; errors and notes arrive as sentences."""
    skipped = (
        "course.", "errata.", "errors.", "examples.", "exercise.", "learn.", "line.error.",
        "line.note.", "line.slip.", "masked.", "models.", "note.",
        "search.", "term.", "terms.", "worksheet.",
    ) + (() if learn else ("practice.",))  # fmt: skip
    messages = catalogue.languages[language]
    return {key: text for key, text in messages.items() if not key.startswith(skipped)}


def _rows(stages: tuple[Stage, ...]) -> list[dict[str, Any]]:
    return [
        {
            "name": stage.name,
            "axes": stage.axes,
            "formula": stage.formula,
            "mathml": typeset(stage.latex),
            "inputs": stage.inputs,
            "kind": stage.kind,
            "variants": {
                one.when: {"formula": one.formula, "mathml": typeset(one.latex)}
                for one in stage.variants
            },
        }
        for stage in stages
    ]


stage_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(STAGES))
parameter_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(PARAMETERS))
operand_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(OPERANDS))


def metric_rows() -> list[dict[str, Any]]:
    """`rivals`: metrics that one must exceed to name a head; None if a metric names none."""
    return [
        {"name": metric.name, "rivals": heads.rivals_of(metric) if metric.names_heads else None}
        for metric in heads.METRICS
    ]


@cache
def colors() -> dict[str, dict[str, str]]:
    """256 colours RRGGBB in one string each."""
    return {
        theme: {
            use: _hex(name, DARK_ZERO_COLORS[use] if theme == "dark" else "000000")
            for use, name in uses.items()
        }
        for theme, uses in COLORS.items()
    }


def _hex(name: str, ground: str) -> str:
    """Lighten the colours: black becomes `ground`, white stays."""
    light = [byte / 255 for byte in bytes.fromhex(ground)]
    screened = 1 - (1 - Colormap(name).lut(256)[:, :3]) * (1 - np.array(light))
    return "".join(f"{round(float(c) * 255):02x}" for color in screened for c in color)


@cache
def default_question() -> dict[str, Any]:
    """The default question, with `scale` spelt out."""
    question = Question(text=DEFAULT_TEXT)
    data: dict[str, Any] = json.loads(question.model_dump_json())
    return {**data, "scale": question.scaling}


@cache
def default_models() -> dict[str, dict[str, Any]]:
    kinds = get_args(get_args(Model)[0])
    return {
        get_args(kind.model_fields["source"].annotation)[0]: {
            name: None if field.is_required() else field.get_default()
            for name, field in kind.model_fields.items()
            if name != "source"
        }
        for kind in kinds
    }
