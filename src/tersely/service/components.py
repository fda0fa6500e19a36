"""Components: the parts of a running service that its routes use.

A route declares a parameter `service: Service` and gets the components of its app.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from tersely.service.engine import Engine
from tersely.service.memory_store import MemoryStore
from tersely.service.metrics import Metrics
from tersely.service.models import Models
from tersely.web.rate_limit import RateLimiter


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The parts of one service; app.py creates them."""

    engine: Engine
    models: Models
    memory: MemoryStore
    metrics: Metrics
    limiter: RateLimiter


async def _components(request: Request) -> Components:
    # A coroutine, because FastAPI would run a plain function in another thread.
    components = request.app.state.components
    assert isinstance(components, Components)
    return components


Service = Annotated[Components, Depends(_components)]
