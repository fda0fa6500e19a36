"""Tokens: a sentence as the game counts it, exactly undone.

Counted tokens are words, punctuation and `<shift>`, the key pressed before a
capitalised word (paper, appendix C: "I" → "<shift> i"). Words in ALL CAPS or
mixed case stay as they are. White space that is not the usual one is kept beside
the tokens, so it costs nothing and nothing is lost. A token never contains white
space, and no text can produce a token that looks like a special one: "<" is
always a token of its own, or begins a heart.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from tersely.text.lexer import pieces
from tersely.text.spacing import edges, usual_gaps

SHIFT = "<shift>"

_RUN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Tokenised:
    """A sentence's tokens, and its white space where that is not the usual one."""

    tokens: list[str]
    gaps: Mapping[int, str] = field(default_factory=dict)
    """White space before token i (after the last: i = number of tokens), if unusual."""


def tokenise(text: str) -> Tokenised:
    """Cut a sentence into counted tokens; `detokenise` gives it back exactly."""
    tokens: list[str] = []
    gaps: dict[int, str] = {}
    joins = True  # nothing to separate before the first word
    for run in text.split(" "):
        learned = _learn(run)
        if learned is None:
            return _tokenise_with_care(text)
        if (joins or learned.joins_left) and tokens:
            gaps[len(tokens)] = " "
        for index in learned.unspaced:
            gaps[len(tokens) + index] = ""
        tokens += learned.tokens
        joins = learned.joins_right
    return Tokenised(tokens, gaps)


def detokenise(sentence: Tokenised | Sequence[str]) -> str:
    """Turn tokens back into text, with the usual white space where none was kept."""
    tokens: Sequence[str]
    gaps: Mapping[int, str]
    tokens, gaps = (
        (sentence.tokens, sentence.gaps) if isinstance(sentence, Tokenised) else (sentence, {})
    )
    pieces, places = _pieces_of(tokens)
    usual = usual_gaps(pieces)
    if gaps:
        usual = [gaps.get(place, gap) for place, gap in zip(places, usual, strict=True)]
    text = "".join([part for pair in zip(usual, pieces, strict=True) for part in pair])
    return text + gaps.get(len(tokens), "")


def _pieces_of(tokens: Sequence[str]) -> tuple[list[str], list[int]]:
    """Put case marks back into their words; say which token each piece begins at."""
    pieces: list[str] = []
    places: list[int] = []
    start = -1  # where the <shift> of the coming word stands
    for index, token in enumerate(tokens):
        if token == SHIFT:
            start = index if start < 0 else start
        elif start < 0:
            pieces.append(token)
            places.append(index)
        else:
            pieces.append(_capitalised(token))
            places.append(start)
            start = -1
    return pieces, places


def _capitalised(word: str) -> str:
    """Press shift before a word; what would not be the same word again stays: no IPhone."""
    raised = word[:1].upper() + word[1:]
    return raised if case_marked(raised) == (SHIFT, word) else word


def case_marked(piece: str) -> tuple[str, ...]:
    """Write a capitalised word as `<shift>` and its lower case; leave others alone."""
    lower = piece.lower()
    if lower != piece and lower[:1].upper() + lower[1:] == piece:
        return SHIFT, lower
    return (piece,)


def _tokenise_with_care(text: str) -> Tokenised:
    """Tokenise any text: quotes that pair up, white space of every kind."""
    parts: list[str] = []
    spaces: list[str] = []
    end = 0
    for run in _RUN.finditer(text):
        found = pieces(run.group())
        parts += found
        spaces += [text[end : run.start()], *[""] * (len(found) - 1)]
        end = run.end()
    tokens: list[str] = []
    gaps: dict[int, str] = {}
    for part, space, usual in zip(parts, spaces, usual_gaps(parts), strict=True):
        if space != usual:
            gaps[len(tokens)] = space
        tokens += case_marked(part)
    if end < len(text):
        gaps[len(tokens)] = text[end:]
    return Tokenised(tokens, gaps)


class _Run(NamedTuple):
    """What a run of characters between two spaces becomes, wherever it stands."""

    tokens: tuple[str, ...]
    unspaced: tuple[int, ...]  # tokens usually preceded by a space, but not here
    joins_left: bool
    joins_right: bool


@lru_cache(maxsize=1 << 16)
def _learn(run: str) -> _Run | None:
    """Tokenise a run once for all; None if that depends on what stands around it."""
    if len(run) > 64 or '"' in run or not _RUN.fullmatch(run):
        return None
    parts = pieces(run)
    first, last = edges(parts[0]), edges(parts[-1])
    if first.is_spaceless or last.is_spaceless:
        return None
    alone = _tokenise_with_care(run)
    return _Run(tuple(alone.tokens), tuple(alone.gaps), first.joins_left, last.joins_right)
