from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tersely.service.app import create_app
from tests.service.serving import client_of, settings_for
from tests.web.asking import problem

SENTENCE = "I will be ten minutes late, as always."


@pytest.fixture
def own(trained: Path, tmp_path: Path) -> Iterator[TestClient]:
    """A service of one person, with a fresh memory."""
    with client_of(create_app(settings_for(tmp_path, model=str(trained)))) as client:
        yield client


def switch(client: TestClient, on: bool) -> None:
    answer = client.put("/v1/memory", json={"on": on})
    assert answer.json() == {"available": True, "on": on}


def texts(client: TestClient, keywords: str) -> list[str]:
    answer = client.post("/v1/complete", json={"keywords": keywords}).json()
    return [one["text"] for one in answer["suggestions"] if one["source"] == "memory"]


@pytest.mark.promise(22)
def test_nothing_is_remembered_until_it_is_switched_on(own: TestClient, tmp_path: Path) -> None:
    assert own.get("/v1/settings").json()["memory"] == {"available": True, "on": False}
    answer = own.post("/v1/memory", json={"text": SENTENCE})
    assert (answer.status_code, problem(answer)) == (409, "memory_off")
    own.post("/v1/complete", json={"keywords": "late"})
    assert own.get("/v1/memory").json() == {"sentences": [], "total": 0}
    assert own.get("/v1/memory/export").text == ""
    assert own.request("DELETE", "/v1/memory", json={"all": True}).json() == {"forgotten": 0}
    switch(own, False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise(22)
def test_what_is_remembered_comes_back_from_one_local_file(own: TestClient, tmp_path: Path) -> None:
    switch(own, True)
    assert texts(own, "ten late") == []
    assert own.post("/v1/memory", json={"text": SENTENCE}).status_code == 200
    assert texts(own, "ten late") == [SENTENCE]
    (listed,) = own.get("/v1/memory").json()["sentences"]
    assert (listed["text"], listed["times"]) == (SENTENCE, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]
    assert (tmp_path / "memory.db").stat().st_mode & 0o077 == 0


def test_off_neither_suggests_nor_forgets(own: TestClient) -> None:
    switch(own, True)
    own.post("/v1/memory", json={"text": SENTENCE})
    switch(own, False)
    assert texts(own, "ten late") == []
    assert own.get("/v1/memory").json()["total"] == 1
    switch(own, True)
    assert texts(own, "ten late") == [SENTENCE]


def test_a_restart_keeps_the_switch(trained: Path, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, model=str(trained))
    with client_of(create_app(settings)) as first:
        switch(first, True)
    with client_of(create_app(settings)) as second:
        assert second.get("/v1/settings").json()["memory"]["on"] is True


def test_sentences_are_searched_counted_exported_and_forgotten(own: TestClient) -> None:
    switch(own, True)
    for text in (SENTENCE, "See you\ntomorrow.", SENTENCE, "See you soon."):
        own.post("/v1/memory", json={"text": text})
    found = own.get("/v1/memory", params={"search": "SEE", "limit": 1}).json()
    assert [one["text"] for one in found["sentences"]] == ["See you soon."]
    assert found["total"] == 3
    exported = own.get("/v1/memory/export")
    assert exported.text == f"{SENTENCE}\nSee you tomorrow.\nSee you soon.\n"
    assert exported.headers["content-type"].startswith("text/plain")
    assert exported.headers["content-disposition"].startswith("attachment")
    forget = {"text": SENTENCE}
    assert own.request("DELETE", "/v1/memory", json=forget).json() == {"forgotten": 1}
    assert own.request("DELETE", "/v1/memory", json=forget).json() == {"forgotten": 0}
    assert texts(own, "ten late") == []
    assert own.request("DELETE", "/v1/memory", json={"all": True}).json() == {"forgotten": 2}
    assert own.get("/v1/memory").json()["total"] == 0


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
def test_what_makes_no_sense_is_refused(own: TestClient, method: str, body: dict) -> None:
    switch(own, True)
    answer = own.request(method, "/v1/memory", json=body)
    assert (answer.status_code, problem(answer)) == (422, "invalid")


REACHABLE = {
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
@pytest.mark.parametrize("how", REACHABLE)
def test_a_service_that_others_can_reach_remembers_nothing(
    how: str, trained: Path, tmp_path: Path
) -> None:
    # A memory that was switched on before, by the person alone, is not to be had either.
    with client_of(create_app(settings_for(tmp_path, model=str(trained)))) as alone:
        switch(alone, True)
        alone.post("/v1/memory", json={"text": SENTENCE})
    settings = settings_for(tmp_path, model=str(trained), **REACHABLE[how])
    with client_of(create_app(settings)) as client:
        client.headers["Authorization"] = "Bearer correct horse battery"
        assert client.get("/v1/settings").json()["memory"] == {"available": False, "on": False}
        assert texts(client, "ten late") == []
        answers = [
            client.put("/v1/memory", json={"on": True}),
            client.get("/v1/memory"),
            client.get("/v1/memory/export"),
            client.post("/v1/memory", json={"text": "x"}),
            client.request("DELETE", "/v1/memory", json={"all": True}),
        ]
        assert [(answer.status_code, problem(answer)) for answer in answers] == [
            (403, "memory_unavailable")
        ] * 5


@pytest.mark.promise(17)
def test_no_page_of_another_site_changes_the_memory(own: TestClient) -> None:
    switch(own, True)
    own.post("/v1/memory", json={"text": SENTENCE})
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for method, body in [
            ("PUT", {"on": False}),
            ("POST", {"text": "x"}),
            ("DELETE", {"all": True}),
        ]:
            answer = own.request(method, "/v1/memory", json=body, headers=headers)
            assert (answer.status_code, problem(answer)) == (403, "cross_site")
        assert own.get("/v1/memory", headers=headers).status_code == 403
    assert own.get("/v1/memory").json()["total"] == 1
