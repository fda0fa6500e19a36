import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.service.services import FakeModels, client_for, fake_app, served, wait_until
from tests.web.asgi import error_code


def complete(url: str, keywords: str) -> httpx.Response:
    return httpx.post(f"{url}/v1/complete", json={"keywords": keywords}, timeout=60)


@pytest.mark.promise(13)
def test_healthz_responds_at_once_while_the_model_is_stuck(tmp_path: Path) -> None:
    gate = threading.Event()
    models = FakeModels(gate=gate)
    with (
        served(fake_app(tmp_path, models, deadline=3)) as url,
        ThreadPoolExecutor(8) as pool,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        stuck = [pool.submit(complete, url, f"w{number}") for number in range(8)]
        wait_until(lambda: models.batches)
        seconds = []
        for _ in range(20):
            start = time.perf_counter()
            assert client.get("/healthz").json() == {"status": "ok"}
            seconds.append(time.perf_counter() - start)
        assert {future.result().status_code for future in stuck} == {503}
        assert statistics.median(seconds) < 0.05
        wait_until(lambda: client.get("/readyz").status_code == 503)
        unready = client.get("/readyz")
        assert (unready.status_code, error_code(unready)) == (503, "stuck")
        gate.set()
        wait_until(lambda: client.get("/readyz").status_code == 200)


def test_metrics_have_the_prometheus_format(tmp_path: Path) -> None:
    with client_for(fake_app(tmp_path)) as client:
        client.post("/v1/complete", json={"keywords": "soup"})
        response = client.get("/metrics")
        assert response.headers["content-type"].startswith("text/plain")
        assert 'route="/v1/complete",status="200"} 1.0' in response.text
        assert "soup" not in response.text
