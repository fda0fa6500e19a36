"""The app: everything of a service put together, from settings to what a server runs."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tersely import __version__
from tersely.errors import TerselyError
from tersely.service.answering import Answering
from tersely.service.catalogue import Catalogue, Models
from tersely.service.completing import completing_routes
from tersely.service.metrics import Metrics
from tersely.service.page import STATIC, add_page
from tersely.service.phrases import Phrases
from tersely.service.remembering import remembering_routes
from tersely.service.settings import ServiceSettings
from tersely.service.watching import watching_routes
from tersely.web.errors import Refusal, install_error_handlers
from tersely.web.guards import Guards, guarded
from tersely.web.logs import log_exchange
from tersely.web.observing import Exchange
from tersely.web.rate import RateLimiter

DESCRIPTION = "Type a few keywords, get the sentence."


def create_app(
    settings: ServiceSettings, *, models: Models | None = None, static: Path = STATIC
) -> ASGIApp:
    """A service, guarded and ready to run; its default model is loaded."""
    models = models or Catalogue(settings.model, settings.models)
    phrases = Phrases(settings.memory, available=settings.is_private)
    metrics = Metrics()
    limiter = RateLimiter(
        per_second=settings.rate, burst=settings.burst, trusted_proxies=settings.trust_proxy
    )
    answering = Answering(models, settings, phrases, metrics)

    @asynccontextmanager
    async def working(_app: FastAPI) -> AsyncIterator[None]:
        answering.batcher.start()
        yield
        answering.batcher.close()

    app = FastAPI(
        title="tersely",
        description=DESCRIPTION,
        version=__version__,
        lifespan=working,
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
    )
    install_error_handlers(app)
    app.add_exception_handler(TerselyError, _failure(settings))
    app.include_router(completing_routes(answering, models, limiter))
    app.include_router(remembering_routes(phrases))
    app.include_router(watching_routes(answering, metrics))
    add_page(app, static)

    def tell(exchange: Exchange) -> None:
        metrics.exchange(exchange)
        log_exchange(exchange)

    token = settings.token.get_secret_value() if settings.token else None
    guards = Guards(site=settings.site, limiter=limiter, token=token)
    return guarded(app, guards, tell=tell)


def _failure(settings: ServiceSettings) -> Callable[[Request, Exception], Response]:
    """What failed is told only where nobody but the person asks: it may name a file."""

    def answer(_request: Request, error: Exception) -> Response:
        message = str(error) if settings.is_private else "Something failed here."
        return Refusal(500, "failed", message).response()

    return answer
