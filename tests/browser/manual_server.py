"""Serve the page with a real model for manual tests.

Run `python -m tests.browser.manual_server --model RUN` and open the address.
"""

import argparse
import threading

from tersely.completion.completer import Completer
from tersely.completion.suggestion import Keywords
from tests.browser.fake_service import FakeService, Json, suggestion


def from_model(path: str | None) -> FakeService:
    """Return a fake service whose responses come from a real model."""
    completer = Completer.load(path)
    lock = threading.Lock()

    def suggest(request: Json) -> list[Json]:
        with lock:
            completions = completer.complete(
                request["keywords"], request["n"], prefix=request["prefix"]
            )
        return [
            suggestion(request["keywords"], completion.text, score=completion.score)
            for completion in completions
        ]

    def choose(request: Json) -> Json:
        with lock:
            selected = completer.keywords(request["sentence"], request["budget"])
        return _as_response(request["sentence"], selected)

    return FakeService(suggest=suggest, choose_keywords=choose)


def _as_response(sentence: str, selected: Keywords) -> Json:
    tokens, end = [], 0
    rows = zip(selected.tokens, selected.keep, selected.probabilities, strict=True)
    for token, typed, keep in rows:
        found = sentence.lower().find(token, end)
        start = found if found >= 0 else end  # <shift> has no characters
        end = start + len(token) if found >= 0 else end
        tokens.append({"token": token, "keep": keep, "typed": typed, "start": start, "end": end})
    return {
        "keywords": selected.keywords,
        "tokens": tokens,
        "typed_characters": len(" ".join(selected.keywords)),
        "sentence_characters": len(sentence),
    }


def main() -> None:
    """Serve the page until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a run or model folder; without it, fixed patterns")
    parser.add_argument("--port", type=int, default=8099)
    arguments = parser.parse_args()
    service = from_model(arguments.model) if arguments.model else FakeService()
    with service.serving(arguments.port):
        print(service.url)
        threading.Event().wait()


if __name__ == "__main__":
    main()
