import asyncio

from fastapi import FastAPI

from tersely.web.errors import install_error_handlers
from tersely.web.observing import Exchange, Observed
from tests.web.asking import ask


def observed(seen: list[Exchange]) -> Observed:
    app = FastAPI()
    install_error_handlers(app)

    @app.get("/things/{name}")
    def thing(name: str) -> str:
        if name == "broken":
            raise ValueError(name)
        return name

    return Observed(app, seen.append)


def test_an_exchange_is_told_by_its_route_not_by_its_path() -> None:
    seen: list[Exchange] = []
    asyncio.run(ask(observed(seen), "GET", "/things/secret?and=more"))
    (exchange,) = seen
    assert (exchange.method, exchange.route, exchange.status) == ("GET", "/things/{name}", 200)
    assert 0 < exchange.seconds < 10
    assert "secret" not in repr(exchange)


def test_what_no_route_takes_is_told_without_its_path() -> None:
    seen: list[Exchange] = []
    asyncio.run(ask(observed(seen), "SECRET", "/secret"))
    assert "secret" not in repr(seen).lower()
    assert seen[0].status == 404


def test_a_failure_is_told_as_500() -> None:
    seen: list[Exchange] = []
    asyncio.run(ask(observed(seen), "GET", "/things/broken"))
    assert [exchange.status for exchange in seen] == [500]
