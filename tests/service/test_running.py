import asyncio
import json
import signal
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tersely.errors import UsageError
from tersely.service.running import bind, url_of
from tersely.service.settings import ServiceSettings
from tests.service.processes import running

IN_FLIGHT = 200


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def send(url: str, keywords: str) -> Connection:
    """Send a request; its answer is read later."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    body = json.dumps({"keywords": keywords}).encode()
    writer.write(
        b"POST /v1/complete HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n"
        % (where.netloc.encode(), len(body))
        + body
    )
    await writer.drain()
    return reader, writer


@pytest.mark.promise(23)
def test_sigterm_drops_no_request_in_flight(tmp_path: Path) -> None:
    command = ["-m", "tests.service.slow_service", "0.8", str(tmp_path / "memory.db")]

    async def flight(service) -> list[bytes]:
        flying = [await send(service.url, f"word{number}") for number in range(IN_FLIGHT)]
        service.process.send_signal(signal.SIGTERM)
        return [await reader.read() for reader, _ in flying]

    with running(command, tmp_path) as service:
        answers = asyncio.run(flight(service))
        start = time.monotonic()
        code = service.process.wait(120)
        assert time.monotonic() - start <= 10
    assert code == 0, service.log.read_text()
    assert len(answers) == IN_FLIGHT
    for number, answer in enumerate(answers):
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        assert json.loads(body)["suggestions"][0]["text"] == f"WORD{number}"


def test_a_free_port_is_taken_and_told() -> None:
    with bind(ServiceSettings(port=0)) as listening:
        port = listening.getsockname()[1]
        assert url_of(listening) == f"http://127.0.0.1:{port}/"


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_ipv6_is_bound_to_as_well() -> None:
    try:
        listening = bind(ServiceSettings(host="::1", port=0))
    except UsageError:
        pytest.skip("IPv6 is switched off here")
    with listening:
        assert url_of(listening).startswith("http://[::1]:")


def test_a_wide_bind_is_told_by_an_address_that_can_be_visited() -> None:
    with bind(ServiceSettings(host="0.0.0.0", port=0, open_to_all=True)) as listening:
        assert url_of(listening).startswith("http://127.0.0.1:")


@pytest.mark.promise(25)
def test_a_port_that_is_taken_is_told_with_the_way_out() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(UsageError, match=r"the port is taken\. Try --port 0"),
    ):
        bind(ServiceSettings(port=other.getsockname()[1]))


def test_a_host_that_is_none_is_told() -> None:
    with pytest.raises(UsageError, match="cannot be bound to"):
        bind(ServiceSettings(host="203.0.113.77", port=0, open_to_all=True))
