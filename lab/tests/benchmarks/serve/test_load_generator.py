import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tersely_lab.benchmarks.serve.load_generator import Loop, run_loop, summarise


class RecordingServer(ThreadingHTTPServer):
    """Records the bodies of all requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[bytes] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, RecordingServer)
        self.server.bodies.append(body)
        self.send_response(200 if self.path == "/ok" else 503)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with RecordingServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_every_set_of_keywords_is_requested_once(server: RecordingServer) -> None:
    keywords = [f"word {number}" for number in range(20)]
    loop = run_loop(f"http://127.0.0.1:{server.server_port}/ok", keywords, clients=4)
    assert len(server.bodies) == len(set(server.bodies)) == 20
    assert len(loop.latencies_seconds) == 20
    assert loop.clients == 4
    assert max(loop.latencies_seconds) <= loop.seconds


def test_an_error_response_ends_the_loop(server: RecordingServer) -> None:
    with pytest.raises(ExceptionGroup):
        run_loop(f"http://127.0.0.1:{server.server_port}/no", ["word"], clients=1)


def test_rounds_are_summarised() -> None:
    loops = [Loop(2, 1.0, (0.1, 0.2)), Loop(2, 0.5, (0.3, 0.4)), Loop(2, 2.0, (0.1, 0.1))]
    summary = summarise(loops)
    assert summary["per_second"] == 2.0
    assert summary["answers"] == 6
    assert summary["p99_milliseconds"] == 400.0


def test_work_after_a_response_is_no_latency(server: RecordingServer) -> None:
    done: list[str] = []

    def after_response(keywords: str) -> None:
        done.append(keywords)
        time.sleep(0.05)

    url = f"http://127.0.0.1:{server.server_port}/ok"
    loop = run_loop(url, ["a", "b", "c"], clients=1, after_response=after_response)
    assert done == ["a", "b", "c"]
    assert sum(loop.latencies_seconds) < loop.seconds - 0.1
