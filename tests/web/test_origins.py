import asyncio

import pytest

from tersely.web.origins import Origins, Site, host_name
from tests.web.asking import HOME, Echo, ask, problem

JSON = {"Content-Type": "application/json"}
FRIEND = "https://friend.example"
SITE = Site(origins=frozenset([FRIEND]))
FORGED = {
    "form": {"Origin": "https://evil.example", "Content-Type": "application/x-www-form-urlencoded"},
    "plain text form": {"Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site"},
    "upload form": {"Content-Type": "multipart/form-data; boundary=x"},
    "fetch with JSON": {"Origin": "https://evil.example", **JSON},
    "opaque origin": {"Origin": "null", **JSON},
    "without origin": {"Sec-Fetch-Site": "cross-site", **JSON},
    "sibling site": {"Sec-Fetch-Site": "same-site", **JSON},
    "other port": {"Origin": "http://127.0.0.1:9999", **JSON},
    "other scheme": {"Origin": "https://127.0.0.1:8765", **JSON},
    "rebound name": {"Host": "evil.example:8765", "Origin": "http://evil.example:8765", **JSON},
    "name that begins alike": {"Origin": "http://127.0.0.1:8765.evil.example", **JSON},
    "allowed name as a part": {"Origin": "https://friend.example.evil.example", **JSON},
}


@pytest.mark.promise(17)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize("shape", FORGED)
def test_a_forged_write_is_refused(shape: str, method: str) -> None:
    app = Echo()
    guarded = Origins(app, SITE, below=["/v1/"])
    answer = asyncio.run(ask(guarded, method, "/v1/memory", content="{}", headers=FORGED[shape]))
    assert answer.status_code in (403, 415)
    assert problem(answer) in ("cross_site", "unknown_host", "not_json")
    assert "access-control-allow-origin" not in answer.headers
    assert app.bodies == []


@pytest.mark.parametrize(
    "headers",
    [
        JSON,
        {"Content-Type": "application/json; charset=utf-8"},
        {"Origin": HOME, "Sec-Fetch-Site": "same-origin", **JSON},
        {"Sec-Fetch-Site": "none", **JSON},
        {"Host": "localhost:8765", "Origin": "http://localhost:8765", **JSON},
        {"Host": "[::1]:8765", "Origin": "http://[::1]:8765", **JSON},
    ],
)
def test_own_pages_and_programs_may_write(headers: dict[str, str]) -> None:
    guarded = Origins(Echo(), SITE, below=["/v1/"])
    answer = asyncio.run(ask(guarded, "POST", "/v1/memory", content="{}", headers=headers))
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_other_sites_may_read_scripts_but_not_answers(headers: dict[str, str]) -> None:
    guarded = Origins(Echo(), SITE, below=["/v1/"])
    assert asyncio.run(ask(guarded, "GET", "/v1/memory", headers=headers)).status_code == 403
    assert asyncio.run(ask(guarded, "GET", "/tersely.js", headers=headers)).status_code == 200


def test_an_allowed_origin_may_ask_and_read() -> None:
    guarded = Origins(Echo(), SITE, below=["/v1/"])
    headers = {"Origin": FRIEND, "Sec-Fetch-Site": "cross-site", **JSON}
    answer = asyncio.run(ask(guarded, "POST", "/v1/complete", content="{}", headers=headers))
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == FRIEND
    assert "Origin" in answer.headers["vary"]


@pytest.mark.parametrize(("origin", "status"), [(FRIEND, 204), ("https://evil.example", 403)])
def test_a_browser_is_told_whether_it_may_ask(origin: str, status: int) -> None:
    guarded = Origins(Echo(), SITE, below=["/v1/"])
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    answer = asyncio.run(ask(guarded, "OPTIONS", "/v1/complete", headers=headers))
    assert answer.status_code == status
    allowed = answer.headers.get("access-control-allow-origin")
    assert allowed == (FRIEND if status == 204 else None)
    if status == 204:
        assert "content-type" in answer.headers["access-control-allow-headers"].lower()


def test_addresses_go_where_names_must_be_known() -> None:
    wide = Site(hosts=frozenset(["tersely.example"]), any_address=True)
    assert wide.is_own_host("192.168.1.7:8765")
    assert wide.is_own_host("[2001:db8::7]:8765")
    assert wide.is_own_host("Tersely.Example")
    assert not wide.is_own_host("evil.example")
    assert not wide.is_own_host("")
    assert not SITE.is_own_host("192.168.1.7:8765")


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost:80", "localhost"),
        ("[::1]:80", "[::1]"),
        ("LOCALHOST", "localhost"),
        ("[::1", ""),
        ("", ""),
    ],
)
def test_a_host_is_read_without_its_port(header: str, name: str) -> None:
    assert host_name(header) == name
