import asyncio

from tersely.completion.completer import Completer
from tersely_lab.benchmarks.plain_service import plain_app
from tests.web.asgi import request


def test_it_answers_with_the_librarys_suggestions(trained) -> None:
    completer = Completer.load(trained)
    app = plain_app(completer)
    answer = asyncio.run(request(app, "POST", "/v1/complete", json={"keywords": "soup", "n": 2}))
    texts = [one["text"] for one in answer.json()["suggestions"]]
    assert texts == [one.text for one in completer.complete("soup", 2)]
    assert asyncio.run(request(app, "POST", "/empty", json={"keywords": "x"})).status_code == 200
