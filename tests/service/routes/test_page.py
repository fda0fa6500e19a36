from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tersely.service.app import create_app
from tests.service.services import FakeModels, client_for, settings_for


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    static = tmp_path / "static"
    (static / "parts").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>tersely</title>")
    (static / "page.js").write_text("export const page = 1;")
    (static / "parts" / "list.js").write_text("export const list = 1;")
    (static / "page.css").write_text("body { margin: 0 }")
    (static / "secret.py").write_text("secret = 1")
    (tmp_path / "outside.js").write_text("outside")
    app = create_app(settings_for(tmp_path), models=FakeModels(), static=static)
    with client_for(app) as client:
        yield client


def test_the_index_is_at_the_root(client: TestClient) -> None:
    response = client.get("/")
    assert response.text.startswith("<!doctype html>")
    assert response.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["cross-origin-resource-policy"] == "same-origin"
    assert client.head("/").status_code == 200


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/page.js", "javascript"),
        ("/static/page.js", "javascript"),
        ("/parts/list.js", "javascript"),
        ("/static/parts/list.js", "javascript"),
        ("/page.css", "text/css"),
    ],
)
def test_files_are_served_with_their_content_type(
    client: TestClient, path: str, content_type: str
) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert content_type in response.headers["content-type"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-cache"


def test_pages_of_other_sites_may_load_the_widget(client: TestClient) -> None:
    response = client.get(
        "/page.js", headers={"Origin": "https://other.example", "Sec-Fetch-Site": "cross-site"}
    )
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["cross-origin-resource-policy"] == "cross-origin"


def test_an_unchanged_file_is_not_sent_again(client: TestClient) -> None:
    tag = client.get("/page.js").headers["etag"]
    assert client.get("/page.js", headers={"If-None-Match": tag}).status_code == 304


def test_nothing_else_is_served(client: TestClient) -> None:
    for path in (
        "/secret.py",
        "/static/secret.py",
        "/static/../outside.js",
        "/static/%2e%2e/outside.js",
        "/..%2foutside.js",
        "/outside.js",
        "/static/",
        "/parts",
        "/static/index.html/../../outside.js",
    ):
        response = client.get(path)
        assert response.status_code == 404, path
        assert response.json()["error"]["code"] == "not_found"


def test_the_page_does_not_hide_the_api(client: TestClient) -> None:
    assert client.get("/v1/complete").status_code == 405
    assert client.get("/v1/models").status_code == 200


def test_a_service_without_a_page_still_serves(tmp_path: Path) -> None:
    app = create_app(settings_for(tmp_path), models=FakeModels(), static=tmp_path / "nowhere")
    with client_for(app) as client:
        assert client.get("/").status_code == 404
        assert client.get("/v1/models").status_code == 200
