"""Which sentence segmenter? Quality on review-like passages, and speed.

Every library finds the same passages (segmentation_cases.txt, whose opening
says what counts as a boundary) and is scored on the boundaries inside them; its
last one is never in doubt. A boundary is the number of characters before it,
white space apart, so that libraries may trim and join as they like. The row
"tersely" is what tersely.text.sentences does with the best of them.
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata, resources
from typing import Any

HALVES = ("dev", "test")
_MARK = "¦"
_REVIEW_SENTENCES = 8

Segmenter = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Case:
    """A passage, the sentences it consists of, and why it is hard."""

    half: str
    kind: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The passage as its writer left it."""
        return "".join(self.sentences)


def _tersely() -> Segmenter:
    split: Segmenter = import_module("tersely.text.sentences").split_sentences
    return split


def _sentencex() -> Segmenter:
    return partial(import_module("sentencex").segment, "en")


def _nupunkt() -> Segmenter:
    split: Segmenter = import_module("nupunkt").sent_tokenize
    return split


def _syntok() -> Segmenter:
    process = import_module("syntok.segmenter").process

    def split(text: str) -> list[str]:
        return [
            "".join(token.spacing + token.value for token in sentence)
            for paragraph in process(text)
            for sentence in paragraph
        ]

    return split


def _pysbd() -> Segmenter:
    split: Segmenter = import_module("pysbd").Segmenter(language="en", clean=False).segment
    return split


def _blingfire() -> Segmenter:
    text_to_sentences = import_module("blingfire").text_to_sentences
    return lambda text: text_to_sentences(text).split("\n")


def _sentence_splitter() -> Segmenter:
    split: Segmenter = import_module("sentence_splitter").SentenceSplitter(language="en").split
    return split


def _spacy() -> Segmenter:
    pipeline = import_module("spacy").blank("en")
    pipeline.add_pipe("sentencizer")
    return lambda text: [sentence.text for sentence in pipeline(text).sents]


def _nltk() -> Segmenter:
    split: Segmenter = import_module("nltk").sent_tokenize
    split("Its data is apart.")  # raises LookupError where only the code is installed
    return split


# The name on PyPI → how to get its segmenter.
CANDIDATES: dict[str, Callable[[], Segmenter]] = {
    "tersely": _tersely,
    "sentencex": _sentencex,
    "syntok": _syntok,
    "pysbd": _pysbd,
    "nupunkt": _nupunkt,
    "sentence-splitter": _sentence_splitter,
    "blingfire": _blingfire,
    "spacy": _spacy,
    "nltk": _nltk,
}


def read_cases() -> list[Case]:
    """Return the passages in file order."""
    source = resources.files("tersely_lab.benchmarks").joinpath("segmentation_cases.txt")
    cases = []
    for entry in source.read_text(encoding="utf-8").split("\n== ")[1:]:
        head, _, passage = entry.partition("\n")
        half, kind = head.split()
        cases.append(Case(half, kind, tuple(passage.strip("\n").split(_MARK))))
    return cases


def boundaries(sentences: Iterable[str]) -> set[int]:
    """Return the inner boundaries as counts of the characters before, white space apart."""
    offset, offsets = 0, {0}
    for sentence in sentences:
        offset += len("".join(sentence.split()))
        offsets.add(offset)
    return offsets - {0, offset}


def score(segment: Segmenter, cases: Iterable[Case]) -> dict[str, float]:
    """Return precision, recall and F1 of boundaries, exact passages and altered ones."""
    right = seen = true = passages = exact = altered = 0
    for case in cases:
        found = segment(case.text)
        predicted, gold = boundaries(found), boundaries(case.sentences)
        right += len(predicted & gold)
        seen += len(predicted)
        true += len(gold)
        passages += 1
        exact += predicted == gold
        altered += "".join("".join(found).split()) != "".join(case.text.split())
    return {
        "precision": right / seen if seen else 1.0,
        "recall": right / true if true else 1.0,
        "f1": 2 * right / (seen + true) if seen + true else 1.0,
        "exact": exact,
        "passages": passages,
        "altered": altered,
    }


