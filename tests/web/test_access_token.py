import asyncio

import pytest

from tersely.web.access_token import AccessTokenMiddleware
from tests.web.asgi import EchoApp, client_for, error_code, request

TOKEN = "correct horse battery staple"


@pytest.fixture
def app() -> AccessTokenMiddleware:
    return AccessTokenMiddleware(EchoApp(), TOKEN, prefixes=["/v1/"])


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_a_request_with_the_token_is_served(app: AccessTokenMiddleware, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {TOKEN}"}
    response = asyncio.run(request(app, "GET", "/v1/models", headers=headers))
    assert response.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Cookie": f"tersely={TOKEN}"},
        {"Cookie": "tersely=\x01;;;="},
        {"Cookie": "tersely="},
    ],
)
def test_a_request_without_the_token_is_refused(
    app: AccessTokenMiddleware, headers: dict[str, str]
) -> None:
    response = asyncio.run(request(app, "GET", "/v1/models", headers=headers))
    assert (response.status_code, error_code(response)) == (401, "unauthorised")
    assert response.headers["www-authenticate"] == "Bearer"


def test_other_paths_need_no_token(app: AccessTokenMiddleware) -> None:
    assert asyncio.run(request(app, "GET", "/healthz")).status_code == 200


def test_a_browser_gets_a_cookie_for_the_token(app: AccessTokenMiddleware) -> None:
    async def visit() -> None:
        async with client_for(app) as browser:
            login = await browser.get("/", params={"token": TOKEN})
            assert (login.status_code, login.headers["location"]) == (303, "/")
            cookie = login.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            assert TOKEN not in cookie
            assert (await browser.get("/v1/models")).status_code == 200

    asyncio.run(visit())


def test_a_wrong_token_gets_no_cookie(app: AccessTokenMiddleware) -> None:
    response = asyncio.run(request(app, "GET", "/?token=guess"))
    assert response.status_code == 401
    assert "set-cookie" not in response.headers
