"""Mailboxes (mbox files): a person's own mails, one document each.

Mails are found one after the other; of each, no more than a document's
length is held, which leaves out attachments, as these come last. Heeds
`sender`. What a mail says is message.py's job.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.lines import place, read_pieces
from tersely.corpus.formats.message import addresses_in, sender_of, text_of_mail
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.streams import RawFile
from tersely.errors import UsageError

_SEPARATOR = re.compile(rb"From (?:\S+ .*\d{1,2}:\d{2}.*\b\d{4}\b.*)?\r?\n?")
_ESCAPED_FROM = re.compile(rb"(?m)^>(>*From )")
_LONGEST_SEPARATOR = 300
_BLANK_LINES = (b"\n", b"\r\n")
_MOST_SENDERS_COUNTED = 100_000
_SENDERS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail's bytes, without those beyond the longest document."""

    number: int  # of the line it begins on
    raw: bytes
    cut_off: bool


class Senders:
    """Who sent how many mails of a mailbox."""

    def __init__(self) -> None:
        """Begin with no mail seen."""
        self._mails: Counter[str] = Counter()

    def add(self, sender: str) -> None:
        """Count one mail."""
        if sender in self._mails or len(self._mails) < _MOST_SENDERS_COUNTED:
            self._mails[sender] += 1

    def __len__(self) -> int:
        """Return how many people sent mails."""
        return len(self._mails)

    def most_frequent(self) -> str:
        """Name who sent most, with how much, for people to choose from."""
        return ", ".join(
            f"{sender} ({count})" for sender, count in self._mails.most_common(_SENDERS_SHOWN)
        )


def is_separator(line: bytes) -> bool:
    """Tell the line that begins a mail in a mailbox."""
    return len(line) <= _LONGEST_SEPARATOR and _SEPARATOR.fullmatch(line) is not None


def read_mailbox(
    file: RawFile, options: ReadOptions, *, on_skipped: OnSkipped
) -> Iterator[Document]:
    """Yield the words of each mail its owner sent."""
    owners = frozenset(_owners(options))
    senders = Senders()
    found = False
    for mail in read_mails(file, options.max_document_bytes):
        sender = sender_of(mail.raw)
        if not sender:
            continue
        senders.add(sender)
        if not owners and len(senders) > 1:
            continue  # an error by now: only counting goes on, to tell who sent most
        if not owners or sender in owners:
            found = True
            yield from _document(mail, file, options, on_skipped)
    if not owners and len(senders) > 1:
        raise UsageError(
            f"{file.shown}: mails of several people; most are by {senders.most_frequent()}. "
            "Say whose to take with --sender ADDRESS."
        )
    if owners and len(senders) and not found:
        raise UsageError(
            f"{file.shown}: no mail by {', '.join(sorted(owners))}; most are by "
            f"{senders.most_frequent()}. Give the right --sender."
        )


def read_mails(file: RawFile, max_bytes: int) -> Iterator[Mail]:
    """Cut a mailbox into mails at its "From " lines."""
    parts: list[bytes] = []
    size, first, after_blank, begun = 0, 1, True, False
    at_line_start = True
    for piece in read_pieces(file.stream):
        if at_line_start and _begins_mail(piece.data, after_blank=after_blank):
            if begun:
                yield _mail(parts, size, number=first, max_bytes=max_bytes)
            parts, size, first, begun = [], 0, piece.number, True
        elif begun:
            if size < max_bytes:
                parts.append(piece.data[: max_bytes - size])
            size += len(piece.data)
        elif piece.data.strip():
            raise UsageError(
                f'{place(file, piece.number)}: not a mailbox, which begins with a "From " line. '
                "Name the format with --format."
            )
        after_blank = at_line_start and piece.data in _BLANK_LINES
        at_line_start = piece.ends_line
    if begun:
        yield _mail(parts, size, number=first, max_bytes=max_bytes)


def _begins_mail(line: bytes, *, after_blank: bool) -> bool:
    # "From " with nothing after it is too little to go by in the middle of a mail.
    return line.startswith(b"From ") and is_separator(line) and (after_blank or len(line) > 8)


def _mail(parts: list[bytes], size: int, *, number: int, max_bytes: int) -> Mail:
    raw = _ESCAPED_FROM.sub(rb"\1", b"".join(parts))
    return Mail(number, raw, cut_off=size > max_bytes)


def _document(
    mail: Mail, file: RawFile, options: ReadOptions, on_skipped: OnSkipped
) -> Iterator[Document]:
    where = place(file, mail.number)
    try:
        text = text_of_mail(mail.raw, cut_off=mail.cut_off, encoding=options.encoding)
    except RecursionError:  # parts within parts within parts
        text = None
    if text is None:
        on_skipped(where)
    elif text:
        yield Document(text, where)


def _owners(options: ReadOptions) -> list[str]:
    if options.sender is None:
        return []
    owners = addresses_in(options.sender)
    if not owners:
        raise UsageError(
            f'--sender "{options.sender}": not an address. Try --sender me@example.org.'
        )
    return owners
