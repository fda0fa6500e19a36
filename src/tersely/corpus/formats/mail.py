"""Mailboxes (mbox files): the mails that one person sent, one document each.

Mails are read one after the other. Of each, at most `max_document_bytes` are loaded, which
excludes large attachments, as these come last. Uses the option `sender`. message.py
extracts the text of a mail.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats.lines import line_location, read_line_chunks
from tersely.corpus.formats.message import message_text, parse_addresses, sender_address
from tersely.corpus.streams import RawFile
from tersely.errors import UsageError

_SEPARATOR = re.compile(rb"From (?:\S+ .*\d{1,2}:\d{2}.*\b\d{4}\b.*)?\r?\n?")
_ESCAPED_FROM = re.compile(rb"(?m)^>(>*From )")
_MAX_SEPARATOR_BYTES = 300
_BLANK_LINES = (b"\n", b"\r\n")
_MAX_SENDERS_COUNTED = 100_000
_MAX_SENDERS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Mail:
    """The bytes of a mail, up to the maximum size of a document."""

    number: int  # of its first line
    raw: bytes
    is_cut_off: bool


class SenderCounts:
    """The number of mails of each sender in a mailbox."""

    def __init__(self) -> None:
        """Start with no mails."""
        self._mails: Counter[str] = Counter()

    def add(self, sender: str) -> None:
        """Count one mail."""
        if sender in self._mails or len(self._mails) < _MAX_SENDERS_COUNTED:
            self._mails[sender] += 1

    def __len__(self) -> int:
        """Return the number of senders."""
        return len(self._mails)

    def describe_top(self) -> str:
        """Return the most frequent senders with their counts, for error messages."""
        return ", ".join(
            f"{sender} ({count})" for sender, count in self._mails.most_common(_MAX_SENDERS_SHOWN)
        )


def is_separator(line: bytes) -> bool:
    """Return True for a line that starts a mail in a mailbox."""
    return len(line) <= _MAX_SEPARATOR_BYTES and _SEPARATOR.fullmatch(line) is not None


def read_mailbox(file: RawFile, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield the text of each mail that the owner sent."""
    owners = frozenset(_owner_addresses(options))
    senders = SenderCounts()
    has_owner_mail = False
    for mail in read_mails(file, options.max_document_bytes):
        sender = sender_address(mail.raw)
        if not sender:
            continue
        senders.add(sender)
        if not owners and len(senders) > 1:
            continue  # an error follows; only the counting continues, for its message
        if not owners or sender in owners:
            has_owner_mail = True
            yield from _mail_document(mail, file, options, on_skip)
    if not owners and len(senders) > 1:
        raise UsageError(
            f"{file.label}: mails of several people; most are by {senders.describe_top()}. "
            "Choose one with --sender ADDRESS."
        )
    if owners and len(senders) and not has_owner_mail:
        raise UsageError(
            f"{file.label}: no mail by {', '.join(sorted(owners))}; most are by "
            f"{senders.describe_top()}. Give the right --sender."
        )


def read_mails(file: RawFile, max_bytes: int) -> Iterator[Mail]:
    """Split a mailbox into mails at its "From " lines."""
    parts: list[bytes] = []
    size, first_line, after_blank, has_started = 0, 1, True, False
    at_line_start = True
    for chunk in read_line_chunks(file.stream):
        if at_line_start and _starts_mail(chunk.data, after_blank=after_blank):
            if has_started:
                yield _mail(parts, size, number=first_line, max_bytes=max_bytes)
            parts, size, first_line, has_started = [], 0, chunk.number, True
        elif has_started:
            if size < max_bytes:
                parts.append(chunk.data[: max_bytes - size])
            size += len(chunk.data)
        elif chunk.data.strip():
            raise UsageError(
                f"{line_location(file, chunk.number)}: not a mailbox; a mailbox starts with a "
                '"From " line. Name the format with --format.'
            )
        after_blank = at_line_start and chunk.data in _BLANK_LINES
        at_line_start = chunk.ends_line
    if has_started:
        yield _mail(parts, size, number=first_line, max_bytes=max_bytes)


def _starts_mail(line: bytes, *, after_blank: bool) -> bool:
    # "From " alone also occurs inside mails; it must follow a blank line.
    return line.startswith(b"From ") and is_separator(line) and (after_blank or len(line) > 8)


def _mail(parts: list[bytes], size: int, *, number: int, max_bytes: int) -> Mail:
    raw = _ESCAPED_FROM.sub(rb"\1", b"".join(parts))
    return Mail(number, raw, is_cut_off=size > max_bytes)


def _mail_document(
    mail: Mail, file: RawFile, options: ReadOptions, on_skip: OnSkip
) -> Iterator[Document]:
    location = line_location(file, mail.number)
    try:
        text = message_text(mail.raw, is_cut_off=mail.is_cut_off, encoding=options.encoding)
    except RecursionError:  # deeply nested parts
        text = None
    if text is None:
        on_skip(location)
    elif text:
        yield Document(text, location)


def _owner_addresses(options: ReadOptions) -> list[str]:
    if options.sender is None:
        return []
    owners = parse_addresses(options.sender)
    if not owners:
        raise UsageError(
            f'--sender "{options.sender}": not an address. Try --sender me@example.org.'
        )
    return owners
