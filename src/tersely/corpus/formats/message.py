"""One mail: who sent it and what it says, decoded.

Which mails are in a mailbox is mailbox.py's job; which lines of a body are
quoted is told by quoting.py.
"""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import getaddresses

from tersely.corpus.formats.markup import text_of_html
from tersely.corpus.formats.quoting import own_words

_FALLBACK_CHARSETS = ("utf-8", "cp1252")
_SIGNATURE_MARK = "-- "
_LONGEST_ADDRESS = 1000
# The email package is slow on vast headers; honest ones are a few lines.
_VAST_HEADER = re.compile(rb"(?im)^content-(?:type|disposition):(?:[^\n]|\n[ \t]){4000}")


def sender_of(raw: bytes) -> str:
    """Return the address in the From header, in lower case; empty where there is none."""
    head = re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[0]
    header = BytesHeaderParser().parsebytes(head).get("From")
    try:
        addresses = addresses_in(str(header or "")[:_LONGEST_ADDRESS])
    except RecursionError:  # brackets within brackets within brackets
        return ""
    return addresses[0] if addresses else ""


def addresses_in(text: str) -> list[str]:
    """List the addresses in a header or an option, in lower case."""
    return [address.lower() for _, address in getaddresses([text]) if "@" in address]


def text_of_mail(raw: bytes, *, cut_off: bool, encoding: str) -> str | None:
    """Return what the mail's author wrote; None where it cannot be had whole."""
    if _VAST_HEADER.search(raw):
        return None
    message = message_from_bytes(raw)
    parts = list(_readable_parts(message))
    if cut_off and _last_leaf(message) in parts:
        return None
    return "\n\n".join(filter(None, (_text_of_part(part, encoding) for part in parts)))


def _readable_parts(message: Message) -> Iterator[Message]:
    """Choose the parts a reader is shown: text before HTML, no attachments."""
    if message.get_content_disposition() == "attachment":
        return
    if not message.is_multipart():
        if message.get_content_type() in ("text/plain", "text/html"):
            yield message
        return
    if message.get_content_maintype() != "multipart":
        return  # a mail inside the mail is someone's, but not this mail's text
    branches = [list(_readable_parts(part)) for part in _subparts(message)]
    if message.get_content_subtype() == "alternative":
        yield from _preferred([branch for branch in branches if branch])
        return
    for branch in branches:
        yield from branch


def _preferred(branches: list[list[Message]]) -> list[Message]:
    plain = (branch for branch in branches if branch[0].get_content_type() == "text/plain")
    written = (branch for branch in plain if _decoded(branch[0], "utf-8").strip())
    return next(written, branches[-1] if branches else [])


def _subparts(message: Message) -> list[Message]:
    payload = message.get_payload()
    return (
        [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []
    )


def _last_leaf(message: Message) -> Message:
    while subparts := _subparts(message):
        message = subparts[-1]
    return message


def _text_of_part(part: Message, encoding: str) -> str:
    text = _decoded(part, encoding)
    if part.get_content_type() == "text/html":
        text = text_of_html(text)
    elif str(part.get_param("format", "")).lower() == "flowed":
        text = unflowed(text, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
    return own_words(text)


def _decoded(part: Message, encoding: str) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    for name in filter(None, (charset, encoding, *_FALLBACK_CHARSETS)):
        try:
            return data.decode(name).replace("\r\n", "\n")
        except (LookupError, ValueError):
            continue
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def unflowed(text: str, *, delete_space: bool = False) -> str:
    """Join the lines that format=flowed broke (RFC 3676)."""
    lines: list[str] = []
    open_depth: int | None = None  # quote depth of a paragraph that goes on
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
