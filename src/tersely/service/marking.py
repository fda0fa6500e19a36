"""Marking: where tokens stand in a text, and where the typed keywords stand in a suggestion."""

from collections.abc import Iterator, Mapping, Sequence

from tersely.completion.query import read_typed
from tersely.text.tokens import SHIFT

Span = tuple[int, int]


def token_spans(tokens: Sequence[str], text: str) -> list[Span]:
    """Each token's first character and the one after its last; `<shift>` takes no room.

    The text is the tokens with white space between them, as `detokenise` gives it.
    """
    spans: list[Span] = []
    end = 0
    is_shifted = False
    for token in tokens:
        start = end
        while start < len(text) and text[start].isspace():
            start += 1
        if token == SHIFT:
            spans.append((start, start))
            is_shifted = True
            continue
        written = token[:1].upper() + token[1:] if is_shifted else token
        is_shifted = False
        end = min(len(text), start + len(written))
        spans.append((start, end))
    return spans


def keyword_spans(
    typed: str,
    tokens: Sequence[str],
    text: str,
    *,
    prefix: bool = False,
    read_as: Mapping[str, str] | None = None,
) -> list[Span]:
    """Where the typed keywords stand in a suggestion, each as far left as it can.

    Of an unfinished last word only what was typed is marked. Keywords that stand in another
    order are found, too. `read_as` tells which words were read as others.
    """
    known = read_as or {}
    wanted = [known.get(word, word).lower() for word in read_typed(typed).tokens if word != SHIFT]
    goes_on = prefix and typed[-1:].strip() != ""
    words = [(token.lower(), span) for token, span in _words(tokens, text)]
    free = [True] * len(words)
    found: list[Span] = []
    after = 0
    for place, word in enumerate(wanted):
        is_open = goes_on and place == len(wanted) - 1
        at = _first(word, words, free, after, is_open=is_open)
        if at is None:
            continue
        free[at], after = False, at + 1
        start, end = words[at][1]
        found.append((start, min(end, start + len(word)) if is_open else end))
    return sorted(found)


def _words(tokens: Sequence[str], text: str) -> Iterator[tuple[str, Span]]:
    for token, span in zip(tokens, token_spans(tokens, text), strict=True):
        if token != SHIFT:
            yield token, span


def _first(
    word: str,
    words: Sequence[tuple[str, Span]],
    free: Sequence[bool],
    after: int,
    *,
    is_open: bool,
) -> int | None:
    """The first free place of a word, after the last keyword's if there is one."""
    fits = [
        at
        for at, (token, _) in enumerate(words)
        if free[at] and (token.startswith(word) if is_open else token == word)
    ]
    return next((at for at in fits if at >= after), fits[0] if fits else None)
