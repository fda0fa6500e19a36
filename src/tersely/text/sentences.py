"""Sentences: split running text into sentences.

The library sentencex finds the boundaries in edited prose. The rules around it are for
reviews and mail: which line breaks count, what follows a full stop (brackets, emoticons,
emoji), and known errors of the library. Splitting a sentence into tokens is done in tokens.py.

Only white space is lost. docs/decisions/sentence-segmenter.md compares the libraries and
measures the rules.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from tersely.errors import UsageError

# Lines.
_MIN_WRAP_COLUMNS = 40  # no program wraps lines at fewer columns ...
_MAX_WRAP_COLUMNS = 120  # ... nor at more: the breaks after longer lines are the author's
_BULLET = re.compile(r"[•‣◦▪●·*]|[-–+](?=[ A-Za-z])|\(?[0-9]{1,2}[.)] |[A-Za-z]\) ")
_OPEN_WORDS = (  # words that do not end a sentence
    "a|an|the|this|my|our|your|his|her|its|their|and|or|but|so|nor|as|if|than|because|of|to|in|on"
    "|at|by|for|from|with|without|into|is|are|was|were|be|i|we|you|they|he|she|very|dr|mr|mrs|ms"
    "|prof|st"
)
_OPEN_END = re.compile(rf"(?:[,;&–—-]|\b(?:{_OPEN_WORDS}) ?[.…]*) ?$", re.IGNORECASE)

# What may follow a full stop and still belong to its sentence.
_EMOJI = r"[\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\U0001f1e6-\U0001faff]"
_EMOTICON = r"(?:[:;=]['’]?-?[)(\]DPp/\\]+|(?<![A-Za-z])[xX]D+|<3+|\^_?\^)(?![^\s.!?,])"
_EMOTICONS = rf"(?:{_EMOTICON}|{_EMOJI})(?: ?(?:{_EMOTICON}|{_EMOJI}))*+"
_TRAILING_EMOTICONS = re.compile(rf"{_EMOTICONS}(?: |(?=\w)|$)")
_TRAILING_CLOSERS = re.compile(r"[)\]]+[.!?]*(?: |$)|(?<! )[\"'”’]+(?: |$)")

# Boundaries the library misses. It takes these words for abbreviations.
_FALSE_ABBREVIATIONS = "me|no|may|miss|art|ill|fed|ok|OK|fig|con|id|etc|min|hr|sec|mo|ft|oz|lb"
_GAP = re.compile(r" (?<=[^\w,] )(?=\w)|…(?=[A-Z][a-z])")
_MISSED_BOUNDARY = re.compile(
    rf"[!?][!?]$"
    rf"|(?P<capital>\b(?:{_FALSE_ABBREVIATIONS})\.|[a-z][.!?][)\]]|…)$"
    rf"|(?:(?<=[\w\"”)])|(?<=[\w.!?…,\"”)] ))(?P<emoticons>{_EMOTICONS})$"
    rf"|(?P<dots>\.\.)$"
)

# Boundaries the library finds in error: after unknown abbreviations, list numbers and hours.
_ABBREVIATIONS = frozenset(
    "acct addl amt appt appts approx apt asst avg bday bldg dbl doz ea est excl ext gal govt hrs"
    " incl intl lbs lg ln lrg mgmt mgr mins misc mos natl orig pcs pkg prev qty resv rm secs sgl"
    " sm tbsp tel tsp univ vol wk wks yr yrs"
    " Mon Tue Tues Wed Weds Thu Thur Thurs Fri Sat Sun".split()  # "we sat. we ate."
)
_LAST_WORD = re.compile(r"([A-Za-z]+)\. ?$")
_LIST_NUMBER = re.compile(r"(?:^|: )\(?[0-9]{1,2}[.)] $")
_HOUR = re.compile(r"[0-9] ?[ap]\.m\. $", re.IGNORECASE)
_DAY = re.compile(r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day|\b)|[ECMP]S?T\b")
_PRONOUN = re.compile(r"I\b")
_DOTS = re.compile(r"(?:\.\.|…) ?$")

_WINDOW_CHARACTERS = 2048  # the library takes quadratic time on a run of quotes
_UNSAFE = re.compile(r"[\ud800-\udfff]|(?<=[0-9])\"")  # it fails on these, or pairs inch marks


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each on one line; requires sentencex."""
    sentences = []
    for block in _blocks(text):
        for start, end in pairwise([0, *_ends(block)]):
            if sentence := block[start:end].strip():
                sentences.append(sentence)
    return sentences


