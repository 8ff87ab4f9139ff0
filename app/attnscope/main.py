from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute
from starlette.types import Message
from threadpoolctl import threadpool_limits

from attnscope import __version__
from attnscope.compute import executor_at
from attnscope.installed.atomic_install import clear_interrupted
from attnscope.installed.model_registry import ModelRegistry, shipped
from attnscope.learn.chapter_text import chapter_messages
from attnscope.resources import installed_dir, installed_in, models_dir, static_dir, templates_dir
from attnscope.settings import Settings
from attnscope.storage.cache import MapStore
from attnscope.storage.disk import keep_private
from attnscope.storage.questions import QuestionStore
from attnscope.storage.uploads import UploadStore
from attnscope.tiles.picture_cache import PictureCache
from attnscope.tokens.processes import allow_blocking
from attnscope.trace.engine import Engine
from attnscope.trace.plan import Limits
from attnscope.web import health
from attnscope.web.api_v1 import (
    ablations,
    attention,
    blocks,
    captures,
    catalogue,
    cells,
    combined_heads,
    continuations,
    contributions,
    costs,
    decode,
    examples,
    export,
    gradients,
    heads,
    initialisation,
    installed,
    jacobian,
    lessons,
    linear,
    models,
    pictures,
    precision,
    predictions,
    probe,
    rollout,
    scaling,
    score_parts,
    sharing,
    spectrum,
    tiles,
    tokens,
    traces,
    training,
)
from attnscope.web.http import problems
from attnscope.web.http.addresses import Hosts, Origins
from attnscope.web.http.admission import AdmissionQueue
from attnscope.web.http.authentication import ApiKeys, AuthMiddleware, Sessions
from attnscope.web.http.compression import Compression
from attnscope.web.http.identity import Head, Identity
from attnscope.web.http.memory_budget import Bodies
from attnscope.web.http.metrics import Metrics, add_gauges
from attnscope.web.http.problems import Problem
from attnscope.web.http.proxies import Proxies
from attnscope.web.openapi import Described, complete
from attnscope.web.pages import api_reference, explore, learn, sign_in
from attnscope.web.pages import models as models_page
from attnscope.web.pages.data import warm
from attnscope.web.pages.site import Site
from attnscope.web.pages.static import StaticFiles
from attnscope.web.texts import Catalogue
from attnscope.weights.formats import Limits as UploadLimits

Responses = dict[int | str, dict[str, Any]]

DAY = 86_400.0
ABOUT: dict[str, Any] = {
    "title": "attnscope",
    "version": __version__,
    "summary": "Every number between the words and their attention.",
}
V1 = (
    attention,
    traces,
    tokens,
    blocks,
    cells,
    score_parts,
    heads,
    tiles,
    pictures,
    probe,
    predictions,
    ablations,
    contributions,
    continuations,
    rollout,
    combined_heads,
    linear,
    precision,
    export,
    gradients,
    jacobian,
    spectrum,
    initialisation,
    scaling,
    costs,
    decode,
    sharing,
    installed,
    catalogue,
    models,
    captures,
    training,
    examples,
    lessons,
)


