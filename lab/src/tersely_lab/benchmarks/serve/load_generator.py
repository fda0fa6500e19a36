"""A closed-loop load generator: each client sends its next request after the last response."""

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tersely.errors import TerselyError
from tersely_lab.benchmarks.measurement import percentile


@dataclass(frozen=True, slots=True)
class Loop:
    """The time of a loop, and the latency of each of its requests."""

    clients: int
    seconds: float
    latencies_seconds: tuple[float, ...]

    @property
    def requests_per_second(self) -> float:
        """Return the throughput."""
        return len(self.latencies_seconds) / self.seconds


def run_loop(
    url: str,
    keywords: Sequence[str],
    *,
    clients: int,
    after_response: Callable[[str], object] = lambda keywords: None,
) -> Loop:
    """Post a request for each set of keywords, over one persistent connection a client.

    `after_response` runs after each response; its time does not count as latency.
    """
    latencies: list[float] = []

    async def client(pending: Iterator[str]) -> None:
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        try:
            for words in pending:
                start = time.perf_counter()
                await _post(reader, writer, address.netloc, address.path, words)
                latencies.append(time.perf_counter() - start)
                after_response(words)
        finally:
            writer.close()

    async def run_clients() -> float:
        pending = iter(keywords)
        start = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(clients):
                group.create_task(client(pending))
        return time.perf_counter() - start

    seconds = asyncio.run(run_clients())
    return Loop(clients, seconds, tuple(latencies))


async def _post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str, keywords: str
) -> None:
    body = json.dumps({"keywords": keywords, "n": 3}).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    response = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    status = response.partition("\r\n")[0]
    if " 200 " not in status:
        raise TerselyError(f"{host}{path}: {status}.")
    length = int(response.partition("content-length:")[2].partition("\r\n")[0])
    await reader.readexactly(length)


def summarise(loops: Sequence[Loop]) -> dict[str, Any]:
    """Return the median throughput of the rounds, and percentiles over all their requests."""
    ordered = sorted(seconds for loop in loops for seconds in loop.latencies_seconds)
    return {
        "clients": loops[0].clients,
        "answers": len(ordered),
        "per_second": round(statistics.median(loop.requests_per_second for loop in loops), 1),
        "p50_milliseconds": round(1000 * percentile(ordered, 50), 2),
        "p95_milliseconds": round(1000 * percentile(ordered, 95), 2),
        "p99_milliseconds": round(1000 * percentile(ordered, 99), 2),
    }
