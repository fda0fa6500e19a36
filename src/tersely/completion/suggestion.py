"""Suggestion and Keywords: the results of a completer."""

from dataclasses import dataclass
from typing import Literal

from tersely.text.alignment import Span
from tersely.text.keywords import keywords


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A sentence for keywords, with its score: how likely it is the one meant."""

    text: str
    score: float
    tokens: tuple[str, ...]
    source: Literal["model", "memory"] = "model"
    corrected: tuple[tuple[str, str], ...] = ()
    """Words that were corrected: as typed, and the correction. Empty if none was."""
    spans: tuple[Span, ...] = ()
    """The spans of the typed keywords in `text`: start and end of each word, in characters."""


@dataclass(frozen=True, slots=True)
class Keywords:
    """A sentence's tokens, which of them to type, and the probability that each is kept."""

    tokens: list[str]
    keep: list[bool]
    probabilities: list[float]

    @property
    def keywords(self) -> list[str]:
        """The tokens to type."""
        return keywords(self.tokens, self.keep)
