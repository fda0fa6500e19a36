"""Metrics: counts and times for Prometheus, about requests, never about what was in them.

With several workers each writes to files in one folder, named by the variable
PROMETHEUS_MULTIPROC_DIR, and whichever is asked sums them up.
"""

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from tersely.web.observing import Exchange

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """The counts of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self._requests = Counter(
            "tersely_requests", "Requests.", ["method", "route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "tersely_request_seconds",
            "Time to the end of the answer.",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self._batches = Histogram(
            "tersely_batch_size", "Requests decoded together.", buckets=SIZES, registry=registry
        )
        self._lookups = Counter(
            "tersely_cache_lookups", "Answers looked up.", ["found"], registry=registry
        )
        self._shed = Counter(
            "tersely_shed", "Requests answered with 503.", ["reason"], registry=registry
        )
        self._waiting = Gauge(
            "tersely_queue_length",
            "Requests that wait.",
            registry=registry,
            multiprocess_mode="livesum",
        )

    def exchange(self, exchange: Exchange) -> None:
        """Count a request."""
        self._requests.labels(exchange.method, exchange.route, str(exchange.status)).inc()
        self._seconds.labels(exchange.route).observe(exchange.seconds)

    def batch(self, size: int) -> None:
        """Count a batch."""
        self._batches.observe(size)

    def lookup(self, *, found: bool) -> None:
        """Count a look into the cache."""
        self._lookups.labels("yes" if found else "no").inc()

    def shed(self, reason: str) -> None:
        """Count a request that was not served."""
        self._shed.labels(reason).inc()

    def text(self, *, waiting: int) -> bytes:
        """All of it, as Prometheus reads it."""
        self._waiting.set(waiting)
        if not os.environ.get(FOLDER_VARIABLE):
            return generate_latest(self._registry)
        summed = CollectorRegistry()
        MultiProcessCollector(summed)  # type: ignore[no-untyped-call]
        return generate_latest(summed)
