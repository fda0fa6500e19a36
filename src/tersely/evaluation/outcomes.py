"""Outcomes: the results of a run for every sentence, without the text.

For each sentence they hold its length, the number of tokens typed, and whether it was recovered;
for each token type, how often it occurs and how often it was kept. Only types that are common in
the test set are named. The reproduction's tables are computed from outcomes alone.
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
from tersely.evaluation.intervals import bootstrap_sums, percentile_interval
from tersely.evaluation.metrics import Prediction, matched_length
from tersely.text.alignment import align
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, tokenise

FORMAT_VERSION = 1
MIN_NAMED_COUNT = 20  # a rarer type in the test set is not named

Counts = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PredictionRecord:
    """One line of predictions.jsonl, as far as outcomes need it."""

    sentence: str
    keywords: list[str]
    exact: bool
    served: bool
    in_top3: bool


AnyPrediction = PredictionRecord | Prediction


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Token types of the test set in alphabetical order, and how often each was kept."""

    names: tuple[str | None, ...]  # None if too rare
    kinds: str  # a letter per type: w(ord), p(unctuation), s(hift)
    count: Counts
    kept: Counts

    def words_only(self) -> "TypeCounts":
        """Return the counts without `<shift>` and punctuation."""
        is_word = np.array([kind == "w" for kind in self.kinds], bool)
        names = tuple(name for name, word in zip(self.names, is_word, strict=True) if word)
        return TypeCounts(names, "w" * len(names), self.count[is_word], self.kept[is_word])


@dataclass(frozen=True, slots=True)
class TagCount:
    """How often a part of speech occurs, how often it was kept, and the interval of that share."""

    count: int
    kept: int
    interval: tuple[float, float]  # bootstrap over sentences

    @property
    def share(self) -> float:
        """Share that was kept."""
        return self.kept / self.count


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often the tokens of a set of sentences were kept, by type and by part of speech."""

    types: TypeCounts
    tags: dict[str, TagCount] | None  # None without a tagger


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The results for a test set."""

    fingerprint: str  # of the sentences
    keywords_fingerprint: str
    tokens: Counts  # (sentences,)
    typed: Counts
    exact: Bits
    served: Bits
    in_top3: Bits
    words: dict[str, WordCounts]  # of "all" sentences, and of the length-"matched" ones

    def __len__(self) -> int:
        return len(self.tokens)


def count_outcomes(predictions: Sequence[AnyPrediction]) -> Outcomes:
    """Reduce predictions to their outcomes."""
    tokenised = [tokenise(prediction.sentence).tokens for prediction in predictions]
    pairs = list(zip(tokenised, predictions, strict=True))
    limit = matched_length([len(tokens) for tokens in tokenised])
    return Outcomes(
        fingerprint=fingerprint(prediction.sentence for prediction in predictions),
        keywords_fingerprint=fingerprint(
            " ".join(prediction.keywords) for prediction in predictions
        ),
        tokens=np.array([len(tokens) for tokens in tokenised], np.int64),
        typed=np.array([len(prediction.keywords) for prediction in predictions], np.int64),
        exact=np.array([prediction.exact for prediction in predictions], bool),
        served=np.array([prediction.served for prediction in predictions], bool),
        in_top3=np.array([prediction.in_top3 for prediction in predictions], bool),
        words={
            "all": _count_words(pairs),
            "matched": _count_words([pair for pair in pairs if len(pair[0]) <= limit]),
        },
    )


