"""Tokens: a sentence as the game counts it, restored exactly by `detokenise`.

    text ─► runs ─► pieces ─► tokens, with gaps where the spacing is unusual

A run is text between white space. A piece is one word, number or punctuation mark.
A token is a piece or `<shift>`, the key pressed before a capitalised word (paper,
appendix C: "I" → "<shift> i"). Words in ALL CAPS or mixed case stay as they are.

Usual white space follows from the pieces (`usual_gaps`). White space that differs is
stored in `Tokenised.gaps`: it costs no token and nothing is lost. A token contains no
white space, and no text yields a special token: "<" is a token of its own or begins
an emoticon.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from regex import Pattern

SHIFT = "<shift>"

_MAX_CACHED_RUN_CHARACTERS = 64
_RUN = re.compile(r"\S+")

# Scripts written without spaces between words; their text is split by character.
_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_PIECE = rf"""
    https?://\S*[\w/] | www\.\S*[\w/]                      # web addresses
  | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                           # mail addresses
  | [:;=]['^-]?[)(\]\[DPpOo3|*]+(?!\w) | <3+(?!\w)         # emoticons
  | [#@][\p{{L}}\p{{N}}_]+                                 # hashtags and handles
  | \p{{Sc}}?(?:(?<!\w)\.)?\p{{Nd}}+(?:[.,:/]\p{{Nd}}+)*   # 10  $11.50  10:30  1,000  24/7
      (?: % | (?:-?[\w--[{_SPACELESS}]]+)* )               # 50%  3rd  10am  20-minute
  | (?:\p{{L}}\.){{2,}}                                    # U.S.  a.m.
  | [wW]/(?:[oO]\b)?(?!\w) | [bB]/[cC]\b                    # w/  w/o  b/c
  | (?=[{_SPACELESS}])\X                                   # one character, with its marks
  | [\w\p{{M}}--[{_SPACELESS}]]+                           # a word …
      (?:[-'’&][\w\p{{M}}--[{_SPACELESS}]]+)*              # … and compounds: mouth-watering
  | \.{{2,}} | …+ | [!?]+ | -{{2,}}                        # ellipses, !!!, --
  | \X                                                     # any other character, emoji whole
"""
_CONTRACTION = r"(?i)(?<=\w)(?:n['’]t|['’](?:s|re|ve|ll|d|m))$"
_CONTRACTIONS = frozenset({"n't", "'s", "'re", "'ve", "'ll", "'d", "'m"})
_NO_SPACE_BEFORE = frozenset(".,!?;:)]}%…”’'/。，、！？；：）」』")
_NO_SPACE_AFTER = frozenset("([{#“‘¿¡/（「『")


@dataclass(frozen=True, slots=True)
class Tokenised:
    """The tokens of a sentence, and its white space where that is not the usual one."""

    tokens: list[str]
    gaps: Mapping[int, str] = field(default_factory=dict)
    """Unusual white space before token i; after the last token, i is the number of tokens."""


def tokenise(text: str) -> Tokenised:
    """Split a sentence into tokens; `detokenise` restores it exactly."""
    tokens: list[str] = []
    gaps: dict[int, str] = {}
    joins = True  # no space is usual before the first token
    for run in text.split(" "):
        cached = _tokenise_run(run)
        if cached is None:
            return _tokenise_in_context(text)
        if (joins or cached.joins_left) and tokens:
            gaps[len(tokens)] = " "
        for index in cached.unspaced:
            gaps[len(tokens) + index] = ""
        tokens += cached.tokens
        joins = cached.joins_right
    return Tokenised(tokens, gaps)


def detokenise(sentence: Tokenised | Sequence[str]) -> str:
    """Turn tokens into text; use the usual white space where no other is given."""
    tokens: Sequence[str]
    gaps: Mapping[int, str]
    tokens, gaps = (
        (sentence.tokens, sentence.gaps) if isinstance(sentence, Tokenised) else (sentence, {})
    )
    pieces, starts = _apply_shifts(tokens)
    spaces = usual_gaps(pieces)
    if gaps:
        spaces = [gaps.get(start, space) for start, space in zip(starts, spaces, strict=True)]
    text = "".join([part for pair in zip(spaces, pieces, strict=True) for part in pair])
    return text + gaps.get(len(tokens), "")


def split_run(run: str) -> list[str]:
    """Split a run without white space into pieces; joined, they are the run again."""
    pieces: list[str] = []
    for piece in _piece_pattern().findall(run):
        if "'" in piece or "’" in piece:
            pieces.extend(_split_contractions(piece))
        else:
            pieces.append(piece)
    return pieces


def mark_case(piece: str) -> tuple[str, ...]:
    """Write a capitalised word as `<shift>` and its lower case; return others unchanged."""
    lower = piece.lower()
    if lower != piece and lower[:1].upper() + lower[1:] == piece:
        return SHIFT, lower
    return (piece,)


def usual_gaps(pieces: Sequence[str]) -> list[str]:
    """Return the usual white space before each piece of a sentence."""
    gaps: list[str] = []
    joins = True  # no space is usual before the first piece
    after_spaceless = in_quotes = False
    for piece in pieces:
        spacing = _spacing(piece)
        if spacing.is_quote:
            in_quotes = not in_quotes
            joins = joins or not in_quotes  # a closing quote joins the piece it closes
        elif spacing.joins_left or (after_spaceless and spacing.is_spaceless):
            joins = True
        gaps.append("" if joins else " ")
        joins = in_quotes if spacing.is_quote else spacing.joins_right
        after_spaceless = spacing.is_spaceless
    return gaps


class _Spacing(NamedTuple):
    """How a piece is spaced from its neighbours."""

    joins_left: bool
    joins_right: bool
    is_quote: bool  # a straight quote: opens and closes alternately
    is_spaceless: bool  # from a script written without spaces


@lru_cache(maxsize=1 << 15)
def _spacing(piece: str) -> _Spacing:
    import regex

    if piece == '"':
        return _Spacing(joins_left=False, joins_right=False, is_quote=True, is_spaceless=False)
    is_contraction = piece.lower().replace("’", "'") in _CONTRACTIONS
    is_mark = not any(character.isalnum() for character in piece)
    is_emoticon = len(piece) > 1 and piece[0] in ":;=<"
    is_currency = len(piece) == 1 and regex.match(r"\p{Sc}", piece) is not None
    return _Spacing(
        joins_left=is_contraction or (is_mark and not is_emoticon and piece[0] in _NO_SPACE_BEFORE),
        joins_right=is_currency or (is_mark and not is_emoticon and piece[-1] in _NO_SPACE_AFTER),
        is_quote=False,
        is_spaceless=regex.match(rf"[{_SPACELESS}。，、！？；：）（「」『』]", piece) is not None,
    )


class _CachedRun(NamedTuple):
    """The tokens of a run, where they do not depend on the runs around it."""

    tokens: tuple[str, ...]
    unspaced: tuple[int, ...]  # tokens usually preceded by a space, but not in this run
    joins_left: bool
    joins_right: bool


@lru_cache(maxsize=1 << 16)
def _tokenise_run(run: str) -> _CachedRun | None:
    """Tokenise a run once; return None if its spacing depends on the runs around it."""
    if len(run) > _MAX_CACHED_RUN_CHARACTERS or '"' in run or not _RUN.fullmatch(run):
        return None
    pieces = split_run(run)
    first, last = _spacing(pieces[0]), _spacing(pieces[-1])
    if first.is_spaceless or last.is_spaceless:
        return None
    tokenised = _tokenise_in_context(run)
    return _CachedRun(
        tuple(tokenised.tokens), tuple(tokenised.gaps), first.joins_left, last.joins_right
    )


def _tokenise_in_context(text: str) -> Tokenised:
    """Tokenise any text: paired quotes, white space of every kind."""
    pieces: list[str] = []
    spaces: list[str] = []
    end = 0
    for run in _RUN.finditer(text):
        run_pieces = split_run(run.group())
        pieces += run_pieces
        spaces += [text[end : run.start()], *[""] * (len(run_pieces) - 1)]
        end = run.end()
    tokens: list[str] = []
    gaps: dict[int, str] = {}
    for piece, space, usual in zip(pieces, spaces, usual_gaps(pieces), strict=True):
        if space != usual:
            gaps[len(tokens)] = space
        tokens += mark_case(piece)
    if end < len(text):
        gaps[len(tokens)] = text[end:]
    return Tokenised(tokens, gaps)


def _apply_shifts(tokens: Sequence[str]) -> tuple[list[str], list[int]]:
    """Capitalise the words after `<shift>`; return the pieces and the token each starts at."""
    pieces: list[str] = []
    starts: list[int] = []
    shift = -1  # index of the pending <shift>
    for index, token in enumerate(tokens):
        if token == SHIFT:
            shift = index if shift < 0 else shift
        elif shift < 0:
            pieces.append(token)
            starts.append(index)
        else:
            pieces.append(_capitalise(token))
            starts.append(shift)
            shift = -1
    return pieces, starts


def _capitalise(word: str) -> str:
    """Capitalise a word unless `mark_case` would not undo it: "iPhone" stays."""
    capitalised = word[:1].upper() + word[1:]
    return capitalised if mark_case(capitalised) == (SHIFT, word) else word


def _split_contractions(piece: str) -> list[str]:
    """Split off contractions: "shouldn't've" → should, n't, 've."""
    endings: list[str] = []
    while match := _contraction_pattern().search(piece):
        endings.append(match.group())
        piece = piece[: match.start()]
    return [piece, *reversed(endings)]


# `regex` is imported with the first sentence: commands that tokenise nothing start faster.
@cache
def _piece_pattern() -> "Pattern[str]":
    import regex

    return regex.compile(_PIECE, regex.VERBOSE | regex.VERSION1)


@cache
def _contraction_pattern() -> "Pattern[str]":
    import regex

    return regex.compile(_CONTRACTION)
