import asyncio
from pathlib import Path

from tersely.completion.completer import Completer
from tersely_lab.benchmarks.serve.baseline import baseline_app
from tests.web.asgi import request


def test_it_answers_with_the_librarys_suggestions(trained: Path) -> None:
    completer = Completer.load(trained)
    app = baseline_app(completer)
    answer = asyncio.run(request(app, "POST", "/v1/complete", json={"keywords": "soup", "n": 2}))
    texts = [suggestion["text"] for suggestion in answer.json()["suggestions"]]
    assert texts == [suggestion.text for suggestion in completer.complete("soup", 2)]
    assert asyncio.run(request(app, "POST", "/empty", json={"keywords": "x"})).status_code == 200
