"""Routes for monitoring: liveness, readiness and metrics. None of them waits for the model."""

from fastapi import APIRouter
from starlette.responses import Response

from tersely.service.components import Service
from tersely.service.engine import RETRY_AFTER
from tersely.service.metrics import CONTENT_TYPE
from tersely.service.schemas import HealthResponse
from tersely.web.errors import ApiError, error_responses

router = APIRouter(tags=["monitoring"])


@router.get("/healthz", responses=error_responses(403))
async def healthz() -> HealthResponse:
    """Report that the process is alive."""
    return HealthResponse(status="ok")


@router.get("/readyz", responses=error_responses(403, 503))
async def readyz(service: Service) -> HealthResponse:
    """Report whether the service can answer requests now."""
    if service.engine.is_stuck:
        raise ApiError(503, "stuck", "The model does not respond.", headers=RETRY_AFTER)
    return HealthResponse(status="ready")


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        **error_responses(401, 403),
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
    },
)
async def metrics(service: Service) -> Response:
    """Return counts and times in the Prometheus format."""
    queue_length = service.engine.batcher.queue_length
    return Response(service.metrics.render(queue_length=queue_length), media_type=CONTENT_TYPE)
