"""Context: the text before. What is suggested goes on from it, and does not repeat it.

After "I am sorry, but " a suggestion is the rest of that sentence, without a capital at its
start; after "I am sorry. " it is a sentence of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tersely.completion.query import ENDINGS
from tersely.text.tokens import SHIFT, detokenise, tokenise

MOST_CHARACTERS = 1000
MOST_TOKENS = 24
_CLOSING = frozenset(("”", "’", '"', "'", ")", "]", "»"))


@dataclass(frozen=True, slots=True)
class Context:
    """The sentence that is still open, and the one before the cursor that is not."""

    opening: tuple[str, ...] = ()
    said: str = ""


def read_context(text: str) -> Context:
    """Take what matters of the text before: the last sentence of its last line."""
    text = text[-MOST_CHARACTERS:]
    written = text.rstrip()
    tokens = tokenise(written.rpartition("\n")[2]).tokens
    starts = _starts(tokens)
    if starts[-1] < len(tokens) and "\n" not in text[len(written) :]:
        return Context(opening=_last(tokens[starts[-1] :]))
    # A line that was left is over, whatever it ends with.
    begun = max((start for start in starts if start < len(tokens)), default=0)
    return Context(said=detokenise(tokens[begun:]).strip())


def _last(tokens: Sequence[str]) -> tuple[str, ...]:
    """As many as matter; a word whose case mark would be cut off goes with it."""
    first = max(0, len(tokens) - MOST_TOKENS)
    is_cut = first > 0 and tokens[first - 1] == SHIFT
    return tuple(tokens[first + is_cut :])


def _starts(tokens: Sequence[str]) -> list[int]:
    """Where sentences begin: at first, and after each end with the quotes that close there."""
    starts = [0]
    for place, token in enumerate(tokens):
        if token in ENDINGS:
            starts.append(place + 1)
        elif token in _CLOSING and starts[-1] == place > 0:
            starts[-1] = place + 1
    return starts
