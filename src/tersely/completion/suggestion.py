"""What a completer gives: sentences for keywords, and keywords for a sentence."""

from dataclasses import dataclass
from typing import Literal

from tersely.text.keywords import keywords


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A sentence, how likely it is the one meant, and where it comes from."""

    text: str
    score: float
    tokens: tuple[str, ...]
    source: Literal["model", "memory"] = "model"
    corrected: tuple[tuple[str, str], ...] = ()
    """Words that were read as others: as typed, and as read. Empty where all stand as typed."""


@dataclass(frozen=True, slots=True)
class Keywords:
    """A sentence's tokens, which of them to type, and how likely each is kept."""

    tokens: list[str]
    keep: list[bool]
    probabilities: list[float]

    @property
    def keywords(self) -> list[str]:
        """The tokens to type."""
        return keywords(self.tokens, self.keep)
