import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from tersely.completion.completer import Completer
from tersely.completion.options import CompletionOptions
from tersely.completion.suggestion import Suggestion
from tersely.decoding.deadline import Deadline
from tersely.service import engine
from tersely.service.settings import ServiceSettings
from tests.service.services import FakeModels, client_for, fake_app, served, wait_until
from tests.web.asgi import error_code


def complete(url: str, keywords: str) -> httpx.Response:
    return httpx.post(f"{url}/v1/complete", json={"keywords": keywords}, timeout=30)


def wait_for_queue(url: str, length: int) -> None:
    line = f"tersely_queue_length {length:.1f}"
    wait_until(lambda: line in httpx.get(f"{url}/metrics", timeout=60).text)


def test_waiting_requests_are_decoded_in_batches(tmp_path: Path) -> None:
    gate = threading.Event()
    models = FakeModels(gate=gate)
    with (
        served(fake_app(tmp_path, models, batch=8, deadline=30)) as url,
        ThreadPoolExecutor(20) as pool,
    ):
        first = pool.submit(complete, url, "first")
        wait_until(lambda: models.batches)
        others = [pool.submit(complete, url, f"word{number}") for number in range(12)]
        wait_for_queue(url, 12)
        gate.set()
        responses = [future.result().json() for future in [first, *others]]
    texts = [response["suggestions"][0]["text"] for response in responses]
    assert texts == ["FIRST", *(f"WORD{number}" for number in range(12))]
    assert [len(batch) for batch in models.batches] == [1, 8, 4]


@pytest.mark.parametrize(
    "options", [{"prefix": True}, {"order": "free"}, {"including": ["x"]}, {"corrections": True}]
)
def test_requests_with_expansions_are_decoded_one_by_one(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    models = FakeModels()
    with client_for(fake_app(tmp_path, models)) as client:
        body = {"batch": [{"keywords": word, **options} for word in ("a", "b", "c")]}
        assert client.post("/v1/complete", json=body).status_code == 200
    assert models.batches == [["a"], ["b"], ["c"]]


def test_requests_are_grouped_by_their_options(tmp_path: Path) -> None:
    models = FakeModels()
    with client_for(fake_app(tmp_path, models)) as client:
        batch = [
            {"keywords": "a"},
            {"keywords": "b", "n": 2},
            {"keywords": "c", "n": 3},
            {"keywords": "d", "n": 2, "without": []},
        ]
        assert client.post("/v1/complete", json={"batch": batch}).status_code == 200
    assert models.batches == [["a", "c"], ["b", "d"]]


@pytest.mark.promise(13)
def test_decoding_is_stopped_before_the_deadline(tmp_path: Path) -> None:
    models = FakeModels(seconds=60)
    with client_for(fake_app(tmp_path, models, deadline=2)) as client:
        start = time.monotonic()
        response = client.post("/v1/complete", json={"keywords": "soup"})
        assert (response.status_code, error_code(response)) == (503, "overloaded")
        assert response.headers["retry-after"] == "1"
        assert 1.4 <= time.monotonic() - start < 30
        # The thread is free again: the next request is answered.
        models.seconds = 0
        assert client.post("/v1/complete", json={"keywords": "cold"}).status_code == 200
    assert models.finished == 1


@pytest.mark.promise(13)
def test_the_default_deadline_is_two_seconds(tmp_path: Path) -> None:
    deadline = ServiceSettings().deadline
    assert deadline == 2
    with client_for(fake_app(tmp_path, FakeModels(seconds=60), deadline=deadline)) as client:
        start = time.monotonic()
        assert client.post("/v1/complete", json={"keywords": "soup"}).status_code == 503
        assert 1.4 <= time.monotonic() - start < 3


@pytest.mark.promise(13)
@pytest.mark.parametrize("prefix", [False, True])
def test_cancelled_decoding_stops_at_its_next_step(trained: Path, prefix: bool) -> None:
    checks: list[bool] = []

    def is_cancelled() -> bool:
        checks.append(len(checks) >= 2)
        return checks[-1]

    deadline = Deadline(60.0, is_cancelled=is_cancelled)
    options = CompletionOptions(prefix=prefix, deadline=deadline)
    Completer.load(trained).complete_with_options(["soup"], options)
    assert deadline.was_exceeded
    assert checks == [False, False, True]


def test_decoding_within_the_deadline_gives_the_usual_suggestions(trained: Path) -> None:
    completer = Completer.load(trained)
    deadline = Deadline(60.0, is_cancelled=lambda: False)
    options = CompletionOptions(deadline=deadline)
    assert completer.complete_with_options(["soup"], options) == [completer.complete("soup")]
    assert not deadline.was_exceeded


def disconnect_when(url: str, condition: Callable[[], object]) -> None:
    """Send a request, and close the connection as soon as the condition is true."""
    address, body = urlsplit(url), b'{"keywords": "soup"}'
    with socket.create_connection((str(address.hostname), int(address.port or 0))) as connection:
        head = f"POST /v1/complete HTTP/1.1\r\nHost: {address.netloc}\r\n"
        content = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall((head + content).encode() + body)
        wait_until(condition)


def test_decoding_is_stopped_when_the_client_disconnects(tmp_path: Path) -> None:
    models = FakeModels(seconds=60)
    with served(fake_app(tmp_path, models, deadline=60)) as url:
        disconnect_when(url, lambda: models.batches)
        models.seconds = 0
        assert complete(url, "cold").status_code == 200
    assert models.finished == 1


def test_a_full_queue_sheds_requests_at_once(tmp_path: Path) -> None:
    gate = threading.Event()
    models = FakeModels(gate=gate)
    with (
        served(fake_app(tmp_path, models, queue=2, deadline=30)) as url,
        ThreadPoolExecutor(3) as pool,
    ):
        waiting = [pool.submit(complete, url, "first")]
        wait_until(lambda: models.batches)
        waiting += [pool.submit(complete, url, word) for word in ("second", "third")]
        wait_for_queue(url, 2)
        shed = complete(url, "fourth")
        assert (shed.status_code, error_code(shed)) == (503, "overloaded")
        assert shed.headers["retry-after"] == "1"
        metrics = httpx.get(f"{url}/metrics", timeout=60).text
        assert 'tersely_shed_total{reason="queue"} 1.0' in metrics
        gate.set()
        assert [future.result().status_code for future in waiting] == [200] * 3


def test_a_failure_of_the_model_is_500_and_reveals_nothing(tmp_path: Path) -> None:
    with client_for(fake_app(tmp_path)) as client:
        response = client.post("/v1/complete", json={"keywords": "poison"})
        assert (response.status_code, error_code(response)) == (500, "internal")
        assert "poison" not in response.text
        assert client.post("/v1/complete", json={"keywords": "soup"}).status_code == 200


def test_the_options_of_a_request_reach_the_library_unchanged(tmp_path: Path) -> None:
    models = FakeModels()
    fields: dict[str, Any] = {
        "n": 4,
        "prefix": True,
        "order": "free",
        "including": ["hot"],
        "without": ["cold"],
        "context": "Hello.",
        "corrections": True,
    }
    with client_for(fake_app(tmp_path, models)) as client:
        client.post("/v1/complete", json={"keywords": "soup", **fields})
    (options,) = models.options
    assert replace(options, deadline=None) == CompletionOptions(**fields)
    assert isinstance(options.deadline, Deadline)


@pytest.mark.parametrize(
    "body",
    [
        {"keywords": "soup", "without": ["soup"]},
        {"keywords": "soup", "without": ["cold"], "including": ["cold"]},
    ],
)
def test_contradictory_options_are_refused_before_the_queue(
    tmp_path: Path, body: dict[str, Any]
) -> None:
    models = FakeModels()
    with client_for(fake_app(tmp_path, models)) as client:
        response = client.post("/v1/complete", json=body)
        assert (response.status_code, error_code(response)) == (409, "contradiction")
    assert models.batches == []


def test_suggestions_cut_short_by_the_deadline_are_returned_but_not_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "DECODING_SHARE", 0.005)
    models = FakeModels(seconds=60)
    models.best_so_far = [Suggestion("Soup.", 0.1, ("soup",))]
    with client_for(fake_app(tmp_path, models, deadline=60)) as client:
        start = time.monotonic()
        response = client.post("/v1/complete", json={"keywords": "soup"})
        assert time.monotonic() - start < 30
        assert [item["text"] for item in response.json()["suggestions"]] == ["Soup."]
        models.seconds = 0
        response = client.post("/v1/complete", json={"keywords": "soup"})
        assert response.json()["suggestions"][0]["text"] == "SOUP"


