"""HTML mails as plain text: words and line breaks, with quotations marked.

A linear-time tokenizer that is sufficient for mail. docs/decisions/libraries.md compares it
with html.parser and selectolax, which take minutes for a hostile megabyte.
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
_HIDDEN = frozenset((*_RAW, "head", "title", "template", "object", "svg"))
_QUOTE_CLASSES = frozenset(("gmail_quote", "yahoo_quoted", "protonmail_quote"))
_SIGNATURE_CLASSES = frozenset(("gmail_signature", "moz-signature"))


@dataclass(frozen=True, slots=True)
class _Tag:
    """An opening or closing tag."""

    name: str
    closes: bool
    classes: frozenset[str]


def html_to_text(markup: str) -> str:
    """Return the text of an HTML document, one line per block element."""
    page = _TextCollector()
    for token in _tokens(markup):
        if isinstance(token, str):
            page.add_text(token)
        elif token.closes:
            page.close(token.name)
        else:
            page.open(token)
    lines = (re.sub(r"\s+", " ", line).strip() for line in "".join(page.parts).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _TextCollector:
    """Collects the text outside of hidden elements, quotations and signatures."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._skipped_tag: str | None = None  # the tag of the element being skipped
        self._depth = 0  # of nested elements with that tag

    def open(self, tag: _Tag) -> None:
        if self._skipped_tag is not None:
            self._depth += tag.name == self._skipped_tag
            return
        is_quote = tag.name == "blockquote" or not tag.classes.isdisjoint(_QUOTE_CLASSES)
        if is_quote or tag.name in _HIDDEN or not tag.classes.isdisjoint(_SIGNATURE_CLASSES):
            self._skipped_tag, self._depth = tag.name, 1
            self.parts.append("\n>\n" if is_quote else "\n")
        elif tag.name in _BLOCKS:
            self.parts.append("\n")

    def close(self, name: str) -> None:
        if self._skipped_tag is None:
            if name in _BLOCKS:
                self.parts.append("\n")
        elif name == self._skipped_tag:
            self._depth -= 1
            if not self._depth:
                self._skipped_tag = None
                self.parts.append("\n")

    def add_text(self, text: str) -> None:
        if self._skipped_tag is None:
            # Line breaks in the source are spaces; tags make the line breaks of the text.
            self.parts.append(re.sub(r"\s+", " ", unescape(text)))


def _tokens(markup: str) -> Iterator[str | _Tag]:
    """Yield text and tags in one pass, also for unclosed tags and comments."""
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
            yield markup[start : start + 1]  # a less-than sign
            position = start + 1


def _end_of(mark: str, markup: str, position: int) -> int:
    match = re.compile(re.escape(mark), re.IGNORECASE).search(markup, position)
    return match.start() if match else len(markup)


def _classes(attributes: str) -> frozenset[str]:
    match = _CLASS.search(attributes)
    return frozenset((match[1] or match[2] or match[3] or "").split()) if match else frozenset()