def fingerprint(lines: Iterable[str]) -> str:
    """Return a short hash of lines, in their order."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _count_words(pairs: Sequence[tuple[list[str], AnyPrediction]]) -> WordCounts:
    tags = _count_tags(pairs) if tagging.is_available() else None
    return WordCounts(_count_types(pairs), tags)


def _count_types(pairs: Sequence[tuple[list[str], AnyPrediction]]) -> TypeCounts:
    count = Counter(token for tokens, _ in pairs for token in tokens)
    kept = Counter(word for _, prediction in pairs for word in prediction.keywords)
    order = sorted(count)
    return TypeCounts(
        names=tuple(word if count[word] >= MIN_NAMED_COUNT else None for word in order),
        kinds="".join(_kind(word) for word in order),
        count=np.array([count[word] for word in order], np.int64),
        kept=np.array([kept[word] for word in order], np.int64),
    )


def _kind(token: str) -> str:
    if token == SHIFT:
        return "s"
    return "p" if is_punctuation(token) else "w"


def _count_tags(pairs: Sequence[tuple[list[str], AnyPrediction]]) -> dict[str, TagCount]:
    """Count kept parts of speech; of a repeated word, the leftmost occurrence counts as kept."""
    classes = (*tagging.WORD_CLASSES, *tagging.NOT_WORDS)
    table = np.zeros((len(pairs), 2 * len(classes)))  # per sentence: kept and all of each class
    for row, (tokens, prediction) in zip(table, pairs, strict=True):
        kept = set(align(prediction.keywords, tokens) or ())
        for index, name in enumerate(tagging.tag(tokens)):
            column = 2 * classes.index(name)
            row[column] += index in kept
            row[column + 1] += 1
    sums = table.sum(axis=0).astype(int)
    draws = bootstrap_sums(table, resamples=1000)
    return {
        name: TagCount(
            count=int(sums[2 * index + 1]),
            kept=int(sums[2 * index]),
            interval=percentile_interval(draws[:, 2 * index], draws[:, 2 * index + 1]),
        )
        for index, name in enumerate(classes)
        if sums[2 * index + 1]
    }


def as_json(outcomes: Outcomes) -> dict[str, Any]:
    """Return the contents of outcomes.json; values per sentence are packed as base64."""
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
    """Return the text of outcomes.json."""
    return json.dumps(as_json(outcomes), ensure_ascii=False, separators=(",", ":")) + "\n"


def _words_as_json(words: WordCounts) -> dict[str, Any]:
    types, tags = words.types, words.tags
    return {
        "names": " ".join(name or "" for name in types.names),  # no token contains a blank
        "kinds": types.kinds,
        "count": types.count.tolist(),
        "kept": types.kept.tolist(),
        "tags": tags and {name: [tag.count, tag.kept, *tag.interval] for name, tag in tags.items()},
    }


def from_json(data: Any) -> Outcomes:
    """Undo `as_json`; raise KeyError, TypeError or ValueError on other input."""
    if data["format_version"] != FORMAT_VERSION:
        raise ValueError(f"format {data['format_version']}, not {FORMAT_VERSION}")
    count = int(data["sentences"])
    return Outcomes(
        fingerprint=str(data["fingerprint"]),
        keywords_fingerprint=str(data["keywords_fingerprint"]),
        tokens=_unpack(data["tokens"], count),
        typed=_unpack(data["typed"], count),
        exact=unpack_bits(data["exact"], count),
        served=unpack_bits(data["served"], count),
        in_top3=unpack_bits(data["in_top3"], count),
        words={subset: _words_from_json(data["words"][subset]) for subset in ("all", "matched")},
    )


def _words_from_json(data: Any) -> WordCounts:
    names, tags = data["names"].split(" "), data["tags"]
    columns = [names, data["kinds"], data["count"], data["kept"]]
    if len({len(column) for column in columns}) != 1:
        raise ValueError("columns of unequal length")
    types = TypeCounts(
        names=tuple(name or None for name in names),
        kinds=str(data["kinds"]),
        count=np.array(data["count"], np.int64),
        kept=np.array(data["kept"], np.int64),
    )
    if tags is None:
        return WordCounts(types, None)
    tag_counts = {
        name: TagCount(int(count), int(kept), (float(low), float(high)))
        for name, (count, kept, low, high) in tags.items()
    }
    return WordCounts(types, tag_counts)


def read_predictions(path: Path) -> list[PredictionRecord]:
    """Read the fields of predictions.jsonl that outcomes need."""
    rows = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
                rows.append(
                    PredictionRecord(
                        sentence=str(row["sentence"]),
                        keywords=[str(word) for word in row["keywords"]],
                        exact=bool(row["exact"]),
                        served=bool(row["served"]),
                        in_top3=bool(row["in_top3"]),
                    )
                )
            except (ValueError, KeyError, TypeError) as error:
                raise TerselyError(f"{path}, line {number}: not a prediction ({error}).") from error
    if not rows:
        raise TerselyError(f"{path}: empty.")
    return rows


def pack_bits(bits: Bits) -> str:
    """Pack bits, eight to a byte, as base64."""
    return base64.b64encode(np.packbits(bits).tobytes()).decode()


def unpack_bits(text: str, count: int) -> Bits:
    """Undo `pack_bits`."""
    packed = np.frombuffer(base64.b64decode(text), np.uint8)
    if len(packed) != (count + 7) // 8:
        raise ValueError(f"{len(packed)} bytes do not hold {count} bits")
    return np.unpackbits(packed, count=count).astype(bool)


def _pack(numbers: Counts) -> str:
    """Pack numbers as base64, in one byte each, or in two if one is not enough."""
    width = "<u1" if numbers.max() < 256 else "<u2"
    return base64.b64encode(numbers.astype(width).tobytes()).decode()


def _unpack(text: str, count: int) -> Counts:
    packed = base64.b64decode(text)
    if not count or len(packed) not in (count, 2 * count):
        raise ValueError(f"{len(packed)} bytes do not hold {count} sentences")
    return np.frombuffer(packed, "<u1" if len(packed) == count else "<u2").astype(np.int64)
