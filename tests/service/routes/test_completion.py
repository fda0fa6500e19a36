import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message

from tersely.completion.completer import Completer
from tersely.model.location import model_names
from tersely.service import models as service_models
from tersely.service.app import create_app
from tersely.service.routes.completion import cancel_on_disconnect
from tersely.web.errors import ApiError
from tests.service.services import client_for, settings_for
from tests.web.asgi import error_code


def complete(service: TestClient, **body: object) -> dict[str, Any]:
    response = service.post("/v1/complete", json=body)
    assert response.status_code == 200, response.text
    parsed: dict[str, Any] = response.json()
    return parsed


def marked(suggestion: dict[str, Any]) -> list[str]:
    """Return the words that the spans of a suggestion mark, in lower case."""
    return [suggestion["text"][start:end].lower() for start, end in suggestion["spans"]]


def test_the_suggestions_are_those_of_the_library(service: TestClient, trained: Path) -> None:
    response = complete(service, keywords="soup cold", n=2)
    expected = Completer.load(trained).complete("soup cold", 2)
    assert [item["text"] for item in response["suggestions"]] == [item.text for item in expected]
    assert [item["score"] for item in response["suggestions"]] == [item.score for item in expected]
    assert response["model"] == "run"
    assert response["milliseconds"] > 0
    for suggestion in response["suggestions"]:
        assert set(suggestion) == {"text", "score", "source", "corrected", "spans"}
        assert marked(suggestion) == ["soup", "cold"]


def test_the_default_number_of_suggestions_is_three(service: TestClient) -> None:
    assert len(complete(service, keywords="soup")["suggestions"]) == 3
    assert len(complete(service, keywords="soup", n=1)["suggestions"]) == 1


def test_the_span_of_an_unfinished_word_covers_what_was_typed(service: TestClient) -> None:
    for suggestion in complete(service, keywords="the so", prefix=True)["suggestions"]:
        assert marked(suggestion) == ["the", "so"]


def test_options_change_the_suggestions_as_in_the_library(
    service: TestClient, trained: Path
) -> None:
    expected = Completer.load(trained).complete("so", 4, prefix=True, without=["the", "."])
    response = complete(service, keywords="so", n=4, prefix=True, without=["the", "."])
    assert [item["text"] for item in response["suggestions"]] == [item.text for item in expected]


def test_a_batch_is_answered_in_order(service: TestClient) -> None:
    words = ["soup", "waiter", "table", "soup"]
    responses = complete(service, batch=[{"keywords": word} for word in words])["answers"]
    alone = [complete(service, keywords=word)["suggestions"] for word in words]
    assert [response["suggestions"] for response in responses] == alone


def test_the_second_response_comes_from_the_cache(service: TestClient) -> None:
    def hits() -> float:
        metric = 'tersely_cache_lookups_total{found="yes"}'
        lines = service.get("/metrics").text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(metric))

    first = complete(service, keywords="friendly waiter")
    before = hits()
    assert complete(service, keywords="friendly waiter")["suggestions"] == first["suggestions"]
    assert hits() == before + 1
    complete(service, keywords="friendly waiter", n=4)
    assert hits() == before + 1


@pytest.mark.promise(11)
@pytest.mark.parametrize(
    "body",
    [
        {"keywords": " ".join(["a"] * 33)},
        {"keywords": "x" * 201},
        {"keywords": "a", "n": 11},
        {"keywords": "a", "n": 0},
        {"keywords": "a", "context": "x" * 201},
        {"keywords": "a", "without": ["x" * 51]},
        {"keywords": "a", "without": ["x"] * 17},
        {"keywords": "a", "model": "x" * 65},
        {"batch": [{"keywords": "a"}] * 33},
        {"batch": [{"keywords": "a"}, {"keywords": "a", "n": 11}]},
        {"batch": []},
        {"keywords": "a", "batch": []},
        {"keywords": "a", "unknown": 1},
        {"keywords": 3},
        {"keywords": "a", "n": "3"},
        {"keywords": "a", "prefix": "yes"},
        {"keywords": "a", "order": "sorted"},
        {"keywords": "a", "deadline": 1},
        {},
        [],
        "soup",
    ],
)
def test_a_body_beyond_the_limits_or_of_wrong_types_is_refused(
    service: TestClient, body: object
) -> None:
    response = service.post("/v1/complete", json=body)
    assert (response.status_code, error_code(response)) == (422, "invalid")


def test_an_error_names_the_fields_as_the_client_sent_them(service: TestClient) -> None:
    for body, place in [
        ({"keywords": "a", "n": 11}, "n: "),
        ({"batch": [{"keywords": "a", "n": 11}]}, "batch.0.n: "),
    ]:
        response = service.post("/v1/complete", json=body)
        assert response.json()["error"]["message"].startswith(place)


@pytest.mark.promise(11)
@pytest.mark.parametrize(
    "body",
    [
        {"keywords": " ".join(["a"] * 32)},
        {"keywords": " " + "\n".join(["a"] * 32) + " "},
        {"keywords": "x" * 200},
        {"keywords": "a", "n": 10},
        {"keywords": ""},
    ],
)
def test_a_body_at_the_limits_is_answered(service: TestClient, body: dict[str, Any]) -> None:
    assert service.post("/v1/complete", json=body).status_code == 200


