"""What a person typed: keywords, phrases in quotes that stay together, and how it is to end.

10 min late             keywords, in order
"ice cream" friday      ice and cream stay together
where station?          ends with the question mark
"""

import re
from dataclasses import dataclass

from tersely.text.tokens import tokenise

ENDINGS = frozenset((".", "?", "!", "…", "...", "?!", "!?", "!!", "!!!", "??", "???"))
_PHRASE = re.compile(r"[\"“”„]([^\"“”„]*)[\"“”„]")


@dataclass(frozen=True, slots=True)
class Typed:
    """Keywords, and which of them must directly follow the one before."""

    tokens: tuple[str, ...]
    glued: tuple[bool, ...]  # one more than tokens: the last tells whether the end must follow


def read_typed(text: str) -> Typed:
    """Read keywords as people type them; a quote that is not closed is just a character."""
    tokens: list[str] = []
    glued: list[bool] = []
    for part, is_phrase in _parts(text):
        own = tokenise(part).tokens
        tokens += own
        glued += [is_phrase and place > 0 for place in range(len(own))]
    return Typed(tuple(tokens), (*glued, bool(tokens) and tokens[-1] in ENDINGS))


def _parts(text: str) -> list[tuple[str, bool]]:
    """Cut at quotes: what is in them is a phrase."""
    parts, start = [], 0
    for match in _PHRASE.finditer(text):
        parts += [(text[start : match.start()], False), (match[1], True)]
        start = match.end()
    return [*parts, (text[start:], False)]
