"""Sentences: running text cut where one statement ends and the next begins.

The library sentencex finds the boundaries of edited prose. Around it stand the
rules that reviews and mail need: which line breaks count, what trails a stop
(brackets, emoticons, emoji), and where the library is known to err. Cutting a
sentence into tokens is the neighbour's job (tokens.py).

Only white space is ever lost. Why this library, and what the rules gain:
docs/decisions/sentence-segmenter.md.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import sentencex

# Lines.
_NARROWEST_WRAP = 40  # nobody breaks lines for width at fewer columns ...
_WIDEST_WRAP = 120  # ... nor at more: longer lines end where their writer ended them
_BULLET = re.compile(r"[•‣◦▪●·*]|[-–+](?=[ A-Za-z])|\(?[0-9]{1,2}[.)] |[A-Za-z]\) ")
_OPEN_WORDS = (  # words that leave a sentence open, whatever follows them
    "a|an|the|this|my|our|your|his|her|its|their|and|or|but|so|nor|as|if|than|because|of|to|in|on"
    "|at|by|for|from|with|without|into|is|are|was|were|be|i|we|you|they|he|she|very|dr|mr|mrs|ms"
    "|prof|st"
)
_OPEN_END = re.compile(rf"(?:[,;&–—-]|\b(?:{_OPEN_WORDS}) ?[.…]*) ?$", re.IGNORECASE)

# What trails a stop.
_EMOJI = r"[\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\U0001f1e6-\U0001faff]"
_EMOTICON = r"(?:[:;=]['’]?-?[)(\]DPp/\\]+|(?<![A-Za-z])[xX]D+|<3+|\^_?\^)(?![^\s.!?,])"
_FACES = rf"(?:{_EMOTICON}|{_EMOJI})(?: ?(?:{_EMOTICON}|{_EMOJI}))*+"
_TRAILING_FACES = re.compile(rf"{_FACES}(?: |(?=\w)|$)")
_TRAILING_CLOSERS = re.compile(r"[)\]]+[.!?]*(?: |$)|(?<! )[\"'”’]+(?: |$)")

# Boundaries the library overlooks. The words are those it takes for abbreviations.
_WORDS_IT_SHORTENS = "me|no|may|miss|art|ill|fed|ok|OK|fig|con|id|etc|min|hr|sec|mo|ft|oz|lb"
_GAP = re.compile(r" (?<=[^\w,] )(?=\w)|…(?=[A-Z][a-z])")
_OVERLOOKED = re.compile(
    rf"[!?][!?]$"
    rf"|(?P<capital>\b(?:{_WORDS_IT_SHORTENS})\.|[a-z][.!?][)\]]|…)$"
    rf"|(?:(?<=[\w\"”)])|(?<=[\w.!?…,\"”)] ))(?P<faces>{_FACES})$"
    rf"|(?P<dots>\.\.)$"
)

# Boundaries it should not see: abbreviations it does not know, list numbers, days after hours.
_SHORTENED = frozenset(
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

_WINDOW = 2048  # the library's time grows with the square of a run of quotes
_UNREADABLE = re.compile(r"[\ud800-\udfff]|(?<=[0-9])\"")  # it fails on these; pairs up inches


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each on one line."""
    sentences = []
    for block in _blocks(text):
        for start, end in pairwise([0, *_ends(block)]):
            if sentence := block[start:end].strip():
                sentences.append(sentence)
    return sentences


def _blocks(text: str) -> Iterator[str]:
    """Yield runs of text that no sentence crosses, white space narrowed to single spaces."""
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        words = " ".join(line.split())
        if words:
            paragraph.append(words)
        elif paragraph:
            yield from _unwrap(paragraph)
            paragraph = []


def _unwrap(paragraph: list[str]) -> Iterator[str]:
    """Join the lines that were broken for width alone."""
    width = max(map(len, paragraph))
    joined = paragraph[:1]
    for line, following in pairwise(paragraph):
        if _BULLET.match(following) or _stands_alone(line, following, width=width):
            yield " ".join(joined)
            joined = []
        joined.append(following)
    yield " ".join(joined)


def _stands_alone(line: str, following: str, *, width: int) -> bool:
    """Tell whether a line ended although the next line's first word would have fitted."""
    first = following.lstrip("\"“'#")[:1]
    if not (first.isupper() or first.isdigit()) or _OPEN_END.search(line[-16:]):
        return False
    room = max(width, _NARROWEST_WRAP) - len(line)
    return width > _WIDEST_WRAP or room > len(following.split(" ", 1)[0])


def _ends(block: str) -> list[int]:
    """Return the offsets at which sentences end, the block's own end included."""
    ends = {_settle(block, start, end) for start, end in pairwise([0, *_library_ends(block)])}
    gaps = {gap.end() for gap in _GAP.finditer(block)}
    ends.update(gap for gap in gaps - ends if _overlooked(block, gap))
    ends.discard(0)
    ends.add(len(block))
    return sorted(ends)


def _overlooked(block: str, end: int) -> bool:
    """Tell whether a sentence ends here, before a gap, that the library runs on."""
    before = block[max(0, end - 24) : end].rstrip()
    found = _OVERLOOKED.search(before)
    if not found or found.lastgroup is None:
        return found is not None
    if not block[end].isupper():
        return False
    if found.lastgroup == "capital":
        return True
    if found.lastgroup == "dots" and not _PRONOUN.match(block, end):
        return False  # the library judges these itself
    return not _OPEN_END.search(before[: found.start(found.lastgroup)])


def _settle(block: str, start: int, end: int) -> int:
    """Return where a sentence the library sees ends in truth; 0 if it goes on."""
    before, after = block[max(start, end - 16) : end], block[end : end + 16]
    if _goes_on(before, after):
        return 0
    if faces := _TRAILING_FACES.match(block, end):
        return faces.end()
    if closers := _TRAILING_CLOSERS.match(block, end):
        end = closers.end()
        return 0 if block[end : end + 1].islower() else end
    glued = before[-1:] != " " and not (after[:1].isupper() or after[:1] in "\"“'‘(#@$")
    return 0 if glued and not after[:1].isdigit() else end


def _goes_on(before: str, after: str) -> bool:
    """Tell whether a sentence goes on although the library sees it end."""
    if _LIST_NUMBER.search(before) or (_HOUR.search(before) and _DAY.match(after)):
        return True
    if _DOTS.search(before):
        return bool(_OPEN_END.search(before))
    word = _LAST_WORD.search(before)
    if word is None or after[:1].isupper():
        return False
    return word[1] in _SHORTENED or word[1].lower() in _SHORTENED


def _library_ends(block: str) -> Iterator[int]:
    """Yield the boundaries sentencex sees, in time linear in the block's length."""
    readable = _UNREADABLE.sub("\ufffd", block)
    start = 0
    while start < len(block):
        pieces = _pieces(readable[start : start + _WINDOW])
        if start + _WINDOW < len(block):
            pieces.pop()  # cut off by the window, so read again in the next one
        end = start
        for piece in pieces:
            end += len(piece)
            yield end
        start = max(end, start + _WINDOW // 2)


def _pieces(window: str) -> list[str]:
    """Return what sentencex makes of a text; the text whole where it fails."""
    try:
        pieces: list[str] = sentencex.segment("en", window)
    except BaseException as failure:
        if type(failure).__name__ != "PanicException":  # a failure in Rust is no Exception
            raise
        return [window]
    return pieces if sum(map(len, pieces)) == len(window) else [window]
