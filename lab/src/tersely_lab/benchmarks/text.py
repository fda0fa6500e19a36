"""`tersely bench text`: the speed of tokenising and of `prepare`, and text lost by tokenisers.

One core, the same sentences for all: our tokeniser, spaCy's blank English one and sacremoses, each
alone and each as the tokeniser within `prepare`. Rounds take turns, and seconds are processor
time, so that load from other processes favours none.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tersely.errors import UsageError
from tersely.text.tokens import detokenise, tokenise
from tersely_lab.benchmarks.command import print_results, sentences_or_fixture

Tokenise = Callable[[str], Any]
Detokenise = Callable[[Any], str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--sentences", type=Path, metavar="FILE", help="one per line (the fixture)")
    add("--limit", type=int, default=20_000, metavar="N", help="sentences (20000)")


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    sentences = sentences_or_fixture(args.sentences, args.limit)
    print_results(measure(sentences), render, as_json=args.json)


def measure(sentences: list[str], *, rounds: int = 5) -> dict[str, Any]:
    """Time the tokenisers in turns and count the sentences that each restores exactly."""
    tokenisers = _tokenisers()
    seconds: dict[str, list[float]] = {name: [] for name in tokenisers}
    for _ in range(rounds):
        for name, (tokenise_one, _restore, _restore_plain) in tokenisers.items():
            seconds[name].append(_seconds(tokenise_one, sentences))
    rows = {}
    for name, (tokenise_one, restore, restore_plain) in tokenisers.items():
        pairs = [(text, tokenise_one(text)) for text in sentences]
        rows[name] = {
            "sentences_per_second": round(len(sentences) / statistics.median(seconds[name])),
            "sentences_per_second_first_round": round(len(sentences) / seconds[name][0]),
            "restored": sum(restore(tokens) == text for text, tokens in pairs),
            "restored_from_tokens_alone": sum(
                restore_plain(tokens) == text for text, tokens in pairs
            ),
        }
    return {
        "sentences": len(sentences),
        "rounds": rounds,
        "tokenising": rows,
        "prepare": _prepare_rates(sentences, {name: row[0] for name, row in tokenisers.items()}),
        "times_as_fast_as": {
            name: round(rows["tersely"]["sentences_per_second"] / row["sentences_per_second"], 2)
            for name, row in rows.items()
            if name != "tersely"
        },
    }


def render(results: dict[str, Any]) -> str:
    """Lay out the results."""
    count = results["sentences"]
    lines = [
        f"{count:,} sentences, one core, median of {results['rounds']} rounds",
        "",
        f"{'':<12}{'sentences/s':>12}{'first round':>13}{'restored':>11}{'tokens alone':>14}",
    ]
    for name, row in results["tokenising"].items():
        lines.append(
            f"{name:<12}{row['sentences_per_second']:>12,}"
            f"{row['sentences_per_second_first_round']:>13,}{row['restored'] / count:>11.3%}"
            f"{row['restored_from_tokens_alone'] / count:>14.3%}"
        )
    lines += ["", "all of prepare, with each as its tokeniser"]
    lines += [f"{name:<17}{rate:>7,}" for name, rate in results["prepare"].items()]
    ratios = ", ".join(f"{n} × {name}" for name, n in results["times_as_fast_as"].items())
    return "\n".join([*lines, "", f"tersely's tokeniser: {ratios}"])


def _tokenisers() -> dict[str, tuple[Tokenise, Detokenise, Detokenise]]:
    """Return tokenisers with their inverses: of their result, and of bare token strings."""
    try:
        import spacy
        from sacremoses import MosesDetokenizer, MosesTokenizer
        from spacy.tokens import Doc
    except ImportError as error:
        raise UsageError(
            f'{error.name} is not installed. Try: pip install "tersely[bench]"'
        ) from error
    english = spacy.blank("en")
    moses, unmoses = MosesTokenizer("en"), MosesDetokenizer("en")
    return {
        "tersely": (tokenise, detokenise, lambda tokenised: detokenise(tokenised.tokens)),
        "spaCy": (
            english.tokenizer,
            lambda document: str(document.text),
            lambda document: str(Doc(english.vocab, words=[t.text for t in document]).text).strip(),
        ),
        "sacremoses": (
            lambda sentence: moses.tokenize(sentence, escape=False),
            lambda tokens: str(unmoses.detokenize(tokens, unescape=False)),
            lambda tokens: str(unmoses.detokenize(tokens, unescape=False)),
        ),
    }


def _seconds(tokenise_one: Tokenise, sentences: list[str]) -> float:
    start = time.process_time()
    for sentence in sentences:
        tokenise_one(sentence)
    return time.process_time() - start


def _prepare_rates(sentences: list[str], tokenisers: dict[str, Tokenise]) -> dict[str, int]:
    """Return the sentences per second of `prepare` with each tokeniser in it.

    `prepare` checks that each sentence can be restored, which only works for our tokeniser. So
    all are timed without the check, and ours also with it.
    """
    rates = {}
    _prepare_rate(sentences[:100], tokenise, check=True)  # warm-up
    for name, tokenise_one in tokenisers.items():
        rates[name] = _prepare_rate(sentences, tokenise_one, check=False)
    return {**rates, "tersely, checked": _prepare_rate(sentences, tokenise, check=True)}


def _prepare_rate(sentences: list[str], tokenise_one: Tokenise, *, check: bool) -> int:
    """Return the sentences per second of `prepare` in this process alone."""
    from unittest.mock import patch

    from tersely.corpus import prepare as preparation
    from tersely.corpus.prepare import PrepareSettings, Source, prepare
    from tersely.text.tokens import Tokenised

    def replacement(sentence: str) -> Tokenised:
        result = tokenise_one(sentence)
        if isinstance(result, Tokenised):
            return result
        return Tokenised([str(token) for token in result])

    class Silent:
        def phase(self, name: str) -> None:
            pass

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(preparation, "tokenise", replacement),
        patch.object(preparation, "detokenise", detokenise if check else lambda tokenised: ""),
    ):
        start = time.process_time()
        prepare(
            {"all": Source(["benchmark"], lambda _: sentences)},
            Path(folder) / "out",
            PrepareSettings(processes=1),
            progress=Silent(),
        )
        return round(len(sentences) / (time.process_time() - start))
