"""create_app(settings): wiring only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from app import __version__
from app.resources import static_dir, templates_dir
from app.settings import Settings
from app.trace.engine import Engine
from app.trace.questions import Questions
from app.trace.run import Limits
from app.web import health, learn, pages, problems
from app.web.api_v1 import (
    attention,
    decode,
    examples,
    export,
    gradients,
    heads,
    initialisation,
    lessons,
    models,
    precision,
    rollout,
    scaling,
    spectrum,
    traces,
)
from app.web.i18n import Catalogue
from app.web.middleware import Guard, Head, Identity, Measure, Metrics
from app.web.openapi import Described
from app.web.requests import Slots
from app.web.schemas import Problem
from app.web.site import Site
from app.web.static import StaticFiles
from app.weights.formats import Limits as UploadLimits
from app.weights.store import Store

DAY = 86_400.0
V1 = (
    attention,
    traces,
    heads,
    rollout,
    precision,
    export,
    gradients,
    spectrum,
    initialisation,
    scaling,
    decode,
    models,
    examples,
    lessons,
)


def create_app(settings: Settings | None = None) -> FastAPI:
    """The whole application as a value; nothing happens at import."""
    settings = settings or Settings()
    threadpool_limits(1, "blas")  # attention.lanes spreads heads over the cores instead
    engine = make_engine(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pages.warm()
        yield
        engine.questions.close()

    app = Described(
        lifespan=lifespan,
        title="attnscope",
        version=__version__,
        summary="Every number between the words and their attention.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.engine = engine
    app.state.upload_limits = UploadLimits(max_bytes=settings.max_upload_mb << 20)
    app.state.slots = Slots(settings.slots, settings.queue)
    app.state.metrics = Metrics(engine)
    app.state.catalogue = catalogue = Catalogue(static_dir() / "locales")
    static = StaticFiles(static_dir(), __version__)
    app.state.site = Site(templates_dir(), static, catalogue)
    problems.install(app)
    failed = {"default": {"model": Problem, "description": "A problem, RFC 9457."}}
    for room in V1:
        app.include_router(room.router, prefix="/api/v1", responses=failed)  # type: ignore[arg-type]
    app.include_router(health.router, responses=failed)  # type: ignore[arg-type]
    app.include_router(pages.router)
    app.include_router(learn.router)
    app.mount(static.prefix, static)
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(Measure, metrics=app.state.metrics)
    app.add_middleware(Identity)
    app.add_middleware(Head)
    return app


def make_engine(settings: Settings) -> Engine:
    """The engine with its two stores: uploads are refused when full, old questions go."""
    limits = Limits(settings.max_tokens, settings.max_characters, settings.max_trace_mb << 20)
    data = settings.data_dir
    questions = Questions(data, settings.questions_mb << 20, settings.question_days * DAY)
    models = Store(data / "models", settings.models_mb << 20, settings.model_days * DAY)
    return Engine(limits, settings.cache_mb << 20, questions, models)
