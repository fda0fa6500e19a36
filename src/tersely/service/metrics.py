"""Metrics for Prometheus: counts and times of requests, never their content.

With several workers, each writes to files in the folder that the environment variable
PROMETHEUS_MULTIPROC_DIR names, and the worker that is scraped adds them up.
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

from tersely.web.request_log import RequestRecord

SECONDS_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
BATCH_SIZE_BUCKETS = (1, 2, 4, 8, 16, 32, 64)
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self._requests = Counter(
            "tersely_requests", "Requests.", ["method", "route", "status"], registry=registry
        )
        self._request_seconds = Histogram(
            "tersely_request_seconds",
            "Time to the end of the response.",
            ["route"],
            buckets=SECONDS_BUCKETS,
            registry=registry,
        )
        self._batch_sizes = Histogram(
            "tersely_batch_size",
            "Requests decoded together.",
            buckets=BATCH_SIZE_BUCKETS,
            registry=registry,
        )
        self._cache_lookups = Counter(
            "tersely_cache_lookups", "Cache lookups.", ["found"], registry=registry
        )
        self._shed = Counter(
            "tersely_shed", "Requests answered with 503.", ["reason"], registry=registry
        )
        self._queue_length = Gauge(
            "tersely_queue_length",
            "Requests in the queue.",
            registry=registry,
            multiprocess_mode="livesum",
        )

    def count_request(self, record: RequestRecord) -> None:
        """Count a request and its time."""
        self._requests.labels(record.method, record.route, str(record.status)).inc()
        self._request_seconds.labels(record.route).observe(record.seconds)

    def count_batch(self, size: int) -> None:
        """Count a batch by its size."""
        self._batch_sizes.observe(size)

    def count_cache_lookup(self, *, is_hit: bool) -> None:
        """Count a cache lookup."""
        self._cache_lookups.labels("yes" if is_hit else "no").inc()

    def count_shed(self, reason: str) -> None:
        """Count a request that was answered with 503."""
        self._shed.labels(reason).inc()

    def render(self, *, queue_length: int) -> bytes:
        """Return all metrics in the Prometheus format."""
        self._queue_length.set(queue_length)
        if not os.environ.get(FOLDER_VARIABLE):
            return generate_latest(self._registry)
        sum_of_workers = CollectorRegistry()
        MultiProcessCollector(sum_of_workers)  # type: ignore[no-untyped-call]
        return generate_latest(sum_of_workers)
