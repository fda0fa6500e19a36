import time
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.service.processes import running


def processes(service_log: Path) -> set[str]:
    return {
        line.split("[")[1].split("]")[0]
        for line in service_log.read_text().splitlines()
        if "Started server process" in line
    }


@pytest.fixture
def command(trained: Path, tmp_path: Path) -> list[str]:
    memory = str(tmp_path / "data" / "memory.db")
    given = ["--model", str(trained), "--port", "0", "--no-browser", "--memory", memory]
    return ["-m", "tersely", "serve", *given, "--workers", "2"]


def test_several_workers_serve_at_one_port_and_stop_together(
    command: list[str], tmp_path: Path
) -> None:
    with running(command, tmp_path) as service:
        latest = time.monotonic() + 180
        while len(processes(service.log)) < 2:
            assert time.monotonic() < latest
            time.sleep(0.05)
        client = httpx.Client(base_url=service.url, timeout=60, headers={"Connection": "close"})
        assert client.put("/v1/memory", json={"on": True}).status_code == 200
        for _ in range(12):  # whichever answers knows
            assert client.get("/v1/settings").json()["memory"]["on"] is True
        requests = 'tersely_requests_total{method="GET",route="/v1/settings",status="200"} 12.0'
        while requests not in client.get("/metrics").text:  # counted once it is answered
            assert time.monotonic() < latest
            time.sleep(0.05)
        assert service.stop() == 0
    assert "Traceback" not in service.log.read_text()


def test_workers_that_cannot_start_are_told_of(tmp_path: Path, capfd) -> None:
    from tersely.cli.main import main

    given = ["--model", str(tmp_path / "nowhere"), "--port", "0", "--no-browser"]
    assert main(["serve", *given, "--workers", "2"]) == 2
    assert "no such model folder" in capfd.readouterr().err
