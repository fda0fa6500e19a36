"""Alignment: where keywords and phrases occur in a sentence.

`align` matches tokens exactly. `find_phrases` matches keywords as people type them: a phrase is a
run of adjacent words, and case matters only for words typed with a capital. Both choose the
leftmost occurrences, which leave the most room for the keywords that follow.
`keyword_spans` turns matches into character spans, for highlighting.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from tersely.text.tokens import SHIFT

Phrase = tuple[str, ...]
"""Words that are next to each other; a `<shift>` before a word requires its capital."""
Span = tuple[int, int]
"""First index, and the index after the last one."""

TokenT = TypeVar("TokenT", bound=Hashable)


def align(keywords: Iterable[TokenT], tokens: Sequence[TokenT]) -> list[int] | None:
    """Return the leftmost index of each keyword; None if they are not a subsequence."""
    indices: list[int] = []
    start = 0
    for keyword in keywords:
        try:
            index = tokens.index(keyword, start)
        except ValueError:
            return None
        indices.append(index)
        start = index + 1
    return indices


def find_phrases(
    phrases: Sequence[Phrase],
    tokens: Sequence[str],
    *,
    in_order: bool = True,
    prefix: bool = False,
    at_end: bool = False,
) -> list[Span] | None:
    """Return the token span of each phrase; None unless all of them occur.

    - `in_order`: each phrase must follow the previous one. Otherwise each may occur anywhere, and
      a phrase given twice need not occur twice.
    - `prefix`: the last word of the last phrase may be the beginning of a word.
    - `at_end`: the last phrase must end the sentence.
    """
    spans: list[Span] = []
    start = 0
    for number, phrase in enumerate(phrases, 1):
        is_last = number == len(phrases)
        occurrences = _occurrences(phrase, tokens, start=start, prefix=prefix and is_last)
        needs_end = at_end and is_last
        span = next((span for span in occurrences if not needs_end or span[1] == len(tokens)), None)
        if span is None:
            return None
        spans.append(span)
        start = span[1] if in_order else 0
    return spans


def contains_phrase(tokens: Sequence[str], phrase: Phrase) -> bool:
    """Return whether the words of a phrase occur next to each other."""
    return find_phrases([phrase], tokens) is not None


def token_spans(tokens: Sequence[str], text: str) -> list[Span]:
    """Return the character span of each token in a text; that of `<shift>` is empty.

    The text is the tokens with white space between them, as `detokenise` returns it.
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
    phrases: Sequence[Phrase],
    tokens: Sequence[str],
    text: str,
    *,
    prefix: bool = False,
    at_end: bool = False,
) -> list[Span]:
    """Return the character spans of the typed words in a text, from left to right.

    Each phrase is matched after the previous one where possible, and elsewhere if it only occurs
    there. A phrase that does not occur is skipped. With `prefix`, the span of the last word covers
    only the characters that were typed.
    """
    characters = token_spans(tokens, text)
    is_free = [True] * len(tokens)
    spans: list[Span] = []
    after = 0
    for number, phrase in enumerate(phrases, 1):
        is_prefix = prefix and number == len(phrases)
        free_spans = [
            span
            for span in _occurrences(phrase, tokens, prefix=is_prefix)
            if all(is_free[span[0] : span[1]])
        ]
        if not free_spans:
            continue
        first, after = _preferred(free_spans, after, at_end=at_end and number == len(phrases))
        words = [index for index in range(first, after) if tokens[index] != SHIFT]
        for index in range(first, after):
            is_free[index] = False
        spans += [characters[index] for index in words]
        if is_prefix and words:
            start, end = spans[-1]
            spans[-1] = (start, min(end, start + len(phrase[-1])))
    return sorted(span for span in spans if span[0] < span[1])


def split_at_spans(text: str, spans: Sequence[Span]) -> list[tuple[str, bool]]:
    """Split a text into the parts inside (True) and outside (False) of rising spans."""
    parts: list[tuple[str, bool]] = []
    position = 0
    for start, end in spans:
        parts += [(text[position:start], False), (text[start:end], True)]
        position = end
    parts.append((text[position:], False))
    return [part for part in parts if part[0]]


def _preferred(spans: Sequence[Span], after: int, *, at_end: bool) -> Span:
    """Return the last span if `at_end`; else the first from `after` on, or the first of all."""
    if at_end:
        return spans[-1]
    return next((span for span in spans if span[0] >= after), spans[0])


def _occurrences(
    phrase: Phrase, tokens: Sequence[str], *, start: int = 0, prefix: bool = False
) -> Iterator[Span]:
    """Yield the token spans of a phrase, from left to right."""
    if not phrase:
        yield from ((first, first) for first in range(start, len(tokens)))
        return
    initial, is_prefix = phrase[0], prefix and len(phrase) == 1
    for first in range(start, len(tokens)):
        if _is_same(tokens[first], initial, is_prefix=is_prefix):
            end = _match(phrase, tokens, first, prefix=prefix)
            if end is not None:
                yield first, end


def _match(phrase: Phrase, tokens: Sequence[str], index: int, *, prefix: bool) -> int | None:
    """Return the index after a phrase that begins at `index`; None if it does not."""
    for number, word in enumerate(phrase):
        # Within a phrase, a word may have a capital that was not typed.
        if number and word != SHIFT and index < len(tokens) and tokens[index] == SHIFT:
            index += 1
        is_prefix = prefix and number == len(phrase) - 1
        if index == len(tokens) or not _is_same(tokens[index], word, is_prefix=is_prefix):
            return None
        index += 1
    return index


def _is_same(token: str, word: str, *, is_prefix: bool) -> bool:
    cased = token.lower() if word == word.lower() else token
    return cased.startswith(word) if is_prefix else cased == word
