"""How fast is text handled, and is any of it lost?

One run, one core, the same sentences for all: tersely's tokeniser, spaCy's blank
English one and sacremoses, each alone and each as the tokeniser within `prepare`.
Rounds take turns, and seconds are the processor's, so that a busy machine does not
favour one.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tersely.errors import UsageError
from tersely.text.tokens import detokenise, tokenise

Tokenise = Callable[[str], Any]


def measure(sentences: list[str], *, rounds: int = 5) -> dict[str, Any]:
    """Time the tokenisers in turns and count the sentences each gives back exactly."""
    tokenisers = _tokenisers()
    seconds: dict[str, list[float]] = {name: [] for name in tokenisers}
    for _ in range(rounds):
        for name, (run, _restored, _plain) in tokenisers.items():
            seconds[name].append(_seconds(run, sentences))
    rows = {}
    for name, (run, restored, plain) in tokenisers.items():
        found = [(sentence, run(sentence)) for sentence in sentences]
        rows[name] = {
            "sentences_per_second": round(len(sentences) / statistics.median(seconds[name])),
            "sentences_per_second_first_round": round(len(sentences) / seconds[name][0]),
            "restored": sum(restored(made) == sentence for sentence, made in found),
            "restored_from_tokens_alone": sum(plain(made) == sentence for sentence, made in found),
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


def read_sentences(path: Path | None, limit: int) -> list[str]:
    """Take the sentences of a file, one a line, or of the fixture."""
    if path is None:
        from tersely.corpus.fixture import fixture_sentences

        return list(fixture_sentences(limit))
    try:
        with path.open(encoding="utf-8") as file:
            lines = [line.rstrip("\n") for _, line in zip(range(limit), file, strict=False)]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as UTF-8 text ({error}).") from error
    if not lines:
        raise UsageError(f"{path}: empty; one sentence a line is needed.")
    return lines


def render(results: dict[str, Any]) -> str:
    """Show the results as a table."""
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
    faster = ", ".join(f"{n} × {name}" for name, n in results["times_as_fast_as"].items())
    return "\n".join([*lines, "", f"tersely's tokeniser: {faster}"])


def _tokenisers() -> dict[str, tuple[Tokenise, Callable[[Any], str], Callable[[Any], str]]]:
    """How each tokenises, how it restores its result, and how from bare token strings."""
    try:
        import spacy
        from sacremoses import MosesDetokenizer, MosesTokenizer
        from spacy.tokens import Doc
    except ImportError as error:
        raise UsageError(
            f'{error.name} is not installed. Try: pip install "tersely-lab[peers]"'
        ) from error
    english = spacy.blank("en")
    moses, unmoses = MosesTokenizer("en"), MosesDetokenizer("en")
    return {
        "tersely": (tokenise, detokenise, lambda made: detokenise(made.tokens)),
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


def _seconds(run: Tokenise, sentences: list[str]) -> float:
    start = time.process_time()
    for sentence in sentences:
        run(sentence)
    return time.process_time() - start


def _prepare_rates(sentences: list[str], tokenisers: dict[str, Tokenise]) -> dict[str, int]:
    """Sentences a second through all of prepare, with each tokeniser in it.

    prepare checks that each sentence can be restored. What another's tokeniser returns is
    not ours to undo, so all go without that check; ours is also timed with it.
    """
    rates = {}
    _prepare_rate(sentences[:100], tokenise, check=True)  # what is loaded once is loaded now
    for name, run in tokenisers.items():
        rates[name] = _prepare_rate(sentences, run, check=False)
    return {**rates, "tersely, checked": _prepare_rate(sentences, tokenise, check=True)}


def _prepare_rate(sentences: list[str], run: Tokenise, *, check: bool) -> int:
    """Sentences a second through all of prepare, in this process alone."""
    from unittest.mock import patch

    from tersely.corpus import prepare as preparation
    from tersely.corpus.prepare import PrepareSettings, Source, prepare
    from tersely.text.tokens import Tokenised

    def cut(sentence: str) -> Any:
        made = run(sentence)
        return made if isinstance(made, Tokenised) else Tokenised([str(token) for token in made])

    class Silent:
        def phase(self, name: str) -> None:
            pass

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(preparation, "tokenise", cut),
        patch.object(preparation, "detokenise", detokenise if check else lambda made: ""),
    ):
        start = time.process_time()
        prepare(
            {"all": Source(["benchmark"], lambda _: sentences)},
            Path(folder) / "out",
            PrepareSettings(processes=1),
            progress=Silent(),
        )
        return round(len(sentences) / (time.process_time() - start))
