"""Query: the keywords a person typed, and the text before them, parsed once.

10 min late             keywords, in order
"ice cream" friday      a phrase: ice and cream stay together
where station?          the sentence ends with the question mark
meet Paris              the word keeps its capital
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tersely.text.alignment import Phrase, Span, find_phrases, keyword_spans
from tersely.text.tokens import SHIFT, detokenise, tokenise

ENDINGS = frozenset((".", "?", "!", "…", "...", "?!", "!?", "!!", "!!!", "??", "???"))
CLOSING_MARKS = frozenset(("”", "’", '"', "'", ")", "]", "»"))
MAX_CONTEXT_CHARACTERS = 1000
MAX_CONTEXT_TOKENS = 24
_QUOTED = re.compile(r"[\"“”„]([^\"“”„]*)[\"“”„]")


@dataclass(frozen=True, slots=True)
class Query:
    """Keywords, and which of them must directly follow the previous one."""

    tokens: tuple[str, ...]
    adjacent: tuple[bool, ...]
    """adjacent[i]: token i directly follows token i − 1. The last entry: the sentence ends after
    the last token."""
    has_prefix: bool = False
    """Whether the last word is unfinished: the beginning of a word."""

    @classmethod
    def from_phrases(
        cls, phrases: Sequence[Phrase], *, has_ending: bool = False, has_prefix: bool = False
    ) -> "Query":
        """Concatenate phrases, each of which stays together."""
        tokens = tuple(token for phrase in phrases for token in phrase)
        adjacent = tuple(index > 0 for phrase in phrases for index in range(len(phrase)))
        return cls(tokens, (*adjacent, has_ending), has_prefix)

    @property
    def has_ending(self) -> bool:
        """Whether the last token ends the sentence."""
        return self.adjacent[-1]

    def phrases(self) -> list[Phrase]:
        """Split into what stays together: words, phrases, a capital and its word."""
        phrases: list[list[str]] = []
        for token, is_adjacent in zip(self.tokens, self.adjacent, strict=False):
            if is_adjacent and phrases:
                phrases[-1].append(token)
            else:
                phrases.append([token])
        return [tuple(phrase) for phrase in phrases]

    def split_case_marks(self) -> tuple["Query", tuple[bool, ...]]:
        """Return the query without case marks, and which of its words need a capital."""
        tokens, adjacent, capital = [], [], []
        is_marked = is_adjacent = False
        for token, follows in zip(self.tokens, self.adjacent, strict=False):
            # A mark is adjacent to its word, so the mark's flag holds for both.
            is_adjacent = follows if not is_marked else is_adjacent
            if token == SHIFT:
                is_marked = True
                continue
            tokens.append(token)
            adjacent.append(is_adjacent)
            capital.append(is_marked)
            is_marked = False
        query = Query(tuple(tokens), (*adjacent, self.has_ending), self.has_prefix)
        return query, tuple(capital)

    def matches(self, tokens: Sequence[str], *, in_order: bool = True) -> bool:
        """Return whether a sentence contains the keywords."""
        spans = find_phrases(
            self.phrases(),
            tokens,
            in_order=in_order,
            prefix=self.has_prefix,
            at_end=self.has_ending,
        )
        return spans is not None

    def spans(
        self, tokens: Sequence[str], text: str, corrected: Sequence[tuple[str, str]] = ()
    ) -> tuple[Span, ...]:
        """Return the spans of the keywords in a text, given (typed, correction) pairs."""
        correction_of = dict(corrected)
        phrases = [
            tuple(correction_of.get(word, word) for word in phrase) for phrase in self.phrases()
        ]
        spans = keyword_spans(phrases, tokens, text, prefix=self.has_prefix, at_end=self.has_ending)
        return tuple(spans)


def parse_query(text: str, *, prefix: bool = False) -> Query:
    """Parse keywords as people type them; a quote that is not closed is a plain character.

    With `prefix` the last word may be unfinished, unless white space follows it.
    """
    phrases: list[Phrase] = []
    for part, is_quoted in _split_at_quotes(text):
        tokens = tuple(tokenise(part).tokens)
        if is_quoted and tokens:
            phrases.append(tokens)
        else:
            phrases += _words(tokens)
    return Query.from_phrases(
        phrases,
        has_ending=bool(phrases) and phrases[-1][-1] in ENDINGS,
        has_prefix=prefix and text[-1:].strip() != "",
    )


def _words(tokens: Sequence[str]) -> list[Phrase]:
    """Return one phrase for each word, with the case marks before it."""
    words: list[Phrase] = []
    shifts: Phrase = ()
    for token in tokens:
        if token == SHIFT:
            shifts = (*shifts, token)
        else:
            words.append((*shifts, token))
            shifts = ()
    return [*words, shifts] if shifts else words


def _split_at_quotes(text: str) -> list[tuple[str, bool]]:
    """Split into parts outside quotes (False) and inside them (True)."""
    parts, start = [], 0
    for match in _QUOTED.finditer(text):
        parts += [(text[start : match.start()], False), (match[1], True)]
        start = match.end()
    return [*parts, (text[start:], False)]


@dataclass(frozen=True, slots=True)
class Context:
    """The text before the keywords: its open sentence, or its last complete one.

    After "I am sorry, but " a suggestion is the rest of that sentence, without a capital at its
    start; after "I am sorry. " it is a new sentence, which must not repeat the previous one.
    """

    context_tokens: tuple[str, ...] = ()
    """Tokens of the sentence that is still open."""
    previous: str = ""
    """The last sentence, if it is complete."""


def parse_context(text: str) -> Context:
    """Parse the last sentence of the last line; text before it is ignored."""
    text = text[-MAX_CONTEXT_CHARACTERS:]
    written = text.rstrip()
    tokens = tokenise(written.rpartition("\n")[2]).tokens
    starts = _sentence_starts(tokens)
    if starts[-1] < len(tokens) and "\n" not in text[len(written) :]:
        return Context(context_tokens=_last_tokens(tokens[starts[-1] :]))
    # A line break completes a sentence, with or without a full stop.
    last_start = max((start for start in starts if start < len(tokens)), default=0)
    return Context(previous=detokenise(tokens[last_start:]).strip())


def _last_tokens(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the last tokens; a word whose case mark would be cut off is dropped, too."""
    first = max(0, len(tokens) - MAX_CONTEXT_TOKENS)
    is_cut = first > 0 and tokens[first - 1] == SHIFT
    return tuple(tokens[first + is_cut :])


def _sentence_starts(tokens: Sequence[str]) -> list[int]:
    """Return where sentences begin: at 0, and after each ending and its closing quotes."""
    starts = [0]
    for index, token in enumerate(tokens):
        if token in ENDINGS:
            starts.append(index + 1)
        elif token in CLOSING_MARKS and starts[-1] == index > 0:
            starts[-1] = index + 1
    return starts
