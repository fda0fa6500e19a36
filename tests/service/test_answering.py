import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from tersely.completion.completer import Suggestion
from tersely.service.settings import ServiceSettings
from tests.service.serving import FakeModels, client_of, fake_app, served
from tests.web.asking import problem


def complete(url: str, keywords: str, **given: object) -> httpx.Response:
    return httpx.post(f"{url}/v1/complete", json={"keywords": keywords, **given}, timeout=30)


def wait_until(is_so: object) -> None:
    latest = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < latest
        time.sleep(0.005)


def test_requests_that_wait_are_decoded_together(tmp_path: Path) -> None:
    gate = threading.Event()
    models = FakeModels(gate=gate)
    with (
        served(fake_app(tmp_path, models, batch=8, deadline=30)) as url,
        ThreadPoolExecutor(20) as pool,
    ):
        first = pool.submit(complete, url, "first")
        wait_until(lambda: models.batches)
        others = [pool.submit(complete, url, f"word{number}") for number in range(12)]
        wait_until(
            lambda: "tersely_queue_length 12.0" in httpx.get(f"{url}/metrics", timeout=60).text
        )
        gate.set()
        texts = [one.result().json()["suggestions"][0]["text"] for one in [first, *others]]
    assert texts == ["FIRST", *(f"WORD{number}" for number in range(12))]
    assert [len(batch) for batch in models.batches] == [1, 8, 4]


@pytest.mark.parametrize(
    "how", [{"prefix": True}, {"order": "free"}, {"including": ["x"]}, {"corrections": True}]
)
def test_what_has_several_readings_is_not_made_to_wait(tmp_path: Path, how: dict) -> None:
    models = FakeModels()
    with client_of(fake_app(tmp_path, models)) as client:
        body = {"batch": [{"keywords": word, **how} for word in ("a", "b", "c")]}
        assert client.post("/v1/complete", json=body).status_code == 200
    assert models.batches == [["a"], ["b"], ["c"]]


@pytest.mark.promise(13)
def test_a_decode_is_cut_before_the_deadline(tmp_path: Path) -> None:
    models = FakeModels(seconds=60)
    with client_of(fake_app(tmp_path, models, deadline=2)) as client:
        start = time.monotonic()
        answer = client.post("/v1/complete", json={"keywords": "soup"})
        assert (answer.status_code, problem(answer)) == (503, "overloaded")
        assert answer.headers["retry-after"] == "1"
        assert 1.4 <= time.monotonic() - start < 30
        # The thread is free again: the next one is answered.
        models.seconds = 0
        assert client.post("/v1/complete", json={"keywords": "cold"}).status_code == 200
    assert models.finished == 1


@pytest.mark.promise(13)
def test_the_usual_deadline_is_two_seconds(tmp_path: Path) -> None:
    deadline = ServiceSettings().deadline
    assert deadline == 2
    with client_of(fake_app(tmp_path, FakeModels(seconds=60), deadline=deadline)) as client:
        start = time.monotonic()
        assert client.post("/v1/complete", json={"keywords": "soup"}).status_code == 503
        assert 1.4 <= time.monotonic() - start < 3


def leave_once(url: str, is_so: object) -> None:
    """Ask, and hang up as soon as something is so."""
    where, body = urlsplit(url), b'{"keywords": "soup"}'
    with socket.create_connection((str(where.hostname), int(where.port or 0))) as left:
        head = f"POST /v1/complete HTTP/1.1\r\nHost: {where.netloc}\r\n"
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        left.sendall((head + kind).encode() + body)
        wait_until(is_so)


def test_a_decode_is_given_up_when_the_client_leaves(tmp_path: Path) -> None:
    models = FakeModels(seconds=60)
    with served(fake_app(tmp_path, models, deadline=60)) as url:
        leave_once(url, lambda: models.batches)
        models.seconds = 0
        assert complete(url, "cold").status_code == 200
    assert models.finished == 1


