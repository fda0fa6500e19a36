"""A closed loop: so many clients, each of which asks again as soon as it is answered."""

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tersely.errors import TerselyError


@dataclass(frozen=True, slots=True)
class Loop:
    """How long each answer took, and all of them together."""

    clients: int
    seconds: float
    each_seconds: tuple[float, ...]

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return len(self.each_seconds) / self.seconds


def run_loop(
    url: str,
    questions: Sequence[str],
    *,
    clients: int,
    then: Callable[[str], object] = lambda question: None,
) -> Loop:
    """Ask all questions, each once, with so many clients at a time over lasting connections.

    What is done after each answer does not count as waiting for it.
    """
    each: list[float] = []

    async def client(own: Iterator[str]) -> None:
        where = urlsplit(url)
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        try:
            for question in own:
                start = time.perf_counter()
                await _ask(reader, writer, where.netloc, where.path, question)
                each.append(time.perf_counter() - start)
                then(question)
        finally:
            writer.close()

    async def all_clients() -> float:
        shared = iter(questions)
        start = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(clients):
                group.create_task(client(shared))
        return time.perf_counter() - start

    seconds = asyncio.run(all_clients())
    return Loop(clients, seconds, tuple(each))


async def _ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str, question: str
) -> None:
    body = json.dumps({"keywords": question, "n": 3}).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    if " 200 " not in answer.partition("\r\n")[0]:
        raise TerselyError(f"{host}{path}: {answer.partition(chr(13))[0]}.")
    length = int(answer.partition("content-length:")[2].partition("\r\n")[0])
    await reader.readexactly(length)


def summarise(loops: Sequence[Loop]) -> dict[str, Any]:
    """The median of the rounds' rates; percentiles over all their answers, in milliseconds."""
    each = sorted(second for loop in loops for second in loop.each_seconds)
    return {
        "clients": loops[0].clients,
        "answers": len(each),
        "per_second": round(statistics.median(loop.per_second for loop in loops), 1),
        "p50_milliseconds": round(1000 * percentile(each, 50), 2),
        "p95_milliseconds": round(1000 * percentile(each, 95), 2),
        "p99_milliseconds": round(1000 * percentile(each, 99), 2),
    }


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value that so many in a hundred do not exceed."""
    place = -(-len(ordered) * share // 100) - 1  # the nearest rank, rounded up
    return ordered[max(0, int(place))]
