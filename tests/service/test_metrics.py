import os
import subprocess
import sys
from pathlib import Path

from tersely.service.metrics import FOLDER_VARIABLE, Metrics
from tersely.web.request_log import RequestRecord


def test_requests_batches_lookups_and_shed_requests_are_counted() -> None:
    metrics = Metrics()
    metrics.count_request(RequestRecord("POST", "/v1/complete", 200, 0.02))
    metrics.count_request(RequestRecord("POST", "/v1/complete", 200, 0.2))
    metrics.count_batch(3)
    metrics.count_cache_lookup(is_hit=True)
    metrics.count_shed("queue")
    lines = metrics.render(queue_length=5).decode().splitlines()
    assert 'tersely_requests_total{method="POST",route="/v1/complete",status="200"} 2.0' in lines
    assert 'tersely_request_seconds_bucket{le="0.025",route="/v1/complete"} 1.0' in lines
    assert 'tersely_request_seconds_count{route="/v1/complete"} 2.0' in lines
    assert 'tersely_batch_size_bucket{le="2.0"} 0.0' in lines
    assert 'tersely_batch_size_bucket{le="4.0"} 1.0' in lines
    assert 'tersely_cache_lookups_total{found="yes"} 1.0' in lines
    assert 'tersely_shed_total{reason="queue"} 1.0' in lines
    assert "tersely_queue_length 5.0" in lines


def test_two_services_have_separate_metrics() -> None:
    first, second = Metrics(), Metrics()
    first.count_shed("queue")
    assert b"tersely_shed_total{" not in second.render(queue_length=0)


def test_the_metrics_of_several_workers_are_added_up(tmp_path: Path) -> None:
    code = (
        "from tersely.service.metrics import Metrics\n"
        "metrics = Metrics(); metrics.count_shed('queue')\n"
        "print(metrics.render(queue_length=0).decode())"
    )
    environment = {**os.environ, FOLDER_VARIABLE: str(tmp_path)}
    for worker in (1, 2):
        output = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert f'tersely_shed_total{{reason="queue"}} {worker}.0' in output