def make_reviews(cases: Sequence[Case], *, count: int) -> list[str]:
    """Return texts of random sentences from the cases, the same at every call."""
    rng = random.Random(0)
    sentences = [" ".join(sentence.split()) for case in cases for sentence in case.sentences]
    return [" ".join(rng.choices(sentences, k=_REVIEW_SENTENCES)) for _ in range(count)]


def speed(segment: Segmenter, reviews: Sequence[str], *, seconds: float) -> dict[str, float]:
    """Return sentences and characters a second of processor time, over at most `seconds`."""
    segment(reviews[0])
    done = characters = 0
    started = time.process_time()
    for review in reviews:
        segment(review)
        done += 1
        characters += len(review)
        if time.process_time() - started > seconds:
            break
    elapsed = max(time.process_time() - started, 1e-9)
    return {
        "sentences_per_second": done * _REVIEW_SENTENCES / elapsed,
        "characters_per_second": characters / elapsed,
    }


def _measure_one(name: str, cases: list[Case], reviews: list[str], seconds: float) -> Any:
    try:
        segment = CANDIDATES[name]()
    except (ImportError, LookupError):
        return {"installed": False}
    kinds = dict.fromkeys(case.kind for case in cases)
    halves = {half: [case for case in cases if case.half == half] for half in HALVES}
    return {
        "installed": True,
        "version": metadata.version(name),
        **{half: score(segment, chosen) for half, chosen in halves.items()},
        "kinds": {
            half: {kind: score(segment, [c for c in chosen if c.kind == kind]) for kind in kinds}
            for half, chosen in halves.items()
        },
        **speed(segment, reviews, seconds=seconds),
    }


def measure(*, names: Sequence[str] = tuple(CANDIDATES), seconds: float = 2.0) -> dict[str, Any]:
    """Score and time the named libraries; one that is not installed is listed as such."""
    cases = read_cases()
    reviews = make_reviews(cases, count=20_000)
    return {
        "passages": {half: sum(case.half == half for case in cases) for half in HALVES},
        "sentences": {
            half: sum(len(case.sentences) for case in cases if case.half == half) for half in HALVES
        },
        "candidates": {name: _measure_one(name, cases, reviews, seconds) for name in names},
    }


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _result_cells(name: str, found: dict[str, Any]) -> list[str]:
    if not found["installed"]:
        return [name, "not installed", *[""] * 10]
    cells = [name, found["version"]]
    for half in HALVES:
        scores = found[half]
        cells += [f"{scores[key]:.3f}" for key in ("precision", "recall", "f1")]
        cells.append(f"{scores['exact']}/{scores['passages']}")
    rates = found["sentences_per_second"], found["characters_per_second"] / 1e6
    return [*cells, f"{rates[0]:,.0f}", f"{rates[1]:.2f}"]


def render(measured: dict[str, Any]) -> str:
    """Return the measurements as two Markdown tables: overall, and test half by kind."""
    heads = [f"{half} {part}" for half in HALVES for part in ("P", "R", "F1", "exact")]
    overall = [
        _row(["library", "version", *heads, "sentences/s", "M characters/s"]),
        _row(["---", "---", *["---:"] * 10]),
    ]
    overall += [_row(_result_cells(name, row)) for name, row in measured["candidates"].items()]
    present = {name: row for name, row in measured["candidates"].items() if row["installed"]}
    by_kind = [_row(["F1, test half", *present]), _row(["---", *["---:"] * len(present)])]
    for kind in next(iter(present.values()))["kinds"]["test"] if present else ():
        scores = [row["kinds"]["test"][kind]["f1"] for row in present.values()]
        by_kind.append(_row([kind, *[f"{f1:.2f}" for f1 in scores]]))
    return "\n".join([*overall, "", *by_kind])


def run(*, as_json: bool) -> str:
    """Measure every library and return what `tersely bench segment` prints."""
    measured = measure()
    return json.dumps(measured, indent=2) if as_json else render(measured)