def test_a_full_queue_sheds_at_once(tmp_path: Path) -> None:
    gate = threading.Event()
    models = FakeModels(gate=gate)
    with (
        served(fake_app(tmp_path, models, queue=2, deadline=30)) as url,
        ThreadPoolExecutor(3) as pool,
    ):
        waiting = [pool.submit(complete, url, "first")]
        wait_until(lambda: models.batches)
        waiting += [pool.submit(complete, url, word) for word in ("second", "third")]
        wait_until(
            lambda: "tersely_queue_length 2.0" in httpx.get(f"{url}/metrics", timeout=60).text
        )
        shed = complete(url, "fourth")
        assert (shed.status_code, problem(shed)) == (503, "overloaded")
        assert shed.headers["retry-after"] == "1"
        metrics = httpx.get(f"{url}/metrics", timeout=60).text
        assert 'tersely_shed_total{reason="queue"} 1.0' in metrics
        gate.set()
        assert [one.result().status_code for one in waiting] == [200] * 3


def test_a_failure_of_the_model_is_500_and_nothing_more(tmp_path: Path) -> None:
    with client_of(fake_app(tmp_path)) as client:
        answer = client.post("/v1/complete", json={"keywords": "poison"})
        assert (answer.status_code, problem(answer)) == (500, "internal")
        assert "poison" not in answer.text
        assert client.post("/v1/complete", json={"keywords": "soup"}).status_code == 200


def test_what_is_asked_for_reaches_the_library(tmp_path: Path) -> None:
    models = FakeModels()
    asked = {
        "prefix": True,
        "order": "free",
        "including": ["hot"],
        "without": ["cold"],
        "context": "Hello.",
        "corrections": True,
    }
    with client_of(fake_app(tmp_path, models)) as client:
        client.post("/v1/complete", json={"keywords": "soup", **asked})
    (wishes,) = models.wishes
    found = {name: getattr(wishes, name) for name in asked}
    assert found == {**asked, "including": ("hot",), "without": ("cold",)}


@pytest.mark.parametrize(
    "asked",
    [
        {"keywords": "soup", "without": ["soup"]},
        {"keywords": "soup", "without": ["cold"], "including": ["cold"]},
    ],
)
def test_a_contradiction_is_told_before_it_waits(tmp_path: Path, asked: dict) -> None:
    models = FakeModels()
    with client_of(fake_app(tmp_path, models)) as client:
        answer = client.post("/v1/complete", json=asked)
        assert (answer.status_code, problem(answer)) == (409, "contradiction")
    assert models.batches == []


def test_when_the_time_is_up_the_best_so_far_is_told_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tersely.service.answering.SHARE_OF_DEADLINE", 0.005)
    models = FakeModels(seconds=60)
    models.best_so_far = [Suggestion("Soup.", 0.1, ("soup",))]
    with client_of(fake_app(tmp_path, models, deadline=60)) as client:
        start = time.monotonic()
        answer = client.post("/v1/complete", json={"keywords": "soup"})
        assert time.monotonic() - start < 30
        assert [one["text"] for one in answer.json()["suggestions"]] == ["Soup."]
        models.seconds = 0
        answer = client.post("/v1/complete", json={"keywords": "soup"})
        assert answer.json()["suggestions"][0]["text"] == "SOUP"


def test_the_same_asked_twice_in_a_batch_is_decoded_once(tmp_path: Path) -> None:
    models = FakeModels()
    with client_of(fake_app(tmp_path, models)) as client:
        body = {"batch": [{"keywords": "soup"}, {"keywords": "cold"}, {"keywords": "soup"}]}
        answers = client.post("/v1/complete", json=body).json()["answers"]
    assert models.batches == [["soup", "cold"]]
    assert [one["suggestions"][0]["text"] for one in answers] == ["SOUP", "COLD", "SOUP"]


def test_what_may_change_is_not_kept(tmp_path: Path) -> None:
    models = FakeModels()
    with client_of(fake_app(tmp_path, models)) as client:
        client.put("/v1/memory", json={"on": True})
        for _ in range(2):
            client.post("/v1/complete", json={"keywords": "soup"})
        client.put("/v1/memory", json={"on": False})
        for _ in range(2):
            client.post("/v1/complete", json={"keywords": "soup"})
    assert len(models.batches) == 3
