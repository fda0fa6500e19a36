import asyncio
from pathlib import Path

from tersely.completion.completer import Completer
from tersely_lab.benchmarks.serve.baseline import baseline_app
from tests.web.asgi import request


def test_the_baseline_returns_the_suggestions_of_the_library(trained: Path) -> None:
    completer = Completer.load(trained)
    app = baseline_app(completer)
    answer = asyncio.run(request(app, "POST", "/v1/complete", json={"keywords": "soup", "n": 2}))
    texts = [suggestion["text"] for suggestion in answer.json()["suggestions"]]
    assert texts == [suggestion.text for suggestion in completer.complete("soup", 2)]
    assert asyncio.run(request(app, "POST", "/empty", json={"keywords": "x"})).status_code == 200
