"""Lexer: a run of characters without white space → its pieces.

A piece is what a person would call one word, number or punctuation mark. Pieces
laid end to end are the run again, letter for letter; case marks are added by
tokens.py, white space is the job of spacing.py.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regex import Pattern

SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts written without spaces between words; their text is cut by character."""

_PIECE = rf"""
    https?://\S*[\w/] | www\.\S*[\w/]                      # web addresses
  | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                           # mail addresses
  | [:;=]['^-]?[)(\]\[DPpOo3|*]+(?!\w) | <3+(?!\w)         # emoticons
  | [#@][\p{{L}}\p{{N}}_]+                                 # hashtags and handles
  | \p{{Sc}}?(?:(?<!\w)\.)?\p{{Nd}}+(?:[.,:/]\p{{Nd}}+)*   # 10  $11.50  10:30  1,000  24/7
      (?: % | (?:-?[\w--[{SPACELESS}]]+)* )                # 50%  3rd  10am  20-minute
  | (?:\p{{L}}\.){{2,}}                                    # U.S.  a.m.
  | [wW]/(?:[oO]\b)?(?!\w) | [bB]/[cC]\b                    # w/  w/o  b/c
  | (?=[{SPACELESS}])\X                                    # one character, with its marks
  | [\w\p{{M}}--[{SPACELESS}]]+                            # a word …
      (?:[-'’&][\w\p{{M}}--[{SPACELESS}]]+)*               # … and compounds: mouth-watering
  | \.{{2,}} | …+ | [!?]+ | -{{2,}}                        # ellipses, !!!, --
  | \X                                                     # any other character, emoji whole
"""

_ENDING = r"(?i)(?<=\w)(?:n['’]t|['’](?:s|re|ve|ll|d|m))$"


@cache
def _piece() -> "Pattern[str]":
    import regex

    return regex.compile(_PIECE, regex.VERBOSE | regex.VERSION1)


@cache
def _ending() -> "Pattern[str]":
    import regex

    return regex.compile(_ENDING)


def pieces(run: str) -> list[str]:
    """Cut a run without white space into words, numbers and punctuation."""
    found: list[str] = []
    for piece in _piece().findall(run):
        if "'" in piece or "’" in piece:
            found.extend(_without_contractions(piece))
        else:
            found.append(piece)
    return found


def _without_contractions(piece: str) -> list[str]:
    """Cut the endings off: "shouldn't've" → should, n't, 've."""
    endings: list[str] = []
    while match := _ending().search(piece):
        endings.append(match.group())
        piece = piece[: match.start()]
    return [piece, *reversed(endings)]
