"""App: creates the components of a service from its settings and puts the app together."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tersely import __version__
from tersely.errors import TerselyError
from tersely.service.components import Components
from tersely.service.engine import Engine
from tersely.service.memory_store import MemoryStore
from tersely.service.metrics import Metrics
from tersely.service.models import ModelRepository, Models
from tersely.service.routes import completion, health, memory
from tersely.service.routes.page import STATIC, add_page
from tersely.service.schemas import UNION_TAGS
from tersely.service.settings import ServiceSettings
from tersely.web.errors import ApiError, install_error_handlers
from tersely.web.middleware import AccessPolicy, add_middleware
from tersely.web.rate_limit import RateLimiter
from tersely.web.request_log import RequestRecord, log_request

DESCRIPTION = "Type a few keywords, get the sentence."
ROUTERS = (completion.router, memory.router, health.router)


def create_app(
    settings: ServiceSettings, *, models: Models | None = None, static: Path = STATIC
) -> ASGIApp:
    """Return a service with its middleware; its default model is loaded."""
    components = _create_components(settings, models)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        components.engine.batcher.start()
        yield
        components.engine.batcher.close()

    app = FastAPI(
        title="tersely",
        description=DESCRIPTION,
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # these pages would load scripts of another site
        redoc_url=None,
    )
    app.state.components = components
    install_error_handlers(app, union_tags=UNION_TAGS)
    app.add_exception_handler(TerselyError, _failure_handler(settings))
    for router in ROUTERS:
        app.include_router(router)
    add_page(app, static)

    def on_finish(record: RequestRecord) -> None:
        components.metrics.count_request(record)
        log_request(record)

    token = settings.token.get_secret_value() if settings.token else None
    policy = AccessPolicy(site=settings.site, limiter=components.limiter, token=token)
    return add_middleware(app, policy, on_finish=on_finish)


def _create_components(settings: ServiceSettings, models: Models | None) -> Components:
    models = models or ModelRepository(settings.model, settings.models)
    memory_store = MemoryStore(settings.memory, is_available=settings.is_private)
    metrics = Metrics()
    return Components(
        engine=Engine(models, settings, memory_store, metrics),
        models=models,
        memory=memory_store,
        metrics=metrics,
        limiter=RateLimiter(
            per_second=settings.rate, burst=settings.burst, trusted_proxies=settings.trust_proxy
        ),
    )


def _failure_handler(settings: ServiceSettings) -> Callable[[Request, Exception], Response]:
    """Respond 500; the message may name a file, so only a private service sends it."""

    def handle(_request: Request, error: Exception) -> Response:
        message = str(error) if settings.is_private else "The service failed."
        return ApiError(500, "failed", message).response()

    return handle
