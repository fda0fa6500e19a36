import asyncio
import json
import multiprocessing
import os
import signal
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from tersely.cli.main import main
from tersely.errors import TerselyError, UsageError
from tersely.service import server
from tersely.service.server import MIN_WORKER_SECONDS, bind, serve, url_of
from tersely.service.settings import ServiceSettings
from tests.service.processes import ServiceProcess, running
from tests.service.services import wait_until

REQUESTS_IN_FLIGHT = 200
MAX_SHUTDOWN_SECONDS = 10

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def send(url: str, keywords: str) -> Connection:
    """Send a request; its response is read later."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    body = json.dumps({"keywords": keywords}).encode()
    writer.write(
        b"POST /v1/complete HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n"
        % (address.netloc.encode(), len(body))
        + body
    )
    await writer.drain()
    return reader, writer


async def send_and_terminate(service: ServiceProcess, requests: int) -> list[bytes]:
    """Send requests, then SIGTERM; return the responses."""
    connections = [await send(service.url, f"word{number}") for number in range(requests)]
    service.process.send_signal(signal.SIGTERM)
    return [await reader.read() for reader, _ in connections]


def is_ok(response: bytes) -> bool:
    return response.startswith(b"HTTP/1.1 200")


@pytest.mark.promise(23)
def test_sigterm_drops_no_request_in_flight(tmp_path: Path) -> None:
    command = ["-m", "tests.service.slow_service", "0.8", str(tmp_path / "memory.db")]
    with running(command, tmp_path) as service:
        responses = asyncio.run(send_and_terminate(service, REQUESTS_IN_FLIGHT))
        start = time.monotonic()
        code = service.process.wait(120)
        assert time.monotonic() - start <= MAX_SHUTDOWN_SECONDS
    assert code == 0, service.log.read_text()
    assert len(responses) == REQUESTS_IN_FLIGHT
    for number, response in enumerate(responses):
        assert is_ok(response), response
        body = response.partition(b"\r\n\r\n")[2]
        assert json.loads(body)["suggestions"][0]["text"] == f"WORD{number}"


def test_a_free_port_is_chosen_for_port_0() -> None:
    with bind(ServiceSettings(port=0)) as listener:
        port = listener.getsockname()[1]
        assert url_of(listener) == f"http://127.0.0.1:{port}/"


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_an_ipv6_address_can_be_bound() -> None:
    try:
        listener = bind(ServiceSettings(host="::1", port=0))
    except UsageError:
        pytest.skip("IPv6 is switched off here")
    with listener:
        assert url_of(listener).startswith("http://[::1]:")


def test_the_url_of_a_wildcard_address_can_be_opened() -> None:
    with bind(ServiceSettings(host="0.0.0.0", port=0, open_to_all=True)) as listener:
        assert url_of(listener).startswith("http://127.0.0.1:")


@pytest.mark.promise(25)
def test_the_error_for_a_taken_port_has_the_way_out() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(UsageError, match=r"the port is taken\. Try --port 0"),
    ):
        bind(ServiceSettings(port=other.getsockname()[1]))


def test_an_address_of_another_computer_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be bound to"):
        bind(ServiceSettings(host="203.0.113.77", port=0, open_to_all=True))


def started_processes(log: Path) -> list[int]:
    """Return the ids of the server processes that a log names."""
    return [
        int(line.split("[")[1].split("]")[0])
        for line in log.read_text().splitlines()
        if "Started server process" in line
    ]


@pytest.fixture
def command(trained: Path, tmp_path: Path) -> list[str]:
    """A service with two workers."""
    memory = str(tmp_path / "data" / "memory.db")
    options = ["--model", str(trained), "--port", "0", "--no-browser", "--memory", memory]
    return ["-m", "tersely", "serve", *options, "--workers", "2", "--deadline", "30"]


def test_workers_share_the_port_the_memory_and_the_metrics(
    command: list[str], tmp_path: Path
) -> None:
    with running(command, tmp_path) as service:
        wait_until(lambda: len(started_processes(service.log)) == 2, 180)
        client = httpx.Client(base_url=service.url, timeout=60, headers={"Connection": "close"})
        assert client.put("/v1/memory", json={"on": True}).status_code == 200
        for _ in range(12):  # whichever worker responds
            assert client.get("/v1/settings").json()["memory"]["on"] is True
        line = 'tersely_requests_total{method="GET",route="/v1/settings",status="200"} 12.0'
        wait_until(lambda: line in client.get("/metrics").text, 180)
        assert service.stop() == 0
    assert "Traceback" not in service.log.read_text()


def test_a_worker_that_dies_is_replaced_and_sigterm_drops_no_request(
    command: list[str], tmp_path: Path
) -> None:
    with running(command, tmp_path) as service:
        wait_until(lambda: len(started_processes(service.log)) == 2, 180)
        time.sleep(MIN_WORKER_SECONDS)
        os.kill(started_processes(service.log)[0], signal.SIGKILL)
        wait_until(lambda: len(started_processes(service.log)) == 3, 180)
        responses = asyncio.run(send_and_terminate(service, 40))
        assert service.process.wait(120) == 0
    assert all(is_ok(response) for response in responses), responses
    assert "Traceback" not in service.log.read_text()


def test_a_broken_model_is_reported_before_workers_start(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = ["--model", str(tmp_path / "nowhere"), "--port", "0", "--no-browser"]
    assert main(["serve", *options, "--workers", "2"]) == 2
    assert "no such model folder" in capfd.readouterr().err


def test_a_worker_that_ends_at_once_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_failing_worker(*_arguments: object) -> server._Worker:
        process = multiprocessing.get_context("spawn").Process(target=sys.exit, args=(1,))
        process.start()
        return server._Worker(process, time.monotonic())

    monkeypatch.setattr(server, "ModelRepository", lambda *arguments: None)
    monkeypatch.setattr(server, "_start_worker", start_failing_worker)
    settings = ServiceSettings(port=0, workers=2, memory=tmp_path / "memory.db")
    with bind(settings) as listener, pytest.raises(TerselyError, match="could not start"):
        serve(settings, listener)
