import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tersely_lab.benchmarks.closed_loop import Loop, percentile, run_loop, summarise


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append(body)
        self.send_response(200 if self.path == "/ok" else 503)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *given: object) -> None:
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        found.seen = []
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def test_every_question_is_asked_once_by_so_many_clients(server) -> None:
    questions = [f"word {number}" for number in range(20)]
    loop = run_loop(f"http://127.0.0.1:{server.server_port}/ok", questions, clients=4)
    assert len(server.seen) == len(set(server.seen)) == 20
    assert len(loop.each_seconds) == 20
    assert loop.clients == 4
    assert max(loop.each_seconds) <= loop.seconds


def test_an_answer_that_is_none_ends_it(server) -> None:
    with pytest.raises(ExceptionGroup):
        run_loop(f"http://127.0.0.1:{server.server_port}/no", ["word"], clients=1)


def test_percentiles_are_those_of_the_nearest_rank() -> None:
    ordered = [float(number) for number in range(1, 101)]
    assert [percentile(ordered, share) for share in (50, 95, 99, 100)] == [50, 95, 99, 100]
    assert percentile([7.0], 95) == 7.0


def test_rounds_are_summed_up() -> None:
    loops = [Loop(2, 1.0, (0.1, 0.2)), Loop(2, 0.5, (0.3, 0.4)), Loop(2, 2.0, (0.1, 0.1))]
    found = summarise(loops)
    assert found["per_second"] == 2.0
    assert found["answers"] == 6
    assert found["p99_milliseconds"] == 400.0


def test_what_is_done_after_an_answer_is_no_waiting(server) -> None:
    done: list[str] = []

    def then(question: str) -> None:
        done.append(question)
        time.sleep(0.05)

    url = f"http://127.0.0.1:{server.server_port}/ok"
    loop = run_loop(url, ["a", "b", "c"], clients=1, then=then)
    assert done == ["a", "b", "c"]
    assert sum(loop.each_seconds) < loop.seconds - 0.1