def test_equal_requests_of_a_batch_are_decoded_once(tmp_path: Path) -> None:
    models = FakeModels()
    with client_for(fake_app(tmp_path, models)) as client:
        body = {"batch": [{"keywords": "soup"}, {"keywords": "cold"}, {"keywords": "soup"}]}
        responses = client.post("/v1/complete", json=body).json()["answers"]
    assert models.batches == [["soup", "cold"]]
    texts = [response["suggestions"][0]["text"] for response in responses]
    assert texts == ["SOUP", "COLD", "SOUP"]


@pytest.mark.parametrize(("cache", "batches"), [(2, 4), (0, 6)])
def test_the_least_recently_used_response_leaves_the_cache(
    tmp_path: Path, cache: int, batches: int
) -> None:
    models = FakeModels()
    with client_for(fake_app(tmp_path, models, cache=cache)) as client:
        for keywords in ("a", "b", "a", "c", "a", "b"):
            assert client.post("/v1/complete", json={"keywords": keywords}).status_code == 200
    assert len(models.batches) == batches


def test_suggestions_of_a_memory_are_not_cached(tmp_path: Path) -> None:
    models = FakeModels()
    with client_for(fake_app(tmp_path, models)) as client:
        client.put("/v1/memory", json={"on": True})
        for _ in range(2):
            client.post("/v1/complete", json={"keywords": "soup"})
        client.put("/v1/memory", json={"on": False})
        for _ in range(2):
            client.post("/v1/complete", json={"keywords": "soup"})
    assert len(models.batches) == 3
