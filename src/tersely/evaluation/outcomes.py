"""Outcomes: what a run's predictions come to, sentence by sentence, without their text.

A sentence leaves its length, how many of its tokens were typed, and whether it came back.
A token type leaves how often it occurs and how often it was kept; only types that are
common in the test set keep their name. Enough to make every table again, and no more.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.errors import TerselyError
from tersely.evaluation import tagging
from tersely.evaluation.intervals import drawn_sums, middle
from tersely.evaluation.metrics import matched_length
from tersely.text.keywords import is_punctuation, leftmost_alignment
from tersely.text.tokens import SHIFT, tokenise

FORMAT_VERSION = 1
NAMED_FROM = 20  # occurrences in the test set from which on a type keeps its name

Counts = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Judged:
    """One prediction, as predictions.jsonl tells it."""

    sentence: str
    keywords: list[str]
    exact: bool
    served: bool
    in_top3: bool


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Token types of the test set in the order of their spelling, and what was kept of each."""

    names: tuple[str | None, ...]  # None: too rare to be named
    kinds: str  # a letter each: w(ord), p(unctuation), s(hift)
    count: Counts
    kept: Counts

    def of_words(self) -> "TypeCounts":
        """Without `<shift>` and punctuation."""
        is_word = np.array([kind == "w" for kind in self.kinds], bool)
        names = tuple(name for name, word in zip(self.names, is_word, strict=True) if word)
        return TypeCounts(names, "w" * len(names), self.count[is_word], self.kept[is_word])


@dataclass(frozen=True, slots=True)
class TagCount:
    """How often a part of speech occurs, how often it was kept, and how sure that is."""

    count: int
    kept: int
    interval: tuple[float, float]  # of the kept share, by sentences

    @property
    def share(self) -> float:
        """Kept share."""
        return self.kept / self.count


@dataclass(frozen=True, slots=True)
class WordCounts:
    """What was kept of the tokens of some sentences."""

    types: TypeCounts
    tags: dict[str, TagCount] | None  # None: no tagger was at hand


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of a test set."""

    fingerprint: str  # of the sentences
    keywords_fingerprint: str
    tokens: Counts  # (sentences,)
    typed: Counts
    exact: Bits
    served: Bits
    in_top3: Bits
    words: dict[str, WordCounts]  # on "all" sentences, and on the "matched" ones

    def __len__(self) -> int:
        return len(self.tokens)


def outcomes_of(predictions: Sequence[Judged]) -> Outcomes:
    """Count what the predictions hold."""
    tokenised = [tokenise(one.sentence).tokens for one in predictions]
    pairs = list(zip(tokenised, predictions, strict=True))
    limit = matched_length([len(tokens) for tokens in tokenised])
    return Outcomes(
        fingerprint=fingerprint(one.sentence for one in predictions),
        keywords_fingerprint=fingerprint(" ".join(one.keywords) for one in predictions),
        tokens=np.array([len(tokens) for tokens in tokenised], np.int64),
        typed=np.array([len(one.keywords) for one in predictions], np.int64),
        exact=np.array([one.exact for one in predictions], bool),
        served=np.array([one.served for one in predictions], bool),
        in_top3=np.array([one.in_top3 for one in predictions], bool),
        words={
            "all": _count_words(pairs),
            "matched": _count_words([pair for pair in pairs if len(pair[0]) <= limit]),
        },
    )


def fingerprint(lines: Iterable[str]) -> str:
    """A short sum of some lines, in their order."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _count_words(pairs: Sequence[tuple[list[str], Judged]]) -> WordCounts:
    tags = _count_tags(pairs) if tagging.is_available() else None
    return WordCounts(_count_types(pairs), tags)


def _count_types(pairs: Sequence[tuple[list[str], Judged]]) -> TypeCounts:
    count = Counter(token for tokens, _ in pairs for token in tokens)
    kept = Counter(word for _, one in pairs for word in one.keywords)
    order = sorted(count)
    return TypeCounts(
        names=tuple(word if count[word] >= NAMED_FROM else None for word in order),
        kinds="".join(_kind(word) for word in order),
        count=np.array([count[word] for word in order], np.int64),
        kept=np.array([kept[word] for word in order], np.int64),
    )


def _kind(token: str) -> str:
    if token == SHIFT:
        return "s"
    return "p" if is_punctuation(token) else "w"


def _count_tags(pairs: Sequence[tuple[list[str], Judged]]) -> dict[str, TagCount]:
    """Where a word stands twice, the leftmost one counts as the one kept."""
    classes = (*tagging.WORD_CLASSES, *tagging.NOT_WORDS)
    table = np.zeros((len(pairs), 2 * len(classes)))  # kept and all of each, by sentence
    for row, (tokens, one) in zip(table, pairs, strict=True):
        kept = set(leftmost_alignment(one.keywords, tokens) or ())
        for place, name in enumerate(tagging.tag(tokens)):
            column = 2 * classes.index(name)
            row[column] += place in kept
            row[column + 1] += 1
    sums = table.sum(axis=0).astype(int)
    draws = drawn_sums(table, resamples=1000)
    return {
        name: TagCount(
            count=int(sums[2 * index + 1]),
            kept=int(sums[2 * index]),
            interval=middle(draws[:, 2 * index], draws[:, 2 * index + 1]),
        )
        for index, name in enumerate(classes)
        if sums[2 * index + 1]
    }


