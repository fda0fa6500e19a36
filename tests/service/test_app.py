import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tersely.errors import TerselyError
from tersely.service.app import create_app
from tersely.service.models import ModelInfo
from tersely.web.security_headers import SECURITY_HEADERS
from tests.service.services import FakeModels, client_for, fake_app, settings_for
from tests.web.asgi import error_code

TOKEN = "correct horse battery"
ALLOWED = "https://friend.example"


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
def test_every_response_carries_the_headers_and_every_error_has_the_shape(
    tmp_path: Path, method: str, path: str, status: int
) -> None:
    with client_for(fake_app(tmp_path)) as client:
        body = {"text": "x"} if method != "GET" else None
        response = client.request(method, path, json=body)
    assert response.status_code == status
    assert set(map(str.lower, SECURITY_HEADERS)) <= set(response.headers)
    if status >= 400:
        assert error_code(response)


@pytest.mark.promise(12)
def test_requests_beyond_the_rate_get_429_with_the_time_to_wait(tmp_path: Path) -> None:
    with client_for(fake_app(tmp_path, rate=0.01, burst=3)) as client:
        responses = [
            client.post(
                "/v1/complete",
                json={"keywords": "soup"},
                headers={"X-Forwarded-For": f"198.51.100.{number}"},
            )
            for number in range(5)
        ]
        assert [response.status_code for response in responses] == [200, 200, 200, 429, 429]
        assert error_code(responses[-1]) == "too_many_requests"
        assert 90 <= int(responses[-1].headers["retry-after"]) <= 100
        assert client.get("/healthz").status_code == 200


@pytest.mark.promise(12)
def test_a_batch_counts_as_its_number_of_requests(tmp_path: Path) -> None:
    models = FakeModels()
    with client_for(fake_app(tmp_path, models, rate=0.01, burst=4)) as client:
        batch = {"batch": [{"keywords": f"w{number}"} for number in range(5)]}
        assert client.post("/v1/complete", json=batch).status_code == 429
        assert models.batches == []
        batch = {"batch": batch["batch"][:3]}
        assert client.post("/v1/complete", json=batch).status_code == 200


@pytest.mark.promise(11)
def test_a_large_body_is_refused(tmp_path: Path) -> None:
    with client_for(fake_app(tmp_path)) as client:
        headers = {"Content-Type": "application/json"}
        content = b'{"keywords": "soup"' + b" " * 8200 + b"}"
        for body in (content, iter([content[:4000], content[4000:]])):
            response = client.post("/v1/complete", content=body, headers=headers)
            assert (response.status_code, error_code(response)) == (413, "too_large")


def test_a_token_protects_the_api_and_the_metrics(tmp_path: Path) -> None:
    app = fake_app(tmp_path, host="0.0.0.0", token=TOKEN, allow_origin=(ALLOWED,))
    with client_for(app) as client:
        for path in ("/v1/models", "/v1/settings", "/metrics", "/openapi.json"):
            assert client.get(path).status_code == 401
        assert client.post("/v1/complete", json={"keywords": "soup"}).status_code == 401
        assert client.get("/healthz").status_code == 200
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        assert client.get("/v1/models").status_code == 200


def test_pages_of_an_allowed_site_may_send_requests(tmp_path: Path) -> None:
    with client_for(fake_app(tmp_path, allow_origin=(ALLOWED,))) as client:
        preflight = client.options(
            "/v1/complete", headers={"Origin": ALLOWED, "Access-Control-Request-Method": "POST"}
        )
        assert preflight.status_code == 204
        response = client.post(
            "/v1/complete", json={"keywords": "soup"}, headers={"Origin": ALLOWED}
        )
        assert response.headers["access-control-allow-origin"] == ALLOWED


def test_no_log_line_holds_what_a_person_wrote(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with client_for(fake_app(tmp_path)) as client:
        client.post("/v1/complete", json={"keywords": "geheim"})
        client.post("/v1/complete", json={"keywords": "geheim", "n": "geheim"})
        client.post("/v1/keywords", json={"sentence": "geheim"})
        client.get("/geheim?geheim=geheim")
        client.get("/v1/memory", params={"search": "geheim"})
        client.post("/v1/complete", json={"batch": [{"keywords": "poison"}]})
    records = [record for record in caplog.records if record.name.startswith("tersely")]
    assert len(records) >= 5
    logged = json.dumps([[record.getMessage(), str(record.__dict__)] for record in records])
    assert "geheim" not in logged


def test_the_openapi_schema_lists_every_error_of_a_route(tmp_path: Path) -> None:
    with client_for(fake_app(tmp_path)) as client:
        schema = client.get("/openapi.json").json()
    responses = schema["paths"]["/v1/complete"]["post"]["responses"]
    assert {"200", "401", "403", "404", "413", "415", "422", "429", "503"} <= set(responses)


def test_the_default_model_is_loaded_at_the_start(trained: Path, tmp_path: Path) -> None:
    with client_for(create_app(settings_for(tmp_path, model=str(trained)))) as client:
        assert client.get("/v1/models").json()["models"][0]["name"] == "run"


@pytest.mark.parametrize(
    ("settings", "is_shown"), [({}, True), ({"allow_host": ("x.example",)}, False)]
)
def test_only_a_private_service_sends_the_message_of_a_failure(
    tmp_path: Path, settings: dict[str, Any], is_shown: bool
) -> None:
    app = fake_app(tmp_path, FailingModels(), **settings)
    with client_for(app) as client:
        response = client.get("/v1/models")
        assert (response.status_code, error_code(response)) == (500, "failed")
        assert ("folder.x" in response.text) == is_shown


class FailingModels(FakeModels):
    """Models that cannot be listed."""

    def list_models(self) -> list[ModelInfo]:
        raise TerselyError("folder.x: cannot be read.")


def test_a_broken_model_of_the_folder_is_reported_as_broken(trained: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    (models / "broken").mkdir(parents=True)
    settings = settings_for(tmp_path, model=str(trained), models=models)
    with client_for(create_app(settings)) as client:
        response = client.post("/v1/complete", json={"keywords": "soup", "model": "broken"})
        assert (response.status_code, error_code(response)) == (409, "broken_model")
        assert str(models) not in response.text
