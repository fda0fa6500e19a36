"""A mail message: its sender, and the text that its author wrote.

The text is decoded, and quoted replies, forwarded mails and signatures are removed.
mail.py splits a mailbox into messages; html.py converts HTML bodies.
"""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import getaddresses

from tersely.corpus.formats.html import html_to_text

_FALLBACK_CHARSETS = ("utf-8", "cp1252")
_SIGNATURE_MARK = "-- "
_MAX_ADDRESS_CHARACTERS = 1000
# The email package is slow on very long headers; legitimate ones have a few lines.
_LONG_HEADER = re.compile(rb"(?im)^content-(?:type|disposition):(?:[^\n]|\n[ \t]){4000}")

_MAX_ATTRIBUTION_LINES = 3
_MAX_ATTRIBUTION_CHARACTERS = 300  # per line; the patterns are slow on longer ones
_MAX_HEADER_LINES = 6
_MIN_HEADERS = 2

_DATE_OR_ADDRESS = r"(?=.*(?:\b\d{4}\b|\d{1,2}[:.]\d{2}|\d/\d|\S@\S))"
_DATED_ATTRIBUTION = re.compile(
    rf"{_DATE_OR_ADDRESS}(?:On\b.*\b(?:wrote|writes)\s?:|.*<\S+@[^<>]+>(?:\s*(?:wrote|writes))?\s?:)",
    re.DOTALL,
)
_ANY_ATTRIBUTION = re.compile(r".*\b(?:wrote|writes|said)\s?:")
_CUT = re.compile(
    r"-{2,}\s*(?:original|forwarded)\s+(?:message|mail|appointment)\b.*-{2,}"
    r"|begin forwarded message:"
    r"|--\s?",
    re.IGNORECASE,
)
_HEADER_BLOCK_START = re.compile(r"\W*from:\W*\s\S", re.IGNORECASE)
_HEADER_BLOCK_LINE = re.compile(r"\W*(?:sent|date|to|cc|subject|reply-to):", re.IGNORECASE)
_DEVICE_LINE = re.compile(
    r"sent from my \S+(?: \S+){0,5}"
    r"|sent (?:from|via|with|using) .{0,40}\b"
    r"(?:mail|iphone|ipad|android|samsung|galaxy|blackberry|outlook|phone|mobile|windows)\b.{0,40}"
    r"|get outlook for .{1,40}",
    re.IGNORECASE,
)
_RULE = re.compile(r"[-_=*~]{5,}")


def sender_address(raw: bytes) -> str:
    """Return the address in the From header in lower case; empty if there is none."""
    head = re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[0]
    header = BytesHeaderParser().parsebytes(head).get("From")
    try:
        addresses = parse_addresses(str(header or "")[:_MAX_ADDRESS_CHARACTERS])
    except RecursionError:  # deeply nested brackets
        return ""
    return addresses[0] if addresses else ""


def parse_addresses(text: str) -> list[str]:
    """Return the addresses in a header or option in lower case."""
    return [address.lower() for _, address in getaddresses([text]) if "@" in address]


def message_text(raw: bytes, *, is_cut_off: bool, encoding: str) -> str | None:
    """Return the text that the author wrote; None if it is incomplete or cannot be parsed."""
    if _LONG_HEADER.search(raw):
        return None
    message = message_from_bytes(raw)
    parts = list(_readable_parts(message))
    if is_cut_off and _last_leaf(message) in parts:
        return None
    return "\n\n".join(filter(None, (_part_text(part, encoding) for part in parts)))


def _readable_parts(message: Message) -> Iterator[Message]:
    """Yield the parts that a mail program displays: plain text before HTML, no attachments."""
    if message.get_content_disposition() == "attachment":
        return
    if not message.is_multipart():
        if message.get_content_type() in ("text/plain", "text/html"):
            yield message
        return
    if message.get_content_maintype() != "multipart":
        return  # a mail inside the mail is not its author's text
    branches = [list(_readable_parts(part)) for part in _subparts(message)]
    if message.get_content_subtype() == "alternative":
        yield from _preferred_branch([branch for branch in branches if branch])
        return
    for branch in branches:
        yield from branch