@pytest.mark.parametrize("content", [b'{"keywords": "\\ud800"}', b'{"keywords": "\xff"}', b"\x00"])
def test_text_that_is_not_unicode_is_refused(service: TestClient, content: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    response = service.post("/v1/complete", content=content, headers=headers)
    assert response.status_code in (400, 422)
    assert error_code(response) in ("invalid", "bad_request")


def test_a_keyword_that_is_also_forbidden_is_a_contradiction(service: TestClient) -> None:
    response = service.post("/v1/complete", json={"keywords": "soup", "without": ["soup"]})
    assert (response.status_code, error_code(response)) == (409, "contradiction")


@pytest.mark.parametrize("name", ["nowhere", "../run", "/etc/passwd", "", "\x00"])
def test_an_unknown_model_is_refused(service: TestClient, name: str) -> None:
    for path, body in [("complete", {"keywords": "soup"}), ("keywords", {"sentence": "soup"})]:
        response = service.post(f"/v1/{path}", json={**body, "model": name})
        assert (response.status_code, error_code(response)) == (404, "unknown_model")


def test_the_folder_of_models_is_listed_once_a_request(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "models"
    shutil.copytree(trained / "model", folder / "other")
    listed: list[Path] = []

    def counted(models: Path) -> list[str]:
        listed.append(models)
        return model_names(models)

    monkeypatch.setattr(service_models, "model_names", counted)
    settings = settings_for(tmp_path, model=str(trained), models=folder)
    with client_for(create_app(settings)) as client:
        listed.clear()
        body = {"batch": [{"keywords": word, "model": "other"} for word in ("soup", "cold")]}
        responses = client.post("/v1/complete", json=body).json()["answers"]
        assert [response["model"] for response in responses] == ["other", "other"]
        assert len(listed) == 1


def test_the_keywords_are_those_of_the_library(service: TestClient, trained: Path) -> None:
    sentence = "The waiter was friendly,  but the Soup was cold."
    response = service.post("/v1/keywords", json={"sentence": sentence}).json()
    expected = Completer.load(trained).keywords(sentence)
    assert response["keywords"] == expected.keywords
    assert [token["typed"] for token in response["tokens"]] == expected.keep
    assert [token["keep"] for token in response["tokens"]] == expected.probabilities
    assert response["sentence_characters"] == len(sentence)
    words = [word for word in expected.keywords if word != "<shift>"]
    assert response["typed_characters"] == len(" ".join(words))
    for token in response["tokens"]:
        text = sentence[token["start"] : token["end"]]
        assert text.lower() == ("" if token["token"] == "<shift>" else token["token"].lower())


def test_a_budget_of_zero_selects_no_keywords(service: TestClient) -> None:
    body = {"sentence": "The soup was cold.", "budget": 0}
    response = service.post("/v1/keywords", json=body).json()
    assert response["keywords"] == []
    assert response["typed_characters"] == 0
    assert not any(token["typed"] for token in response["tokens"])
    body["budget"] = 1
    assert len(service.post("/v1/keywords", json=body).json()["keywords"]) > 3


def test_an_empty_sentence_has_no_keywords(service: TestClient) -> None:
    response = service.post("/v1/keywords", json={"sentence": ""}).json()
    assert response == {
        "keywords": [],
        "tokens": [],
        "typed_characters": 0,
        "sentence_characters": 0,
    }


@pytest.mark.promise(11)
@pytest.mark.parametrize("field", [{"budget": 1.1}, {"budget": -0.1}, {"sentence": "x" * 201}])
def test_the_budget_is_a_share_and_the_sentence_is_bounded(
    service: TestClient, field: dict[str, Any]
) -> None:
    response = service.post("/v1/keywords", json={"sentence": "The soup was cold.", **field})
    assert response.status_code == 422


def test_models_are_listed(service: TestClient) -> None:
    (model,) = service.get("/v1/models").json()["models"]
    assert (model["name"], model["architecture"], model["default"]) == ("run", "paper", True)
    assert model["vocabulary"] == 200


def test_the_openapi_schema_has_examples(service: TestClient) -> None:
    schema = service.get("/openapi.json").json()
    assert {"/v1/complete", "/v1/keywords", "/v1/models", "/healthz"} <= set(schema["paths"])
    assert schema["components"]["schemas"]["CompletionRequest"]["examples"]
    assert schema["components"]["schemas"]["KeywordsRequest"]["examples"]


def request_until(disconnected: asyncio.Event) -> Request:
    """Return a request whose client disconnects when the event is set."""

    async def receive() -> Message:
        await disconnected.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "headers": []}, receive)


def test_work_is_finished_while_the_client_is_connected() -> None:
    async def run() -> int:
        async def work() -> int:
            await asyncio.sleep(0)
            return 7

        return await cancel_on_disconnect(request_until(asyncio.Event()), work())

    assert asyncio.run(run()) == 7


def test_an_error_of_the_work_is_raised() -> None:
    async def run() -> None:
        async def work() -> None:
            raise KeyError("x")

        await cancel_on_disconnect(request_until(asyncio.Event()), work())

    with pytest.raises(KeyError):
        asyncio.run(run())


def test_work_is_cancelled_when_the_client_disconnects() -> None:
    async def run() -> None:
        disconnected, cancelled = asyncio.Event(), asyncio.Event()

        async def work() -> None:
            disconnected.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        with pytest.raises(ApiError, match="closed the connection"):
            await cancel_on_disconnect(request_until(disconnected), work())
        await asyncio.wait_for(cancelled.wait(), 1)

    asyncio.run(run())
