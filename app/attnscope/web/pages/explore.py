from __future__ import annotations

from fastapi import APIRouter, Request, Response

from attnscope.learn.terms import OF_STAGE
from attnscope.web.http.accept_headers import sayer
from attnscope.web.http.identity import POLICY
from attnscope.web.pages.address import COMPARE, EXPLORE
from attnscope.web.pages.data import capture_parts, page_data, sent_model
from attnscope.web.pages.first_screen import first_pair, first_screen, tasks
from attnscope.web.pages.site import PageRoute, site_of
from attnscope.web.serializers.opening import current_registry

# Scripts to preload, as the first requests depend on them.
EVERY_HEAD = ("core/all-heads", "core/stage-images")
TABS = {tab: (f"{tab}/{tab}-tab", *EVERY_HEAD) for tab in ("heads", "lines")}
SHARED = ("share/lost-question", "core/address/short-link")
router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/", openapi_extra=EXPLORE)
async def explore(request: Request) -> Response:
    site = site_of(request)
    await current_registry(request)
    data = {**page_data(request), "first": first_screen(request), "tasks": tasks(request)}
    data["chapters"] = chapters(request)
    data["uploaded"] = await sent_model(request)
    data |= await capture_parts(request)
    modules = TABS.get(request.query_params.get("tab", ""), ())
    if "t" in request.query_params:
        modules = (*SHARED, *modules)
    ahead = [site.static.script("explore", module) for module in modules]
    return site.render(request, "explore.html", page_data=data, ahead=ahead)


def chapters(request: Request) -> dict[str, dict[str, str]]:
    say = sayer(request)
    return {
        stage: {"name": name, "title": say(f"learn.{name}.title")}
        for stage, name in OF_STAGE.items()
    }


@router.get("/compare", openapi_extra=COMPARE)
async def compare(request: Request) -> Response:
    site = site_of(request)
    await current_registry(request)
    data = {**page_data(request), "pair": first_pair(request)}
    return site.render(request, "compare.html", page_data=data, ahead=[])


@router.get("/embed", openapi_extra=EXPLORE)
async def embed(request: Request) -> Response:
    site = site_of(request)
    await current_registry(request)
    response = site.render(request, "embed.html", page_data=page_data(request), ahead=[])
    ancestors = request.app.state.settings.frame_ancestors
    response.headers["Content-Security-Policy"] = f"{POLICY}frame-ancestors {ancestors}"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