def _preferred_branch(branches: list[list[Message]]) -> list[Message]:
    plain = (branch for branch in branches if branch[0].get_content_type() == "text/plain")
    non_empty = (branch for branch in plain if _decode(branch[0], "utf-8").strip())
    return next(non_empty, branches[-1] if branches else [])


def _subparts(message: Message) -> list[Message]:
    payload = message.get_payload()
    return (
        [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []
    )


def _last_leaf(message: Message) -> Message:
    while subparts := _subparts(message):
        message = subparts[-1]
    return message


def _part_text(part: Message, encoding: str) -> str:
    text = _decode(part, encoding)
    if part.get_content_type() == "text/html":
        text = html_to_text(text)
    elif str(part.get_param("format", "")).lower() == "flowed":
        text = unwrap_flowed(text, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
    return strip_quotes(text)


def _decode(part: Message, encoding: str) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    for name in filter(None, (charset, encoding, *_FALLBACK_CHARSETS)):
        try:
            return data.decode(name).replace("\r\n", "\n")
        except (LookupError, ValueError):
            continue
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def unwrap_flowed(text: str, *, delete_space: bool = False) -> str:
    """Join the lines that format=flowed wrapped (RFC 3676)."""
    lines: list[str] = []
    open_depth: int | None = None  # quote depth of the paragraph that continues
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        if content == _SIGNATURE_MARK:
            lines.append(">" * depth + content)
            open_depth = None
            continue
        flows = content.endswith(" ")
        if flows and delete_space:
            content = content[:-1]
        if open_depth == depth:
            lines[-1] += content
        else:
            lines.append(">" * depth + content)
        open_depth = depth if flows else None
    return "\n".join(lines)


def strip_quotes(body: str) -> str:
    """Remove quoted replies, forwarded mails and signatures from the text of a mail."""
    lines = body.replace("\r\n", "\n").split("\n")
    author_lines: list[str] = []
    index = 0
    while index < len(lines) and not _starts_tail(lines, index):
        attribution = _attribution_length(lines, index)
        if attribution:
            if not _quote_follows(lines, index + attribution):
                break  # an unmarked quotation, up to the end
            index += attribution
            continue
        if not _is_boilerplate(lines[index]):
            author_lines.append(lines[index].rstrip())
        index += 1
    return re.sub(r"\n{3,}", "\n\n", "\n".join(author_lines)).strip()


def _is_boilerplate(line: str) -> bool:
    text = line.strip()
    return (
        _is_quoted(line)
        or _RULE.fullmatch(text) is not None
        or _DEVICE_LINE.fullmatch(text) is not None
    )


def _starts_tail(lines: list[str], index: int) -> bool:
    """Return True if a signature, a forwarded mail or an unmarked quotation starts here."""
    if _CUT.fullmatch(lines[index]) or _CUT.fullmatch(lines[index].strip(" *")):
        return True
    if not _HEADER_BLOCK_START.match(lines[index]):
        return False
    following = lines[index + 1 : index + _MAX_HEADER_LINES]
    return sum(bool(_HEADER_BLOCK_LINE.match(line)) for line in following) >= _MIN_HEADERS


def _attribution_length(lines: list[str], index: int) -> int:
    """Return the number of lines of an "On … wrote:" that starts here; 0 if none does."""
    if not lines[index].strip() or len(lines[index]) > _MAX_ATTRIBUTION_CHARACTERS:
        return 0
    if _ANY_ATTRIBUTION.fullmatch(lines[index].strip()) and _quote_follows(lines, index + 1):
        return 1
    for length in range(1, _MAX_ATTRIBUTION_LINES + 1):
        span = [
            line.strip()[:_MAX_ATTRIBUTION_CHARACTERS] for line in lines[index : index + length]
        ]
        if len(span) < length or not span[-1] or _is_quoted(span[-1]):
            return 0
        if _DATED_ATTRIBUTION.fullmatch("\n".join(span)):
            return length
    return 0


def _is_quoted(line: str) -> bool:
    # An address may be wrapped: "<ann@example.org" and "> wrote:" on the next line.
    return line.startswith(">") and line != "> wrote:"


def _quote_follows(lines: list[str], index: int) -> bool:
    while index < len(lines) and not lines[index].strip():
        index += 1
    return index < len(lines) and _is_quoted(lines[index])
