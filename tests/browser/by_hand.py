"""The page tried by hand: `python -m tests.browser.by_hand --model RUN`, then open the address."""

import argparse
import threading

from tersely.completion.completer import Completer, Keywords
from tests.browser.standin import Reply, StandIn, suggestion


def from_model(path: str) -> StandIn:
    """A stand-in that answers with a real model."""
    completer = Completer.load(path)
    turn = threading.Lock()

    def suggest(question: Reply) -> list[Reply]:
        with turn:
            found = completer.complete(
                question["keywords"], question["n"], prefix=question["prefix"]
            )
        return [suggestion(question["keywords"], one.text, score=one.score) for one in found]

    def choose(question: Reply) -> Reply:
        with turn:
            chosen = completer.keywords(question["sentence"], question["budget"])
        return _placed(question["sentence"], chosen)

    return StandIn(suggest=suggest, choose_keywords=choose)


def _placed(sentence: str, chosen: Keywords) -> Reply:
    tokens, start = [], 0
    rows = zip(chosen.tokens, chosen.keep, chosen.probabilities, strict=True)
    for token, typed, keep in rows:
        at = sentence.lower().find(token, start)
        end = at + len(token) if at >= 0 else start
        place = {"start": max(at, 0) if at >= 0 else start, "end": end}
        tokens.append({"token": token, "keep": keep, "typed": typed, **place})
        start = end
    return {
        "keywords": chosen.keywords,
        "tokens": tokens,
        "typed_characters": len(" ".join(chosen.keywords)),
        "sentence_characters": len(sentence),
    }


def main() -> None:
    """Serve the page by hand until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a run or model folder; patterns without one")
    parser.add_argument("--port", type=int, default=8099)
    arguments = parser.parse_args()
    standin = from_model(arguments.model) if arguments.model else StandIn()
    with standin.serving(arguments.port):
        print(standin.url)
        threading.Event().wait()


if __name__ == "__main__":
    main()