def _blocks(text: str) -> Iterator[str]:
    """Yield stretches of text that no sentence crosses, with single spaces as white space."""
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        words = " ".join(line.split())
        if words:
            paragraph.append(words)
        elif paragraph:
            yield from _unwrap(paragraph)
            paragraph = []


def _unwrap(paragraph: list[str]) -> Iterator[str]:
    """Join lines that were wrapped for width."""
    width = max(map(len, paragraph))
    joined = paragraph[:1]
    for line, following in pairwise(paragraph):
        if _BULLET.match(following) or _has_hard_break(line, following, width=width):
            yield " ".join(joined)
            joined = []
        joined.append(following)
    yield " ".join(joined)


def _has_hard_break(line: str, following: str, *, width: int) -> bool:
    """Return True if the line was ended by its author rather than wrapped for width.

    The first word of the next line would have fitted on a wrapped line.
    """
    first = following.lstrip("\"“'#")[:1]
    if not (first.isupper() or first.isdigit()) or _OPEN_END.search(line[-16:]):
        return False
    room = max(width, _MIN_WRAP_COLUMNS) - len(line)
    return width > _MAX_WRAP_COLUMNS or room > len(following.split(" ", 1)[0])


def _ends(block: str) -> list[int]:
    """Return the offsets at which sentences end, including the end of the block."""
    ends = {
        _correct_boundary(block, start, end)
        for start, end in pairwise([0, *_library_boundaries(block)])
    }
    gaps = {gap.end() for gap in _GAP.finditer(block)}
    ends.update(gap for gap in gaps - ends if _is_missed_boundary(block, gap))
    ends.discard(0)
    ends.add(len(block))
    return sorted(ends)


def _is_missed_boundary(block: str, end: int) -> bool:
    """Return True if a sentence ends before this gap although the library continues it."""
    before = block[max(0, end - 24) : end].rstrip()
    match = _MISSED_BOUNDARY.search(before)
    if not match or match.lastgroup is None:
        return match is not None
    if not block[end].isupper():
        return False
    if match.lastgroup == "capital":
        return True
    if match.lastgroup == "dots" and not _PRONOUN.match(block, end):
        return False  # the library decides these correctly
    return not _OPEN_END.search(before[: match.start(match.lastgroup)])


def _correct_boundary(block: str, start: int, end: int) -> int:
    """Return the corrected end of a sentence that the library found; 0 if it continues."""
    before, after = block[max(start, end - 16) : end], block[end : end + 16]
    if _is_false_boundary(before, after):
        return 0
    if emoticons := _TRAILING_EMOTICONS.match(block, end):
        return emoticons.end()
    if closers := _TRAILING_CLOSERS.match(block, end):
        end = closers.end()
        return 0 if block[end : end + 1].islower() else end
    glued = before[-1:] != " " and not (after[:1].isupper() or after[:1] in "\"“'‘(#@$")
    return 0 if glued and not after[:1].isdigit() else end


def _is_false_boundary(before: str, after: str) -> bool:
    """Return True if the sentence continues although the library ends it here."""
    if _LIST_NUMBER.search(before) or (_HOUR.search(before) and _DAY.match(after)):
        return True
    if _DOTS.search(before):
        return bool(_OPEN_END.search(before))
    word = _LAST_WORD.search(before)
    if word is None or after[:1].isupper():
        return False
    return word[1] in _ABBREVIATIONS or word[1].lower() in _ABBREVIATIONS


def _library_boundaries(block: str) -> Iterator[int]:
    """Yield the boundaries that sentencex finds, in time linear in the length of the block."""
    safe = _UNSAFE.sub("\ufffd", block)
    start = 0
    while start < len(block):
        sentences = _segment(safe[start : start + _WINDOW_CHARACTERS])
        if start + _WINDOW_CHARACTERS < len(block):
            sentences.pop()  # cut off by the window; the next window starts with it
        end = start
        for sentence in sentences:
            end += len(sentence)
            yield end
        start = max(end, start + _WINDOW_CHARACTERS // 2)


def _segment(window: str) -> list[str]:
    """Return the sentences that sentencex finds; the whole window where it fails."""
    try:
        sentences: list[str] = load_segmenter().segment("en", window)
    except BaseException as failure:
        if type(failure).__name__ != "PanicException":  # a panic in Rust is not an Exception
            raise
        return [window]
    return sentences if sum(map(len, sentences)) == len(window) else [window]


@cache
def load_segmenter() -> Any:
    """Import sentencex; raise UsageError if it is not installed."""
    try:
        import sentencex
    except ImportError:
        raise UsageError(
            'Splitting text into sentences requires sentencex: pip install "tersely[train]". '
            "If each document is one sentence already, pass --sentences instead."
        ) from None
    return sentencex
