import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.service.serving import FakeModels, client_of, fake_app, served
from tests.web.asking import problem


def complete(url: str, keywords: str) -> httpx.Response:
    return httpx.post(f"{url}/v1/complete", json={"keywords": keywords}, timeout=60)


@pytest.mark.promise(13)
def test_health_is_told_at_once_while_the_model_is_stuck(tmp_path: Path) -> None:
    gate = threading.Event()
    models = FakeModels(gate=gate)
    with (
        served(fake_app(tmp_path, models, deadline=3)) as url,
        ThreadPoolExecutor(8) as pool,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        stuck = [pool.submit(complete, url, f"w{number}") for number in range(8)]
        while not models.batches:
            time.sleep(0.005)
        seconds = []
        for _ in range(20):
            start = time.perf_counter()
            assert client.get("/healthz").json() == {"status": "ok"}
            seconds.append(time.perf_counter() - start)
        assert {one.result().status_code for one in stuck} == {503}
        assert statistics.median(seconds) < 0.05
        while client.get("/readyz").status_code == 200:
            time.sleep(0.01)
        unready = client.get("/readyz")
        assert (unready.status_code, problem(unready)) == (503, "stuck")
        gate.set()
        while client.get("/readyz").status_code == 503:
            time.sleep(0.01)


def test_metrics_are_as_prometheus_reads_them(tmp_path: Path) -> None:
    with client_of(fake_app(tmp_path)) as client:
        client.post("/v1/complete", json={"keywords": "soup"})
        answer = client.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain")
        assert 'route="/v1/complete",status="200"} 1.0' in answer.text
        assert "soup" not in answer.text
