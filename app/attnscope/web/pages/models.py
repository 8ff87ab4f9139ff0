from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from attnscope.errors import AttnscopeError
from attnscope.families import FAMILIES, MODEL_TYPE_ALIASES
from attnscope.families.unsupported import OTHER_KINDS
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.model_registry import RegistryModel
from attnscope.web.http.accept_headers import language_of
from attnscope.web.pages.file_limits import file_limits
from attnscope.web.pages.first_screen import first_texts, sentence_for
from attnscope.web.pages.site import PageRoute, site_of
from attnscope.web.serializers.installed import (
    describe_model,
    may_install,
    offers_of,
    tensors_of,
    unopened,
)
from attnscope.web.serializers.opening import current_registry, run_as_short_text
from attnscope.web.serializers.ranges import MOST_TENSORS, TensorSpan, tensor_page
from attnscope.weights.layouts.shapes import MAX_HEADS

SENTENCES = ("capture.", "dialog.", "models.", "parameters.", "problem.", "sending.", "sign_in.")
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/models")
async def models(request: Request) -> Response:
    registry = await current_registry(request)
    catalogue = offers_of(request, registry) if may_install(request) else []
    offers = [vars(one) for one in catalogue if not one.there]
    listed = await run_as_short_text(
        request, lambda: [shown(request, model) for model in registry.existing_models()]
    )
    families = [*(family.MODEL_TYPE for family in FAMILIES), *MODEL_TYPE_ALIASES]
    known = {"limits": limits(request), "families": families, "others": OTHER_KINDS,
             "offers": offers}  # fmt: skip
    return site_of(request).render(
        request, "models.html", one=None, tensors=[], turning=False, models=listed,
        left_out=left_out(request), offers=offers, page_data=drawing(request) | known,
    )  # fmt: skip


@router.get("/models/{name:path}")
async def model(request: Request, name: str, tensors: TensorSpan = ":") -> Response:
    found = (await current_registry(request)).find(name)
    one = await run_as_short_text(request, lambda: shown(request, found))
    listed = tensors_of(found, tensors)
    known = {key: one[key] for key in ("name", "revisions", "shape")}
    return site_of(request).render(
        request, "models.html", one=one, tensors=listed["tensors"], models=[], left_out=[],
        turning="num_tensors" in listed and turning(request, tensors, listed["num_tensors"]),
        page_data=drawing(request) | {"model": known},
    )  # fmt: skip


def turning(request: Request, tensors: str, total: int) -> dict[str, Any]:
    page = tensor_page(tensors, total)
    kept = {"lang": language_of(request)} if "lang" in request.query_params else {}
    earlier, later = max(0, page.start - MOST_TENSORS), page.stop + MOST_TENSORS

    def address(first: int, last: int) -> str:
        return f"?{urlencode({**kept, 'tensors': f'{first}:{last}'}, safe=':')}#tensors"

    return {
        "first": page.start + 1, "last": page.stop, "total": total,
        "earlier": address(earlier, page.start) if page.start else None,
        "later": address(page.stop, min(later, total)) if page.stop < total else None,
    }  # fmt: skip


def left_out(request: Request) -> list[dict[str, str]]:
    return [{"name": one["name"], "why": one["problem"]["message"]} for one in unopened(request)]


def limits(request: Request) -> dict[str, float]:
    return {**file_limits(request), "max_heads": MAX_HEADS}


def drawing(request: Request) -> dict[str, Any]:
    language = language_of(request)
    messages = site_of(request).catalogue.languages[language]
    sentences = {key: text for key, text in messages.items() if key.startswith(SENTENCES)}
    return {"lang": language, "messages": sentences}


def shown(request: Request, model: RegistryModel) -> dict[str, Any]:
    about, texts = describe_model(request, model), texts_of(model)
    sizes, first = about["shape"], next(iter(texts.values()), {})
    return {
        **about,
        "explore": f"/?{urlencode(address_of(request, model.name, first))}",
        "compare": about["base"] and compared(request, about["base"], model.name, first),
        "texts": {
            kind: f"/?{urlencode(address_of(request, model.name, fields))}"
            for kind, fields in texts.items()
        },
        "grouped": sizes["num_kv_heads"] if sizes["num_kv_heads"] < sizes["num_heads"] else None,
        "facts": {
            "layers_heads": f"{sizes['num_layers']} × {sizes['num_heads']}",
            "d_model": f"{sizes['d_model']:,}",
            "d_k": str(sizes["d_k"]),
            "context": f"{about['context']:,}",
            "vocabulary": f"{about['vocabulary']:,}",
            "dtypes": ", ".join(about["dtypes"]),
            "bytes": format_bytes(about["bytes"]),
            "revisions": model.newest,
        },
    }


def texts_of(model: RegistryModel) -> dict[str, dict[str, str]]:
    try:
        return first_texts(model.config, model.pieces) if isinstance(model, Checkpoint) else {}
    except AttnscopeError:
        return {}


def address_of(request: Request, name: str, fields: Mapping[str, str]) -> dict[str, str]:
    query = {"source": "installed", "name": name, **fields}
    text = sentence_for(request, name)
    if text is not None:
        query["text"] = text
    if "lang" in request.query_params:
        query["lang"] = language_of(request)
    return query


def compared(request: Request, base: str, name: str, fields: Mapping[str, str]) -> str:
    a, b = (address_of(request, one, fields) for one in (base, name))
    query = {key: a[key] for key in ("lang",) if key in a}
    for side, address in (("a", a), ("b", b)):
        query |= {f"{side}.{key}": value for key, value in address.items() if key != "lang"}
    return f"/compare?{urlencode(query)}"


def format_bytes(count: int) -> str:
    power = min(len(UNITS) - 1, (max(count, 1).bit_length() - 1) // 10)
    value = count / 1024**power
    return f"{value:.0f} {UNITS[power]}" if power == 0 else f"{value:.1f} {UNITS[power]}"
