import asyncio

import pytest

from tersely.web.origins import OriginMiddleware, Site, host_name, is_ip_address, is_loopback
from tests.web.asgi import BASE_URL, EchoApp, error_code, request

JSON = {"Content-Type": "application/json"}
ALLOWED = "https://friend.example"
SITE = Site(origins=frozenset([ALLOWED]))
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


def checked(app: EchoApp | None = None) -> OriginMiddleware:
    return OriginMiddleware(app or EchoApp(), SITE, prefixes=["/v1/"])


@pytest.mark.promise(17)
@pytest.mark.parametrize("shape", FORGED)
def test_a_forged_write_is_refused(shape: str) -> None:
    echo = EchoApp()
    app, headers = checked(echo), FORGED[shape]
    for method in ("POST", "PUT", "DELETE"):
        response = asyncio.run(request(app, method, "/v1/memory", content="{}", headers=headers))
        assert response.status_code in (403, 415)
        assert error_code(response) in ("cross_site", "unknown_host", "not_json")
        assert "access-control-allow-origin" not in response.headers
    assert echo.bodies == []


@pytest.mark.parametrize(
    "headers",
    [
        JSON,
        {"Content-Type": "application/json; charset=utf-8"},
        {"Origin": BASE_URL, "Sec-Fetch-Site": "same-origin", **JSON},
        {"Sec-Fetch-Site": "none", **JSON},
        {"Host": "localhost:8765", "Origin": "http://localhost:8765", **JSON},
        {"Host": "[::1]:8765", "Origin": "http://[::1]:8765", **JSON},
    ],
)
def test_the_page_of_the_site_and_programs_may_write(headers: dict[str, str]) -> None:
    response = asyncio.run(request(checked(), "POST", "/v1/memory", content="{}", headers=headers))
    assert response.status_code == 200
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_other_sites_may_read_scripts_but_not_the_api(headers: dict[str, str]) -> None:
    app = checked()
    assert asyncio.run(request(app, "GET", "/v1/memory", headers=headers)).status_code == 403
    assert asyncio.run(request(app, "GET", "/tersely.js", headers=headers)).status_code == 200


def test_an_allowed_origin_may_send_requests_and_read_responses() -> None:
    headers = {"Origin": ALLOWED, "Sec-Fetch-Site": "cross-site", **JSON}
    response = asyncio.run(
        request(checked(), "POST", "/v1/complete", content="{}", headers=headers)
    )
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == ALLOWED
    assert "Origin" in response.headers["vary"]


@pytest.mark.parametrize(("origin", "status"), [(ALLOWED, 204), ("https://evil.example", 403)])
def test_a_preflight_is_granted_to_allowed_origins_only(origin: str, status: int) -> None:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    response = asyncio.run(request(checked(), "OPTIONS", "/v1/complete", headers=headers))
    assert response.status_code == status
    allowed = response.headers.get("access-control-allow-origin")
    assert allowed == (ALLOWED if status == 204 else None)
    if status == 204:
        assert "content-type" in response.headers["access-control-allow-headers"].lower()


def test_a_public_site_accepts_any_address_but_only_its_own_names() -> None:
    public = Site(hosts=frozenset(["tersely.example"]), any_address=True)
    assert public.is_own_host("192.168.1.7:8765")
    assert public.is_own_host("[2001:db8::7]:8765")
    assert public.is_own_host("Tersely.Example")
    assert not public.is_own_host("evil.example")
    assert not public.is_own_host("")
    assert not SITE.is_own_host("192.168.1.7:8765")


def test_a_host_name_has_no_port_and_no_capitals() -> None:
    names = {
        "localhost:80": "localhost",
        "[::1]:80": "[::1]",
        "LOCALHOST": "localhost",
        "[::1": "",
        "": "",
    }
    assert {header: host_name(header) for header in names} == names


def test_loopback_hosts_are_recognised() -> None:
    loopback = ["127.0.0.1", "127.1.2.3", "localhost", "LocalHost", "::1", "[::1]"]
    others = ["0.0.0.0", "::", "192.168.1.2", "localhost.example.org", "", "127.0.0.1.example.org"]
    assert [host for host in loopback + others if is_loopback(host)] == loopback


def test_an_ip_address_is_not_a_name() -> None:
    assert is_ip_address("[::1]")
    assert not is_ip_address("example.org")
