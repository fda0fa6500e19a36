import tracemalloc
from collections.abc import Iterator

import pytest

from tersely.corpus.document import ReadOptions
from tersely.corpus.formats.mail import is_separator, read_mailbox, read_mails
from tersely.corpus.streams import RawFile, stream_from_chunks
from tersely.errors import UsageError
from tests.corpus.files import raw_file, read

SEPARATOR = "From bob@example.org Mon Jan  5 10:21:00 2015"


def mail(body: str, sender: str = "Bob <bob@example.org>", separator: str = SEPARATOR) -> str:
    return f"{separator}\nFrom: {sender}\nSubject: x\n\n{body}\n\n"


def test_each_mail_is_a_document_with_its_line() -> None:
    reading = read(read_mailbox, mail("Hello Ann.") + mail("Bye\nAnn."), "sent.mbox")
    assert reading.texts == ["Hello Ann.", "Bye\nAnn."]
    assert reading.locations == ["sent.mbox, line 1", "sent.mbox, line 7"]


def test_windows_line_breaks_do_not_matter() -> None:
    text = (mail("Hello Ann.") + mail("Bye.")).replace("\n", "\r\n")
    assert read(read_mailbox, text).texts == ["Hello Ann.", "Bye."]


@pytest.mark.parametrize(
    "line",
    [
        SEPARATOR,
        "From - Mon Jan  5 10:21:00 2015",
        "From 1489752731294@xxx Mon Jan 05 10:21:00 +0000 2015",
        "From ",
    ],
)
def test_the_separators_of_mail_programs_are_recognised(line: str) -> None:
    assert is_separator(line.encode())
    reading = read(read_mailbox, mail("One.", separator=line) + mail("Two.", separator=line))
    assert reading.texts == ["One.", "Two."]


def test_a_sentence_that_starts_with_from_is_not_a_separator() -> None:
    body = "Well.\n\nFrom here on it is easy.\n\nFrom \tnow on."
    assert read(read_mailbox, mail(body)).texts == [body]


def test_a_from_that_was_escaped_is_restored() -> None:
    assert read(read_mailbox, mail(">From here on.\n> quoted")).texts == ["From here on."]


def test_only_the_mails_of_the_sender_are_read() -> None:
    box = mail("Mine.") + mail("Theirs.", "ann@example.org") + mail("Also mine.", "B@Work.org")
    reading = read(read_mailbox, box, sender="Bob <BOB@example.org>, b@work.org")
    assert reading.texts == ["Mine.", "Also mine."]


def test_mails_of_several_people_require_a_sender() -> None:
    people = ["ann@x.org"] * 2 + ["bob@x.org"] * 3 + ["cy@x.org"] * 2 + ["dee@x.org"]
    box = "".join(mail("Hi.", person) for person in people)
    with pytest.raises(UsageError) as caught:
        read(read_mailbox, box, "all.mbox")
    assert str(caught.value) == (
        "all.mbox: mails of several people; most are by bob@x.org (3), ann@x.org (2), "
        "cy@x.org (2). Choose one with --sender ADDRESS."
    )


def test_the_error_for_a_sender_without_mails_lists_the_senders() -> None:
    with pytest.raises(UsageError, match=r"no mail by me@x\.org; most are by bob@example\.org"):
        read(read_mailbox, mail("Hi."), sender="me@x.org")


def test_a_sender_that_is_not_an_address_is_reported() -> None:
    with pytest.raises(UsageError, match='--sender "Bob": not an address'):
        read(read_mailbox, mail("Hi."), sender="Bob")


def test_mails_without_sender_or_text_are_skipped() -> None:
    draft = f"{SEPARATOR}\nSubject: draft\n\nUnsent.\n\n"
    assert read(read_mailbox, draft + mail("> all quoted") + mail("Mine.")).texts == ["Mine."]


def test_a_file_that_is_not_a_mailbox_is_reported() -> None:
    with pytest.raises(UsageError, match=r"^a\.mbox, line 2: not a mailbox"):
        read(read_mailbox, "\nDear diary,\n", "a.mbox")


def test_a_mail_too_long_is_skipped_and_the_next_one_read() -> None:
    box = mail("word " * 1000) + mail("Short.")
    reading = read(read_mailbox, box, "a.mbox", max_document_bytes=1000)
    assert reading.texts == ["Short."]
    assert reading.skipped == ["a.mbox, line 1"]


def test_deeply_nested_parts_are_skipped() -> None:
    depth = 3000
    opening = "".join(
        f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(depth)
    )
    box = f"{SEPARATOR}\nFrom: bob@example.org\n{opening}\nHi.\n\n" + mail("Fine.")
    reading = read(read_mailbox, box, "a.mbox")
    assert reading.texts == ["Fine."]
    assert reading.skipped == ["a.mbox, line 1"]


def test_a_mail_with_a_large_attachment_is_read_in_little_memory() -> None:
    head = (
        f"{SEPARATOR}\nFrom: bob@example.org\n"
        'Content-Type: multipart/mixed; boundary="B"\n\n'
        "--B\nContent-Type: text/plain\n\nHere it is.\n"
        "--B\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n"
    ).encode()

    def chunks() -> Iterator[bytes]:
        yield head
        for _ in range(100):
            yield (b"A" * 76 + b"\n") * 850
        yield b"--B--\n\n" + mail("Next.").encode()

    file = RawFile(label="a.mbox", name="a.mbox", stream=stream_from_chunks(chunks()))
    tracemalloc.start()
    try:
        options = ReadOptions(max_document_bytes=1 << 16)
        mails = read_mailbox(file, options, on_skip=lambda _: None)
        texts = [document.text for document in mails]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert texts == ["Here it is.", "Next."]
    assert peak < 2 << 20


def test_the_mail_after_a_very_long_line_is_found() -> None:
    data = mail("x" * 200_000).encode() + mail("Next.").encode()
    file = raw_file(data, "a")
    assert [mail.is_cut_off for mail in read_mails(file, 1000)] == [True, False]


@pytest.mark.timeout(120)
def test_a_very_long_line_is_not_a_separator() -> None:
    assert not is_separator(b"From a " + b"1:11 " * 13_000)
