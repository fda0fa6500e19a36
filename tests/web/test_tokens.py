import asyncio

import pytest

from tersely.web.tokens import AccessToken
from tests.web.asking import Echo, ask, client, problem

TOKEN = "correct horse battery staple"


@pytest.fixture
def app() -> AccessToken:
    return AccessToken(Echo(), TOKEN, below=["/v1/"])


@pytest.mark.parametrize("kind", ["Bearer", "bearer"])
def test_who_shows_the_token_is_served(app: AccessToken, kind: str) -> None:
    answer = asyncio.run(
        ask(app, "GET", "/v1/models", headers={"Authorization": f"{kind} {TOKEN}"})
    )
    assert answer.status_code == 200


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
def test_who_does_not_is_not(app: AccessToken, headers: dict[str, str]) -> None:
    answer = asyncio.run(ask(app, "GET", "/v1/models", headers=headers))
    assert (answer.status_code, problem(answer)) == (401, "unauthorised")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_other_paths_need_none(app: AccessToken) -> None:
    assert asyncio.run(ask(app, "GET", "/healthz")).status_code == 200


def test_a_browser_is_let_in_once_and_then_known_by_its_cookie(app: AccessToken) -> None:
    async def visit() -> None:
        async with client(app) as browser:
            let_in = await browser.get("/", params={"token": TOKEN})
            assert (let_in.status_code, let_in.headers["location"]) == (303, "/")
            cookie = let_in.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            assert TOKEN not in cookie
            assert (await browser.get("/v1/models")).status_code == 200

    asyncio.run(visit())


def test_a_wrong_token_lets_nobody_in(app: AccessToken) -> None:
    answer = asyncio.run(ask(app, "GET", "/?token=guess"))
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
