"""Routes for whoever watches the service: is it alive, is it ready, how is it doing."""

from fastapi import APIRouter
from starlette.responses import Response

from tersely.service.answering import RETRY, Answering
from tersely.service.metrics import CONTENT_TYPE, Metrics
from tersely.service.schemas import Health
from tersely.web.errors import Refusal, documented


def watching_routes(answering: Answering, metrics: Metrics) -> APIRouter:
    """The routes; none of them waits for the model."""
    router = APIRouter(tags=["watching"])

    @router.get("/healthz", responses=documented(403))
    async def healthz() -> Health:
        """Tell that the process is alive."""
        return Health(status="ok")

    @router.get("/readyz", responses=documented(403, 503))
    async def readyz() -> Health:
        """Tell whether requests would be served now."""
        if answering.is_stuck:
            raise Refusal(503, "stuck", "The model does not answer.", headers=RETRY)
        return Health(status="ready")

    @router.get(
        "/metrics",
        response_class=Response,
        responses={
            **documented(401, 403),
            200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        },
    )
    async def show() -> Response:
        """Counts and times, as Prometheus reads them."""
        return Response(metrics.text(waiting=answering.batcher.waiting), media_type=CONTENT_TYPE)

    return router
