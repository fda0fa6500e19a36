"""Three times the capacity: shed cleanly, answer the rest in time, grow no memory."""

import asyncio
import json
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.service.processes import Running, running

QUEUE = 8
BATCH = 4
BATCH_SECONDS = 0.4


def resident(process: int) -> int:
    """Memory of a process, in pages."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1])


class Answer(NamedTuple):
    """A status, and how long it took by the client's clock and by the service's own."""

    status: int
    seconds: float
    own_seconds: float


async def ask(url: str, keywords: str) -> Answer:
    """Ask once over a connection of its own."""
    where = urlsplit(url)
    start = time.monotonic()
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    body = json.dumps({"keywords": keywords}).encode()
    writer.write(
        b"POST /v1/complete HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n"
        % (where.netloc.encode(), len(body))
        + body
    )
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    own = json.loads(body).get("milliseconds", 0.0) / 1000
    return Answer(int(head.split(b" ", 2)[1]), time.monotonic() - start, own)


async def closed_loop(url: str, seconds: float) -> list[float]:
    """One client alone; return how long each answer took."""
    each, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        answer = await ask(url, f"alone{len(each)}")
        assert answer.status == 200
        each.append(answer.seconds)
    return each


async def open_loop(url: str, word: str, per_second: float, seconds: float) -> list[Answer]:
    """Distinct requests at a fixed rate, whether or not they are answered."""
    tasks = []
    start = time.monotonic()
    for number in range(int(per_second * seconds)):
        await asyncio.sleep(max(0.0, start + number / per_second - time.monotonic()))
        tasks.append(asyncio.ensure_future(ask(url, f"{word}{number}")))
    return list(await asyncio.gather(*tasks))


def p95(each: list[float]) -> float:
    return sorted(each)[int(0.95 * (len(each) - 1))]


def overload(service: Running, seconds: float, *, by_own_clock: bool) -> None:
    """Send three times the capacity, and hold the promise against what came back.

    The client shares the processors: within seconds on a busy machine its clock tells more of
    that than of the service. Over minutes it is the clock that counts.
    """
    alone = p95(asyncio.run(closed_loop(service.url, 3)))
    capacity = BATCH / BATCH_SECONDS
    asyncio.run(open_loop(service.url, "warm", 3 * capacity, 3))  # allocates what it does once
    before = resident(service.process.pid)
    answers = asyncio.run(open_loop(service.url, "word", 3 * capacity, seconds))
    statuses = Counter(answer.status for answer in answers)
    assert set(statuses) <= {200, 429, 503}
    assert statuses[200] > 0.5 * capacity * seconds, statuses
    assert statuses[503] > 0, statuses
    queue_seconds = QUEUE * seconds / statuses[200]  # at the pace it really had
    taken = [answer for answer in answers if answer.status == 200]
    accepted = p95([one.own_seconds if by_own_clock else one.seconds for one in taken])
    assert accepted <= 2 * (alone + queue_seconds)
    assert resident(service.process.pid) < 1.1 * before


@pytest.fixture
def service(tmp_path: Path):
    own = [str(BATCH_SECONDS), str(tmp_path / "memory.db")]
    given = ["--batch", str(BATCH), "--queue", str(QUEUE), "--deadline", "9"]
    command = ["-m", "tests.service.slow_service", *own, *given]
    with running(command, tmp_path) as found:
        yield found


@pytest.mark.promise(14)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is read from /proc")
def test_overload_sheds_cleanly(service: Running) -> None:
    overload(service, 5, by_own_clock=True)


@pytest.mark.long
@pytest.mark.promise(14)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is read from /proc")
def test_five_minutes_of_overload_shed_cleanly(service: Running) -> None:
    overload(service, 300, by_own_clock=False)
