"""Overload at three times the capacity: shed requests, answer the others in time, same memory."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.service.processes import ServiceProcess, running

QUEUE = 8
BATCH = 4
BATCH_SECONDS = 0.4

needs_proc = pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="the memory of a process is read from /proc"
)


def resident_pages(process: int) -> int:
    """Return the memory of a process, in pages."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1])


class Response(NamedTuple):
    """A status, and its time by the clock of the client and by that of the service."""

    status: int
    seconds: float
    service_seconds: float


async def complete(url: str, keywords: str) -> Response:
    """Send one request with a connection of its own."""
    address = urlsplit(url)
    start = time.monotonic()
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    body = json.dumps({"keywords": keywords}).encode()
    writer.write(
        b"POST /v1/complete HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n"
        % (address.netloc.encode(), len(body))
        + body
    )
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    service_seconds = json.loads(body).get("milliseconds", 0.0) / 1000
    return Response(int(head.split(b" ", 2)[1]), time.monotonic() - start, service_seconds)


async def closed_loop(url: str, seconds: float) -> list[float]:
    """Run one client alone; return the time of each response."""
    times: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        response = await complete(url, f"alone{len(times)}")
        assert response.status == 200
        times.append(response.seconds)
    return times


async def open_loop(url: str, word: str, per_second: float, seconds: float) -> list[Response]:
    """Send distinct requests at a fixed rate, whether or not they are answered."""
    tasks = []
    start = time.monotonic()
    for number in range(int(per_second * seconds)):
        await asyncio.sleep(max(0.0, start + number / per_second - time.monotonic()))
        tasks.append(asyncio.ensure_future(complete(url, f"{word}{number}")))
    return list(await asyncio.gather(*tasks))


def p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


def overload(service: ServiceProcess, seconds: float, *, by_service_clock: bool) -> None:
    """Send three times the capacity and check the promise.

    The client shares the processors with the service: on a busy machine, its clock measures
    both within seconds. Over minutes the clock of the client counts.
    """
    alone = p95(asyncio.run(closed_loop(service.url, 3)))
    capacity = BATCH / BATCH_SECONDS
    asyncio.run(open_loop(service.url, "warm", 3 * capacity, 3))  # first allocations
    before = resident_pages(service.process.pid)
    responses = asyncio.run(open_loop(service.url, "word", 3 * capacity, seconds))
    statuses = Counter(response.status for response in responses)
    assert set(statuses) <= {200, 429, 503}
    assert statuses[200] > 0.5 * capacity * seconds, statuses
    assert statuses[503] > 0, statuses
    queue_seconds = QUEUE * seconds / statuses[200]  # at the measured throughput
    accepted = [response for response in responses if response.status == 200]
    times = [item.service_seconds if by_service_clock else item.seconds for item in accepted]
    assert p95(times) <= 2 * (alone + queue_seconds)
    assert resident_pages(service.process.pid) < 1.1 * before


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceProcess]:
    arguments = [str(BATCH_SECONDS), str(tmp_path / "memory.db")]
    options = ["--batch", str(BATCH), "--queue", str(QUEUE), "--deadline", "9"]
    command = ["-m", "tests.service.slow_service", *arguments, *options]
    with running(command, tmp_path) as process:
        yield process


@pytest.mark.promise(14)
@needs_proc
def test_overload_sheds_requests_cleanly(service: ServiceProcess) -> None:
    overload(service, 5, by_service_clock=True)


@pytest.mark.long
@pytest.mark.promise(14)
@needs_proc
def test_five_minutes_of_overload_shed_requests_cleanly(service: ServiceProcess) -> None:
    overload(service, 300, by_service_clock=False)
