"""Context: the text before. What is suggested goes on from it, and does not repeat it.

After "I am sorry, but " a suggestion is the rest of that sentence, without a capital at its
start; after "I am sorry. " it is a sentence of its own.
"""

from dataclasses import dataclass

from tersely.model.typed import ENDINGS
from tersely.text.tokens import detokenise, tokenise

MOST_CHARACTERS = 1000
MOST_TOKENS = 24
_CLOSING = frozenset(("”", "’", '"', "'", ")", "]", "»"))


@dataclass(frozen=True, slots=True)
class Context:
    """The sentence that is still open, and the one before the cursor that is not."""

    opening: tuple[str, ...] = ()
    said: str = ""


def read_context(text: str) -> Context:
    """Take what matters of the text before: its last line, from the last sentence's end on."""
    _, line_break, line = text[-MOST_CHARACTERS:].rpartition("\n")
    if line_break and not line.strip():
        return Context(said=text.rstrip().rpartition("\n")[2].strip())
    tokens = tokenise(line).tokens
    ends = [0, *(place + 1 for place, token in enumerate(tokens) if token in ENDINGS)]
    last = ends[-1]
    while 0 < last < len(tokens) and tokens[last] in _CLOSING:
        last += 1
    opening = tuple(tokens[last:])
    begun = ends[-2] if not opening and len(ends) > 1 else ends[-1]
    said = "" if opening else detokenise(tokens[begun:]).strip()
    return Context(opening[-MOST_TOKENS:], said)
