from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tersely.service.app import create_app
from tests.service.services import client_for, settings_for
from tests.web.asgi import error_code

SENTENCE = "I will be ten minutes late, as always."


@pytest.fixture
def client(trained: Path, tmp_path: Path) -> Iterator[TestClient]:
    """A private service with a new memory."""
    with client_for(create_app(settings_for(tmp_path, model=str(trained)))) as client:
        yield client


def switch(client: TestClient, *, on: bool) -> None:
    response = client.put("/v1/memory", json={"on": on})
    assert response.json() == {"available": True, "on": on}


def remembered_texts(client: TestClient, keywords: str) -> list[str]:
    response = client.post("/v1/complete", json={"keywords": keywords}).json()
    return [item["text"] for item in response["suggestions"] if item["source"] == "memory"]


@pytest.mark.promise(22)
def test_nothing_is_remembered_until_it_is_switched_on(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/v1/settings").json()["memory"] == {"available": True, "on": False}
    response = client.post("/v1/memory", json={"text": SENTENCE})
    assert (response.status_code, error_code(response)) == (409, "memory_off")
    client.post("/v1/complete", json={"keywords": "late"})
    assert client.get("/v1/memory").json() == {"sentences": [], "total": 0}
    assert client.get("/v1/memory/export").text == ""
    assert client.request("DELETE", "/v1/memory", json={"all": True}).json() == {"forgotten": 0}
    switch(client, on=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise(22)
def test_a_remembered_sentence_is_suggested_and_stored_in_one_private_file(
    client: TestClient, tmp_path: Path
) -> None:
    switch(client, on=True)
    assert remembered_texts(client, "ten late") == []
    assert client.post("/v1/memory", json={"text": SENTENCE}).status_code == 200
    assert remembered_texts(client, "ten late") == [SENTENCE]
    (listed,) = client.get("/v1/memory").json()["sentences"]
    assert (listed["text"], listed["times"]) == (SENTENCE, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]
    assert (tmp_path / "memory.db").stat().st_mode & 0o077 == 0


def test_a_memory_that_is_off_neither_suggests_nor_forgets(client: TestClient) -> None:
    switch(client, on=True)
    client.post("/v1/memory", json={"text": SENTENCE})
    switch(client, on=False)
    assert remembered_texts(client, "ten late") == []
    assert client.get("/v1/memory").json()["total"] == 1
    switch(client, on=True)
    assert remembered_texts(client, "ten late") == [SENTENCE]


def test_a_restart_keeps_the_switch(trained: Path, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, model=str(trained))
    with client_for(create_app(settings)) as first:
        switch(first, on=True)
    with client_for(create_app(settings)) as second:
        assert second.get("/v1/settings").json()["memory"]["on"] is True


def test_sentences_are_searched_counted_exported_and_forgotten(client: TestClient) -> None:
    switch(client, on=True)
    for text in (SENTENCE, "See you\ntomorrow.", SENTENCE, "See you soon."):
        client.post("/v1/memory", json={"text": text})
    listed = client.get("/v1/memory", params={"search": "SEE", "limit": 1}).json()
    assert [item["text"] for item in listed["sentences"]] == ["See you soon."]
    assert listed["total"] == 3
    exported = client.get("/v1/memory/export")
    assert exported.text == f"{SENTENCE}\nSee you tomorrow.\nSee you soon.\n"
    assert exported.headers["content-type"].startswith("text/plain")
    assert exported.headers["content-disposition"].startswith("attachment")
    forget = {"text": SENTENCE}
    assert client.request("DELETE", "/v1/memory", json=forget).json() == {"forgotten": 1}
    assert client.request("DELETE", "/v1/memory", json=forget).json() == {"forgotten": 0}
    assert remembered_texts(client, "ten late") == []
    assert client.request("DELETE", "/v1/memory", json={"all": True}).json() == {"forgotten": 2}
    assert client.get("/v1/memory").json()["total"] == 0


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("POST", {"text": ""}),
        ("POST", {"text": " \n "}),
        ("POST", {"text": "x" * 1001}),
        ("DELETE", {"all": False}),
        ("DELETE", {}),
        ("DELETE", {"all": True, "text": "x"}),
        ("PUT", {"on": "yes"}),
        ("PUT", {}),
    ],
)
def test_invalid_bodies_are_refused(client: TestClient, method: str, body: dict[str, Any]) -> None:
    switch(client, on=True)
    response = client.request(method, "/v1/memory", json=body)
    assert (response.status_code, error_code(response)) == (422, "invalid")


REACHABLE: dict[str, dict[str, Any]] = {
    "everyone may": {"host": "0.0.0.0", "open_to_all": True},
    "with a token": {
        "host": "0.0.0.0",
        "token": "correct horse battery",
        "allow_origin": ("https://friend.example",),
    },
    "through a proxy": {"trust_proxy": ("127.0.0.1",)},
    "by a name": {"allow_host": ("tersely.example",)},
    "by pages of another site": {"allow_origin": ("https://friend.example",)},
}


@pytest.mark.promise(22)
@pytest.mark.parametrize("access", REACHABLE)
def test_a_service_that_others_can_reach_has_no_memory(
    access: str, trained: Path, tmp_path: Path
) -> None:
    # Not even a memory that was switched on while the service was private.
    with client_for(create_app(settings_for(tmp_path, model=str(trained)))) as private:
        switch(private, on=True)
        private.post("/v1/memory", json={"text": SENTENCE})
    settings = settings_for(tmp_path, model=str(trained), **REACHABLE[access])
    with client_for(create_app(settings)) as client:
        client.headers["Authorization"] = "Bearer correct horse battery"
        assert client.get("/v1/settings").json()["memory"] == {"available": False, "on": False}
        assert remembered_texts(client, "ten late") == []
        responses = [
            client.put("/v1/memory", json={"on": True}),
            client.get("/v1/memory"),
            client.get("/v1/memory/export"),
            client.post("/v1/memory", json={"text": "x"}),
            client.request("DELETE", "/v1/memory", json={"all": True}),
        ]
        assert [(response.status_code, error_code(response)) for response in responses] == [
            (403, "memory_unavailable")
        ] * 5


@pytest.mark.promise(17)
def test_no_page_of_another_site_reads_or_changes_the_memory(client: TestClient) -> None:
    switch(client, on=True)
    client.post("/v1/memory", json={"text": SENTENCE})
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for method, body in [
            ("PUT", {"on": False}),
            ("POST", {"text": "x"}),
            ("DELETE", {"all": True}),
        ]:
            response = client.request(method, "/v1/memory", json=body, headers=headers)
            assert (response.status_code, error_code(response)) == (403, "cross_site")
        assert client.get("/v1/memory", headers=headers).status_code == 403
    assert client.get("/v1/memory").json()["total"] == 1
