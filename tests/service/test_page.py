from pathlib import Path

import pytest

from tersely.service.app import create_app
from tests.service.serving import FakeModels, client_of, settings_for


@pytest.fixture
def client(tmp_path: Path):
    static = tmp_path / "static"
    (static / "parts").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>tersely</title>")
    (static / "page.js").write_text("export const page = 1;")
    (static / "parts" / "list.js").write_text("export const list = 1;")
    (static / "page.css").write_text("body { margin: 0 }")
    (static / "secret.py").write_text("secret = 1")
    (tmp_path / "outside.js").write_text("outside")
    app = create_app(settings_for(tmp_path), models=FakeModels(), static=static)
    with client_of(app) as found:
        yield found


def test_the_start_page_is_at_the_root(client) -> None:
    answer = client.get("/")
    assert answer.text.startswith("<!doctype html>")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert client.head("/").status_code == 200


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/page.js", "javascript"),
        ("/static/page.js", "javascript"),
        ("/parts/list.js", "javascript"),
        ("/static/parts/list.js", "javascript"),
        ("/page.css", "text/css"),
    ],
)
def test_files_are_served_as_what_they_are(client, path: str, kind: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert kind in answer.headers["content-type"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-cache"


def test_pages_of_other_sites_may_load_the_widget(client) -> None:
    answer = client.get(
        "/page.js", headers={"Origin": "https://other.example", "Sec-Fetch-Site": "cross-site"}
    )
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"


def test_what_has_not_changed_is_not_sent_again(client) -> None:
    tag = client.get("/page.js").headers["etag"]
    assert client.get("/page.js", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "/secret.py",
        "/static/secret.py",
        "/static/../outside.js",
        "/static/%2e%2e/outside.js",
        "/..%2foutside.js",
        "/outside.js",
        "/static/",
        "/parts",
        "/static/index.html/../../outside.js",
    ],
)
def test_nothing_else_is(client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_the_page_does_not_hide_the_api(client) -> None:
    assert client.get("/v1/complete").status_code == 405
    assert client.get("/v1/models").status_code == 200


def test_a_service_without_a_page_still_serves(tmp_path: Path) -> None:
    app = create_app(settings_for(tmp_path), models=FakeModels(), static=tmp_path / "nowhere")
    with client_of(app) as client:
        assert client.get("/").status_code == 404
        assert client.get("/v1/models").status_code == 200
