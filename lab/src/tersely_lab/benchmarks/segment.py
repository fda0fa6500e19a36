"""`tersely bench segment`: quality and speed of sentence segmenters on review-like passages.

Each library segments the same passages (segment_cases.txt; its header defines a boundary) and is
scored on the boundaries inside them, not on the end of the passage. A boundary is the number of
characters before it, white space excluded, so that libraries may trim and join as they like. The
row "tersely" is tersely.text.sentences, which builds on the best of them.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata, resources
from typing import Any

from tersely_lab.benchmarks.command import print_results

HALVES = ("dev", "test")
_BOUNDARY_MARK = "¦"
_REVIEW_SENTENCES = 8

Segmenter = Callable[[str], Sequence[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: the passages and the libraries are fixed."""


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    print_results(measure(), render, as_json=args.json)


@dataclass(frozen=True, slots=True)
class Case:
    """A passage as its sentences, and the kind of difficulty."""

    half: str
    kind: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the passage without boundary marks."""
        return "".join(self.sentences)


def _syntok() -> Segmenter:
    process = import_module("syntok.segmenter").process
    return lambda text: [
        "".join(token.spacing + token.value for token in sentence)
        for paragraph in process(text)
        for sentence in paragraph
    ]


def _blingfire() -> Segmenter:
    text_to_sentences = import_module("blingfire").text_to_sentences
    return lambda text: text_to_sentences(text).split("\n")


def _spacy() -> Segmenter:
    pipeline = import_module("spacy").blank("en")
    pipeline.add_pipe("sentencizer")
    return lambda text: [sentence.text for sentence in pipeline(text).sents]


def _nltk() -> Segmenter:
    split: Segmenter = import_module("nltk").sent_tokenize
    split("Its data is apart.")  # raises LookupError if NLTK's data is not installed
    return split


CANDIDATES: dict[str, Callable[[], Segmenter]] = {
    "tersely": lambda: import_module("tersely.text.sentences").split_sentences,
    "sentencex": lambda: partial(import_module("sentencex").segment, "en"),
    "syntok": _syntok,
    "pysbd": lambda: import_module("pysbd").Segmenter(language="en", clean=False).segment,
    "nupunkt": lambda: import_module("nupunkt").sent_tokenize,
    "sentence-splitter": lambda: import_module("sentence_splitter").SentenceSplitter("en").split,
    "blingfire": _blingfire,
    "spacy": _spacy,
    "nltk": _nltk,
}
"""For each name on PyPI a function that loads its segmenter."""


def read_cases() -> list[Case]:
    """Return the passages in file order."""
    source = resources.files("tersely_lab.benchmarks").joinpath("segment_cases.txt")
    cases = []
    for entry in source.read_text(encoding="utf-8").split("\n== ")[1:]:
        head, _, passage = entry.partition("\n")
        half, kind = head.split()
        cases.append(Case(half, kind, tuple(passage.strip("\n").split(_BOUNDARY_MARK))))
    return cases


def boundaries(sentences: Iterable[str]) -> set[int]:
    """Return the inner boundaries as numbers of characters before, white space excluded."""
    offset, offsets = 0, {0}
    for sentence in sentences:
        offset += len("".join(sentence.split()))
        offsets.add(offset)
    return offsets - {0, offset}


def score(segment: Segmenter, cases: Iterable[Case]) -> dict[str, float]:
    """Return precision, recall and F1 of boundaries, exact passages and altered ones."""
    correct = predicted_count = gold_count = passages = exact = altered = 0
    for case in cases:
        segments = segment(case.text)
        predicted, gold = boundaries(segments), boundaries(case.sentences)
        correct += len(predicted & gold)
        predicted_count += len(predicted)
        gold_count += len(gold)
        passages += 1
        exact += predicted == gold
        altered += "".join("".join(segments).split()) != "".join(case.text.split())
    boundary_count = predicted_count + gold_count
    return {
        "precision": correct / predicted_count if predicted_count else 1.0,
        "recall": correct / gold_count if gold_count else 1.0,
        "f1": 2 * correct / boundary_count if boundary_count else 1.0,
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
    """Return sentences and characters per second of processor time, over at most `seconds`."""
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


def _measure_library(
    name: str, cases: list[Case], reviews: list[str], seconds: float
) -> dict[str, Any]:
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
        "candidates": {name: _measure_library(name, cases, reviews, seconds) for name in names},
    }


def render(results: dict[str, Any]) -> str:
    """Lay out two Markdown tables: overall, and F1 on the test half by kind."""
    heads = [f"{half} {part}" for half in HALVES for part in ("P", "R", "F1", "exact")]
    overall = [
        _row(["library", "version", *heads, "sentences/s", "M characters/s"]),
        _row(["---", "---", *["---:"] * 10]),
    ]
    overall += [_row(_cells(name, row)) for name, row in results["candidates"].items()]
    installed = {name: row for name, row in results["candidates"].items() if row["installed"]}
    by_kind = [_row(["F1, test half", *installed]), _row(["---", *["---:"] * len(installed)])]
    for kind in next(iter(installed.values()))["kinds"]["test"] if installed else ():
        scores = [row["kinds"]["test"][kind]["f1"] for row in installed.values()]
        by_kind.append(_row([kind, *[f"{f1:.2f}" for f1 in scores]]))
    return "\n".join([*overall, "", *by_kind])


def _cells(name: str, row: dict[str, Any]) -> list[str]:
    if not row["installed"]:
        return [name, "not installed", *[""] * 10]
    cells = [name, row["version"]]
    for half in HALVES:
        scores = row[half]
        cells += [f"{scores[key]:.3f}" for key in ("precision", "recall", "f1")]
        cells.append(f"{scores['exact']}/{scores['passages']}")
    rates = row["sentences_per_second"], row["characters_per_second"] / 1e6
    return [*cells, f"{rates[0]:,.0f}", f"{rates[1]:.2f}"]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
