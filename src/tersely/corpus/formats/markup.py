"""HTML mails as plain text: words and line breaks, quotations marked as quoted.

Enough for mail; this is no browser. The standard library's parser is not
used: up to Python 3.11 it takes minutes over a megabyte of unclosed tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

_TAG = re.compile(r"<(/?)([a-z][^\s/<>]*)([^<>]*)>", re.IGNORECASE)
_DECLARATION = re.compile(r"<[!?][^<>]*>")
_CLASS = re.compile(r"""\bclass\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE)
_BLOCKS = frozenset(
    "address article aside br center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol p pre section table td th tr ul".split()
)
_RAW = ("script", "style")  # no tags inside
_UNSEEN = frozenset((*_RAW, "head", "title", "template", "object", "svg"))
_QUOTE_CLASSES = frozenset(("gmail_quote", "yahoo_quoted", "protonmail_quote"))
_SIGNATURE_CLASSES = frozenset(("gmail_signature", "moz-signature"))


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag, opening or closing."""

    name: str
    closes: bool
    classes: frozenset[str]


def text_of_html(markup: str) -> str:
    """Return the words of an HTML page, a line a block."""
    page = _Page()
    for token in _tokens(markup):
        if isinstance(token, str):
            page.add_text(token)
        elif token.closes:
            page.close(token.name)
        else:
            page.open(token)
    lines = (re.sub(r"\s+", " ", line).strip() for line in "".join(page.parts).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Page:
    """Collects the text outside of what a reader would not see or did not write."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._left_out: str | None = None  # the tag of the element being left out
        self._depth = 0  # of elements of that tag inside each other

    def open(self, tag: _Tag) -> None:
        if self._left_out is not None:
            self._depth += tag.name == self._left_out
            return
        quoted = tag.name == "blockquote" or not tag.classes.isdisjoint(_QUOTE_CLASSES)
        if quoted or tag.name in _UNSEEN or not tag.classes.isdisjoint(_SIGNATURE_CLASSES):
            self._left_out, self._depth = tag.name, 1
            self.parts.append("\n>\n" if quoted else "\n")
        elif tag.name in _BLOCKS:
            self.parts.append("\n")

    def close(self, name: str) -> None:
        if self._left_out is None:
            if name in _BLOCKS:
                self.parts.append("\n")
        elif name == self._left_out:
            self._depth -= 1
            if not self._depth:
                self._left_out = None
                self.parts.append("\n")

    def add_text(self, text: str) -> None:
        if self._left_out is None:
            # Line breaks in the source are spaces; those of the text come from tags.
            self.parts.append(re.sub(r"\s+", " ", unescape(text)))


def _tokens(markup: str) -> Iterator[str | _Tag]:
    """Part text from tags in one walk, whatever is left unclosed."""
    position = 0
    while position < len(markup):
        start = markup.find("<", position)
        if start < 0:
            start = len(markup)
        if start > position:
            yield markup[position:start]
        if match := _TAG.match(markup, start):
            name = match[2].lower()
            yield _Tag(name, closes=bool(match[1]), classes=_classes(match[3]))
            position = match.end()
            if name in _RAW and not match[1]:
                position = _end_of(f"</{name}", markup, position)
        elif markup.startswith("<!--", start):
            position = _end_of("-->", markup, start + 4) + 3
        elif match := _DECLARATION.match(markup, start):
            position = match.end()
        else:
            yield markup[start : start + 1]  # a "less than"
            position = start + 1


def _end_of(mark: str, markup: str, position: int) -> int:
    match = re.compile(re.escape(mark), re.IGNORECASE).search(markup, position)
    return match.start() if match else len(markup)


def _classes(attributes: str) -> frozenset[str]:
    match = _CLASS.search(attributes)
    return frozenset((match[1] or match[2] or match[3] or "").split()) if match else frozenset()