def create_app(settings: Settings | None = None) -> FastAPI:
    settings = settings or Settings()
    threadpool_limits(1, "blas")  # attention.thread_pool uses the cores
    with allow_blocking():
        executor = executor_at(settings.compute)
        engine = make_engine(settings, executor)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        warm()
        tidy(settings.data_dir)
        yield
        admission.close()
        if executor is not None:
            executor.shutdown()
        engine.questions.close()

    app = Described(
        document,
        lifespan=lifespan,
        **ABOUT,
        openapi_url=None,  # FastAPI would serialise the document for each request
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.engine = engine
    app.state.picture_cache = PictureCache(engine.cache)
    app.state.readiness = health.Readiness(engine)
    app.state.upload_limits = engine.upload_limits
    app.state.admission = admission = AdmissionQueue(
        settings.memory_mb << 20, settings.slots, settings.queue, settings.queue_seconds
    )
    app.state.keys = keys = ApiKeys(settings)
    secret = settings.data_dir / ".sessions"
    app.state.sessions = sessions = Sessions(keys, secret, settings.session_hours)
    app.state.metrics = metrics = Metrics()
    app.state.flights = None  # `serving.server` sets it
    admission.register_gauges(metrics.gauge)
    add_gauges(metrics, engine, settings.data_dir)
    app.state.stopping = admission.stopping
    app.state.catalogue = catalogue = Catalogue(static_dir() / "locales", chapter_messages())
    static = StaticFiles(static_dir(), __version__)
    app.state.site = Site(templates_dir(), static, catalogue)
    problems.install(app)
    app.mount(static.prefix, static)  # matched first, as pages request many files
    app.router.routes.extend(endpoints())
    app.add_middleware(Compression)
    app.add_middleware(Bodies, settings=settings, memory=admission.memory)
    app.add_middleware(AuthMiddleware, settings=settings, keys=keys, sessions=sessions)
    app.add_middleware(Origins)
    app.add_middleware(Hosts, settings=settings)
    app.add_middleware(Identity)
    app.add_middleware(Head)
    app.add_middleware(Proxies, settings=settings)
    return app


def prepare() -> None:
    """Before workers fork, load what they then share."""
    with TemporaryDirectory() as scratch:
        settings = Settings(data_dir=Path(scratch), models=[], adapters=[], compute="")
        app = create_app(settings)
        asyncio.run(_first_request(app))
        app.state.engine.questions.close()
    warm()


async def _first_request(app: FastAPI) -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        pass

    scope = {"type": "http", "method": "GET", "path": "/healthz", "raw_path": b"/healthz",
             "query_string": b"", "root_path": "", "headers": [(b"host", b"localhost")],
             "scheme": "http", "http_version": "1.1", "client": ("127.0.0.1", 1),
             "server": ("127.0.0.1", 1)}  # fmt: skip
    await app(scope, receive, send)


def tidy(data: Path) -> None:
    """Repair permissions that older releases set, and remove interrupted installs."""
    keep_private(data)
    clear_interrupted(installed_dir(data))


@cache
def endpoints() -> tuple[BaseRoute, ...]:
    """Cached, as analysing parameters is slow."""
    router = APIRouter()
    failed: Responses = {"default": {"model": Problem, "description": "A problem, RFC 9457."}}
    for room in V1:
        router.include_router(room.router, prefix="/api/v1", responses=failed)
    router.include_router(health.router, responses=failed)
    for page in (explore, api_reference, learn, models_page, sign_in):
        router.include_router(page.router)
    return tuple(router.routes)


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document without security schemes. Cached, as it takes seconds."""
    return complete(get_openapi(routes=endpoints(), **ABOUT))


def make_engine(settings: Settings, executor: Executor | None = None) -> Engine:
    """`executor` runs passes over long maps; None: local cores."""
    limits = Limits(settings.max_tokens, settings.max_characters, settings.max_trace_mb << 20)
    data = settings.data_dir
    share = settings.client_share / 100
    questions = QuestionStore(
        data, settings.questions_mb << 20, settings.question_days * DAY, share
    )
    models = UploadStore(
        data / "models", settings.models_mb << 20, settings.model_days * DAY, share
    )
    upload_limits = UploadLimits(max_bytes=settings.max_upload_mb << 20)
    found = installed_in(data)
    registry = shipped()
    if settings.models or settings.adapters or found:
        own = settings.models, found, settings.accept, settings.adapters
        # Files that break later must not stop a worker.
        registry = ModelRegistry(models_dir(), *own, strict=False)
    registry = registry.with_arrivals(lambda: installed_in(data))
    maps = MapStore(data / "maps", settings.maps_mb << 20)
    return Engine(
        limits, settings.cache_mb << 20, questions, models, upload_limits, registry, maps, executor
    )
