"""Part-of-speech tagging without downloads, by the pattern tagger that comes with TextBlob.

The tagger has a lexicon and a few rules. `accuracy` measures it on sentences tagged by hand
(tagged.txt in this package).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np

from tersely.errors import UsageError
from tersely.evaluation.intervals import bootstrap_interval
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT

# Prefixes of Penn tags, of which the longest match counts; the paper's nine classes and two more.
CLASSES = {
    "DT": "determiner",
    "PDT": "determiner",
    "WDT": "determiner",
    "CC": "conjunction",
    "PRP": "pronoun",
    "WP": "pronoun",
    "EX": "pronoun",
    "UH": "interjection",
    "VB": "verb",
    "MD": "verb",
    "IN": "preposition",
    "TO": "preposition",
    "RB": "adverb",
    "WRB": "adverb",
    "RP": "adverb",
    "JJ": "adjective",
    "NN": "noun",
    "CD": "numeral",
    "POS": "other",
}
WORD_CLASSES = tuple(dict.fromkeys(CLASSES.values()))
NOT_WORDS = ("punctuation", "shift")

# Clitics that are tokens here; the tagger does not cover all of them.
CLITICS = {"'m": "verb", "'re": "verb", "'ve": "verb", "'ll": "verb", "'d": "verb", "n't": "adverb"}
VERB_HOSTS = frozenset("he here how it she that there what where who".split())


def is_available() -> bool:
    """Return whether the tagger is installed."""
    return find_spec("textblob") is not None


def tag(tokens: Sequence[str]) -> list[str]:
    """Return a class for each token; `<shift>` and punctuation are classes, too."""
    return list(_tag(tuple(tokens)))


@lru_cache(maxsize=1 << 16)  # every run of a sweep tags the same sentences
def _tag(tokens: tuple[str, ...]) -> tuple[str, ...]:
    indices = [index for index, token in enumerate(tokens) if token != SHIFT]
    words = [_as_written(tokens, index) for index in indices]
    classes = ["shift"] * len(tokens)
    for index, (_, penn) in zip(indices, _tagger().find_tags(words), strict=True):
        classes[index] = _class_of(tokens[index], penn)
        if tokens[index] in ("'s", "’s") and index and tokens[index - 1] in VERB_HOSTS:
            classes[index] = "verb"  # "it's", not "Joe's"
    return tuple(classes)


def _as_written(tokens: Sequence[str], index: int) -> str:
    is_capital = index > 0 and tokens[index - 1] == SHIFT
    word = tokens[index].replace("’", "'")
    return word[:1].upper() + word[1:] if is_capital else word


def _class_of(token: str, penn: str) -> str:
    if is_punctuation(token):
        return "punctuation"
    clitic = CLITICS.get(token.replace("’", "'"))
    if clitic:
        return clitic
    penn = penn.upper()
    prefixes = [prefix for prefix in CLASSES if penn.startswith(prefix)]
    return CLASSES[max(prefixes, key=len)] if prefixes else "other"


@cache
def _tagger() -> Any:
    if not is_available():
        raise UsageError("Parts of speech need TextBlob. Try: pip install textblob")
    from textblob.en import parser

    return parser


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the tagger agrees with the tags given by hand, over words."""

    words: int
    right: int
    interval: tuple[float, float]  # bootstrap over sentences

    @property
    def share(self) -> float:
        """Share of the words tagged correctly."""
        return self.right / self.words


def accuracy(tagged: Iterable[str]) -> Accuracy:
    """Compare the tagger with lines of word/CLASS; `<shift>` and punctuation do not count."""
    counts = []
    for line in tagged:
        pairs = [pair.rsplit("/", 1) for pair in line.split()]
        gold = [name for _, name in pairs]
        predicted = tag([word for word, _ in pairs])
        words = [index for index, name in enumerate(gold) if name in WORD_CLASSES]
        counts.append((sum(predicted[index] == gold[index] for index in words), len(words)))
    table = np.array(counts, np.float64)
    right, total = (int(value) for value in table.sum(axis=0))
    return Accuracy(total, right, bootstrap_interval(table, above=0, below=1))


def gold_lines() -> list[str]:
    """Return review-like sentences, written and tagged by hand for this purpose."""
    text = files("tersely.evaluation").joinpath("tagged.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
