"""Options of a completion: one object from the caller to the search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from tersely.completion.query import Query
from tersely.decoding.deadline import NO_DEADLINE, Deadline
from tersely.errors import UsageError
from tersely.text.alignment import Phrase
from tersely.text.tokens import SHIFT, tokenise

__all__ = ["MAX_SUGGESTIONS", "CompletionOptions", "Deadline", "KeywordOrder", "OptionFields"]

KeywordOrder = Literal["typed", "free"]
MAX_SUGGESTIONS = 10


class OptionFields(TypedDict, total=False):
    """Keyword arguments of `Completer.complete`; see CompletionOptions for their meaning."""

    prefix: bool
    order: KeywordOrder
    including: Sequence[str]
    without: Sequence[str]
    context: str
    corrections: bool
    deadline: float | Deadline | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionOptions:
    """How keywords are completed.

    Options are hashable, so that requests with equal options can be completed in one batch.
    """

    n: int = 3
    """Number of suggestions, 1 to 10."""
    prefix: bool = False
    """The last word may be unfinished, unless white space follows it."""
    order: KeywordOrder = "typed"
    """ "typed": the keywords appear in the order given. "free": in any order."""
    including: Sequence[str] = ()
    """Words or phrases that must appear anywhere; stored as a tuple."""
    without: Sequence[str] = ()
    """Words that must not appear; stored as a tuple."""
    context: str = ""
    """The text before. If its last sentence is open, its rest is suggested."""
    corrections: bool = False
    """Return one more suggestion that corrects misspelt words, marked as corrected."""
    deadline: float | Deadline | None = None
    """Seconds after which the best candidates so far are returned; the clock starts when
    completing begins. A Deadline has its own clock."""

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_SUGGESTIONS:
            raise UsageError(f"n must be between 1 and {MAX_SUGGESTIONS}, got {self.n}.")
        if self.order not in ("typed", "free"):
            raise UsageError(f'order must be "typed" or "free", got {self.order!r}.')
        if not (self.deadline is None or isinstance(self.deadline, Deadline) or self.deadline > 0):
            raise UsageError(f"deadline must be a number of seconds above 0, got {self.deadline}.")
        for name in ("including", "without"):
            words = getattr(self, name)
            if isinstance(words, str):
                raise UsageError(f'{name} must be a list of words, for example {name}=["late"].')
            object.__setattr__(self, name, tuple(words))
        forbidden = self.forbidden_words
        for phrase in self.required_phrases:
            _check_disjoint(forbidden, phrase)

    @property
    def forbidden_words(self) -> frozenset[str]:
        """The words that must not appear, in lower case; their capitals are forbidden, too."""
        tokens = (token.lower() for word in self.without for token in tokenise(word).tokens)
        return frozenset(token for token in tokens if token != SHIFT)

    @property
    def required_phrases(self) -> list[Phrase]:
        """The words or phrases that must appear anywhere, as tokens."""
        phrases = (tuple(tokenise(text).tokens) for text in self.including)
        return [phrase for phrase in phrases if phrase]

    @property
    def has_free_order(self) -> bool:
        """Whether several orders of words are possible."""
        return self.order == "free" or bool(self.required_phrases)

    @property
    def has_expansions(self) -> bool:
        """Whether the keywords may be expanded to several queries; a batch then saves no time."""
        return self.prefix or self.corrections or self.has_free_order

    def check_query(self, query: Query) -> None:
        """Raise UsageError if a keyword is also forbidden."""
        _check_disjoint(self.forbidden_words, query.tokens)

    def start_deadline(self) -> Deadline:
        """Start the clock, unless the deadline is one that is running."""
        if self.deadline is None:
            return NO_DEADLINE
        return self.deadline if isinstance(self.deadline, Deadline) else Deadline(self.deadline)


def _check_disjoint(forbidden: frozenset[str], words: Sequence[str]) -> None:
    both = sorted(forbidden.intersection(word.lower() for word in words))
    if both:
        raise UsageError(f'"{both[0]}" is both required and forbidden. Remove one of the two.')
