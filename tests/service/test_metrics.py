import os
import subprocess
import sys
from pathlib import Path

from tersely.service.metrics import FOLDER_VARIABLE, Metrics
from tersely.web.observing import Exchange


def test_what_happened_is_counted() -> None:
    metrics = Metrics()
    metrics.exchange(Exchange("POST", "/v1/complete", 200, 0.02))
    metrics.exchange(Exchange("POST", "/v1/complete", 200, 0.2))
    metrics.batch(3)
    metrics.lookup(found=True)
    metrics.shed("queue")
    lines = metrics.text(waiting=5).decode().splitlines()
    assert 'tersely_requests_total{method="POST",route="/v1/complete",status="200"} 2.0' in lines
    assert 'tersely_request_seconds_bucket{le="0.025",route="/v1/complete"} 1.0' in lines
    assert 'tersely_request_seconds_count{route="/v1/complete"} 2.0' in lines
    assert 'tersely_batch_size_bucket{le="2.0"} 0.0' in lines
    assert 'tersely_batch_size_bucket{le="4.0"} 1.0' in lines
    assert 'tersely_cache_lookups_total{found="yes"} 1.0' in lines
    assert 'tersely_shed_total{reason="queue"} 1.0' in lines
    assert "tersely_queue_length 5.0" in lines


def test_two_services_count_for_themselves() -> None:
    one, other = Metrics(), Metrics()
    one.shed("queue")
    assert b"tersely_shed_total{" not in other.text(waiting=0)


def test_several_workers_are_summed_up(tmp_path: Path) -> None:
    code = (
        "from tersely.service.metrics import Metrics\n"
        "metrics = Metrics(); metrics.shed('queue')\n"
        "print(metrics.text(waiting=0).decode())"
    )
    environment = {**os.environ, FOLDER_VARIABLE: str(tmp_path)}
    for worker in (1, 2):
        told = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert f'tersely_shed_total{{reason="queue"}} {worker}.0' in told
