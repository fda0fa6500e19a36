"""Spacing: the usual white space between two pieces of a sentence.

Only what is usual is decided here, so that a bare list of tokens becomes good
text. Text that differs keeps its own white space beside the tokens (tokens.py).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tersely.text.lexer import SPACELESS

_NO_SPACE_BEFORE = frozenset(".,!?;:)]}%…”’'/。，、！？；：）」』")
_NO_SPACE_AFTER = frozenset("([{#“‘¿¡/（「『")
_ENDINGS = frozenset({"n't", "'s", "'re", "'ve", "'ll", "'d", "'m"})


class Edges(NamedTuple):
    """How a piece sits beside its neighbours."""

    joins_left: bool
    joins_right: bool
    is_quote: bool  # a straight quote: opens and closes by turns
    is_spaceless: bool  # from a script written without spaces


@lru_cache(maxsize=1 << 15)
def edges(piece: str) -> Edges:
    """Tell how a piece joins what stands before and after it."""
    import regex

    if piece == '"':
        return Edges(joins_left=False, joins_right=False, is_quote=True, is_spaceless=False)
    is_ending = piece.lower().replace("’", "'") in _ENDINGS
    is_mark = not any(character.isalnum() for character in piece)
    is_face = len(piece) > 1 and piece[0] in ":;=<"
    is_currency = len(piece) == 1 and regex.match(r"\p{Sc}", piece) is not None
    return Edges(
        joins_left=is_ending or (is_mark and not is_face and piece[0] in _NO_SPACE_BEFORE),
        joins_right=is_currency or (is_mark and not is_face and piece[-1] in _NO_SPACE_AFTER),
        is_quote=False,
        is_spaceless=regex.match(rf"[{SPACELESS}。，、！？；：）（「」『』]", piece) is not None,
    )


def usual_gaps(pieces: Sequence[str]) -> list[str]:
    """Return the usual white space before each piece of a sentence."""
    gaps: list[str] = []
    joins = True  # nothing to separate before the first piece
    spaceless = in_quotes = False
    for piece in pieces:
        here = edges(piece)
        if here.is_quote:
            in_quotes = not in_quotes
            joins = joins or not in_quotes  # a closing quote joins what it closes
        elif here.joins_left or (spaceless and here.is_spaceless):
            joins = True
        gaps.append("" if joins else " ")
        joins = in_quotes if here.is_quote else here.joins_right
        spaceless = here.is_spaceless
    return gaps
