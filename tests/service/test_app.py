import json
import logging
from pathlib import Path

import pytest

from tersely.errors import TerselyError
from tersely.service.app import create_app
from tersely.web.headers import HEADERS
from tests.service.serving import FakeModels, client_of, fake_app, settings_for
from tests.web.asking import problem

TOKEN = "correct horse battery"
FRIEND = "https://friend.example"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/healthz", 200),
        ("GET", "/v1/models", 200),
        ("GET", "/nowhere", 404),
        ("PUT", "/v1/complete", 405),
        ("POST", "/v1/complete", 422),
        ("POST", "/v1/memory", 409),
    ],
)
def test_every_answer_carries_the_headers_and_every_error_the_shape(
    tmp_path: Path, method: str, path: str, status: int
) -> None:
    with client_of(fake_app(tmp_path)) as client:
        body = {"json": {"text": "x"}} if method != "GET" else {}
        answer = client.request(method, path, **body)
    assert answer.status_code == status
    assert set(map(str.lower, HEADERS)) <= set(answer.headers)
    if status >= 400:
        assert problem(answer)


@pytest.mark.promise(12)
def test_beyond_the_rate_429_and_when_to_come_back(tmp_path: Path) -> None:
    with client_of(fake_app(tmp_path, rate=0.01, burst=3)) as client:
        answers = [
            client.post(
                "/v1/complete",
                json={"keywords": "soup"},
                headers={"X-Forwarded-For": f"198.51.100.{number}"},
            )
            for number in range(5)
        ]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert problem(answers[-1]) == "too_many_requests"
        assert 90 <= int(answers[-1].headers["retry-after"]) <= 100
        assert client.get("/healthz").status_code == 200


@pytest.mark.promise(12)
def test_a_batch_counts_as_many_as_it_holds(tmp_path: Path) -> None:
    models = FakeModels()
    with client_of(fake_app(tmp_path, models, rate=0.01, burst=4)) as client:
        batch = {"batch": [{"keywords": f"w{number}"} for number in range(5)]}
        assert client.post("/v1/complete", json=batch).status_code == 429
        assert models.batches == []
        batch = {"batch": batch["batch"][:3]}
        assert client.post("/v1/complete", json=batch).status_code == 200


@pytest.mark.promise(11)
def test_a_large_body_is_refused(tmp_path: Path) -> None:
    with client_of(fake_app(tmp_path)) as client:
        headers = {"Content-Type": "application/json"}
        content = b'{"keywords": "soup"' + b" " * 8200 + b"}"
        for body in (content, iter([content[:4000], content[4000:]])):
            answer = client.post("/v1/complete", content=body, headers=headers)
            assert (answer.status_code, problem(answer)) == (413, "too_large")


def test_with_a_token_nothing_is_answered_without(tmp_path: Path) -> None:
    app = fake_app(tmp_path, host="0.0.0.0", token=TOKEN, allow_origin=(FRIEND,))
    with client_of(app) as client:
        for path in ("/v1/models", "/v1/settings", "/metrics", "/openapi.json"):
            assert client.get(path).status_code == 401
        assert client.post("/v1/complete", json={"keywords": "soup"}).status_code == 401
        assert client.get("/healthz").status_code == 200
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        assert client.get("/v1/models").status_code == 200


def test_pages_of_an_allowed_site_may_ask(tmp_path: Path) -> None:
    with client_of(fake_app(tmp_path, allow_origin=(FRIEND,))) as client:
        asked = client.options(
            "/v1/complete", headers={"Origin": FRIEND, "Access-Control-Request-Method": "POST"}
        )
        assert asked.status_code == 204
        answer = client.post("/v1/complete", json={"keywords": "soup"}, headers={"Origin": FRIEND})
        assert answer.headers["access-control-allow-origin"] == FRIEND


def test_no_log_holds_what_a_person_wrote(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with client_of(fake_app(tmp_path)) as client:
        client.post("/v1/complete", json={"keywords": "geheim"})
        client.post("/v1/complete", json={"keywords": "geheim", "n": "geheim"})
        client.post("/v1/keywords", json={"sentence": "geheim"})
        client.get("/geheim?geheim=geheim")
        client.get("/v1/memory", params={"search": "geheim"})
        client.post("/v1/complete", json={"batch": [{"keywords": "poison"}]})
    ours = [record for record in caplog.records if record.name.startswith("tersely")]
    assert len(ours) >= 5
    told = json.dumps([[record.getMessage(), str(record.__dict__)] for record in ours])
    assert "geheim" not in told


def test_the_schema_names_every_error_of_a_route(tmp_path: Path) -> None:
    with client_of(fake_app(tmp_path)) as client:
        schema = client.get("/openapi.json").json()
    answers = schema["paths"]["/v1/complete"]["post"]["responses"]
    assert {"200", "401", "403", "404", "413", "415", "422", "429", "503"} <= set(answers)


def test_the_default_model_is_loaded_from_the_start(trained: Path, tmp_path: Path) -> None:
    with client_of(create_app(settings_for(tmp_path, model=str(trained)))) as client:
        assert client.get("/v1/models").json()["models"][0]["name"] == "run"


@pytest.mark.parametrize(("given", "tells"), [({}, True), ({"allow_host": ("x.example",)}, False)])
def test_what_failed_is_told_to_the_person_alone(tmp_path: Path, given: dict, tells: bool) -> None:
    app = fake_app(tmp_path, FailingModels(), **given)
    with client_of(app) as client:
        answer = client.get("/v1/models")
        assert (answer.status_code, problem(answer)) == (500, "failed")
        assert ("folder.x" in answer.text) == tells


class FailingModels(FakeModels):
    """Models that cannot be listed."""

    def listed(self) -> list:
        raise TerselyError("folder.x: cannot be read.")


def test_a_broken_model_of_the_folder_is_said_to_be_broken(trained: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    (models / "broken").mkdir(parents=True)
    settings = settings_for(tmp_path, model=str(trained), models=models)
    with client_of(create_app(settings)) as client:
        answer = client.post("/v1/complete", json={"keywords": "soup", "model": "broken"})
        assert (answer.status_code, problem(answer)) == (409, "broken_model")
        assert str(models) not in answer.text
