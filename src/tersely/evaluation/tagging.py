"""Parts of speech, offline: the pattern tagger that comes with TextBlob, on our tokens.

It knows a lexicon and a few rules and needs no download. How often it is right is measured,
not assumed: `accuracy` on sentences tagged by hand (tagged.txt, beside this file).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np

from tersely.errors import UsageError
from tersely.evaluation.intervals import bootstrap
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT

# Penn tags by their beginnings, the longest that fits; the paper's nine classes and the rest.
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

# Forms of verbs that our tokens cut off ("'ll") and the tagger does not always know.
CUT_OFF = {"'m": "verb", "'re": "verb", "'ve": "verb", "'ll": "verb", "'d": "verb", "n't": "adverb"}
TAKES_A_VERB = frozenset("he here how it she that there what where who".split())


def is_available() -> bool:
    """Whether the tagger is installed."""
    return find_spec("textblob") is not None


def tag(tokens: Sequence[str]) -> list[str]:
    """A class for each token; `<shift>` and punctuation have classes of their own."""
    return list(_tag(tuple(tokens)))


@lru_cache(maxsize=1 << 16)  # every run of a sweep asks about the same sentences
def _tag(tokens: tuple[str, ...]) -> tuple[str, ...]:
    places = [index for index, token in enumerate(tokens) if token != SHIFT]
    words = [_as_written(tokens, index) for index in places]
    found = ["shift"] * len(tokens)
    for index, (_, penn) in zip(places, _tagger().find_tags(words), strict=True):
        found[index] = _class_of(tokens[index], penn)
        if tokens[index] in ("'s", "’s") and index and tokens[index - 1] in TAKES_A_VERB:
            found[index] = "verb"  # "it's", not "Joe's"
    return tuple(found)


def _as_written(tokens: Sequence[str], index: int) -> str:
    is_capital = index > 0 and tokens[index - 1] == SHIFT
    word = tokens[index].replace("’", "'")
    return word[:1].upper() + word[1:] if is_capital else word


def _class_of(token: str, penn: str) -> str:
    if is_punctuation(token):
        return "punctuation"
    known = CUT_OFF.get(token.replace("’", "'"))
    if known:
        return known
    penn = penn.upper()
    fits = [start for start in CLASSES if penn.startswith(start)]
    return CLASSES[max(fits, key=len)] if fits else "other"


@cache
def _tagger() -> Any:
    if not is_available():
        raise UsageError('Parts of speech need TextBlob. Try: pip install "tersely[report]"')
    from textblob.en import parser

    return parser


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the tagger's class is the one given by hand, over words."""

    words: int
    right: int
    interval: tuple[float, float]  # by sentences

    @property
    def share(self) -> float:
        """As a share of the words."""
        return self.right / self.words


def accuracy(tagged: Iterable[str]) -> Accuracy:
    """Compare with lines of word/CLASS; what is no word does not count."""
    counts = []
    for line in tagged:
        pairs = [pair.rsplit("/", 1) for pair in line.split()]
        given = [named for _, named in pairs]
        found = tag([word for word, _ in pairs])
        words = [index for index, named in enumerate(given) if named in WORD_CLASSES]
        counts.append((sum(found[index] == given[index] for index in words), len(words)))
    table = np.array(counts, np.float64)
    right, total = (int(value) for value in table.sum(axis=0))
    return Accuracy(total, right, bootstrap(table, above=0, below=1))


def tagged_by_hand() -> list[str]:
    """Sentences in the manner of reviews, written and tagged for this purpose."""
    text = files("tersely.evaluation").joinpath("tagged.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