def as_json(outcomes: Outcomes) -> dict[str, Any]:
    """As outcomes.json holds it; what belongs to sentences as base64 of one number or bit each."""
    return {
        "format_version": FORMAT_VERSION,
        "sentences": len(outcomes),
        "fingerprint": outcomes.fingerprint,
        "keywords_fingerprint": outcomes.keywords_fingerprint,
        **{name: _pack(getattr(outcomes, name)) for name in ("tokens", "typed")},
        **{name: pack_bits(getattr(outcomes, name)) for name in ("exact", "served", "in_top3")},
        "words": {subset: _words_as_json(words) for subset, words in outcomes.words.items()},
    }


def as_text(outcomes: Outcomes) -> str:
    """What outcomes.json holds."""
    return json.dumps(as_json(outcomes), ensure_ascii=False, separators=(",", ":")) + "\n"


def _words_as_json(words: WordCounts) -> dict[str, Any]:
    types, tags = words.types, words.tags
    return {
        "names": " ".join(name or "" for name in types.names),  # no token holds a blank
        "kinds": types.kinds,
        "count": types.count.tolist(),
        "kept": types.kept.tolist(),
        "tags": tags and {name: [one.count, one.kept, *one.interval] for name, one in tags.items()},
    }


def from_json(found: Any) -> Outcomes:
    """Read what `as_json` gave; anything else is an error of one of the usual kinds."""
    if found["format_version"] != FORMAT_VERSION:
        raise ValueError(f"format {found['format_version']}, not {FORMAT_VERSION}")
    count = int(found["sentences"])
    return Outcomes(
        fingerprint=str(found["fingerprint"]),
        keywords_fingerprint=str(found["keywords_fingerprint"]),
        tokens=_unpack(found["tokens"], count),
        typed=_unpack(found["typed"], count),
        exact=unpack_bits(found["exact"], count),
        served=unpack_bits(found["served"], count),
        in_top3=unpack_bits(found["in_top3"], count),
        words={subset: _words_from_json(found["words"][subset]) for subset in ("all", "matched")},
    )


def _words_from_json(found: Any) -> WordCounts:
    names, tags = found["names"].split(" "), found["tags"]
    columns = [names, found["kinds"], found["count"], found["kept"]]
    if len({len(column) for column in columns}) != 1:
        raise ValueError("columns of unequal length")
    types = TypeCounts(
        names=tuple(name or None for name in names),
        kinds=str(found["kinds"]),
        count=np.array(found["count"], np.int64),
        kept=np.array(found["kept"], np.int64),
    )
    if tags is None:
        return WordCounts(types, None)
    counted = {
        name: TagCount(int(count), int(kept), (float(low), float(high)))
        for name, (count, kept, low, high) in tags.items()
    }
    return WordCounts(types, counted)


def read_predictions(path: Path) -> list[Judged]:
    """Read predictions.jsonl as far as outcomes need it."""
    rows = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
                rows.append(
                    Judged(
                        sentence=str(row["sentence"]),
                        keywords=[str(word) for word in row["keywords"]],
                        exact=bool(row["exact"]),
                        served=bool(row["served"]),
                        in_top3=bool(row["in_top3"]),
                    )
                )
            except (ValueError, KeyError, TypeError) as error:
                raise TerselyError(f"{path}, line {number}: no prediction ({error}).") from error
    if not rows:
        raise TerselyError(f"{path}: empty.")
    return rows


def pack_bits(bits: Bits) -> str:
    """Eight to a byte, as text."""
    return base64.b64encode(np.packbits(bits).tobytes()).decode()


def unpack_bits(text: str, count: int) -> Bits:
    """Undo `pack_bits`."""
    packed = np.frombuffer(base64.b64decode(text), np.uint8)
    if len(packed) != (count + 7) // 8:
        raise ValueError(f"{len(packed)} bytes do not hold {count} bits")
    return np.unpackbits(packed, count=count).astype(bool)


def _pack(numbers: Counts) -> str:
    """A byte each, or two where one is not enough."""
    width = "<u1" if numbers.max() < 256 else "<u2"
    return base64.b64encode(numbers.astype(width).tobytes()).decode()


def _unpack(text: str, count: int) -> Counts:
    packed = base64.b64decode(text)
    if not count or len(packed) not in (count, 2 * count):
        raise ValueError(f"{len(packed)} bytes do not hold {count} sentences")
    return np.frombuffer(packed, "<u1" if len(packed) == count else "<u2").astype(np.int64)
