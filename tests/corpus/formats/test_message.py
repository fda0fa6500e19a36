from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.message import (
    message_text,
    parse_addresses,
    sender_address,
    strip_quotes,
    unwrap_flowed,
)


def mail(text: str | None = None, html: str | None = None, **headers: Any) -> EmailMessage:
    message = EmailMessage()
    message["From"] = headers.pop("sender", "Bob <bob@example.org>")
    if text is not None:
        message.set_content(text, **headers)
    if html is not None:
        (message.add_alternative if text is not None else message.set_content)(html, subtype="html")
    return message


def text_of(
    raw: bytes | EmailMessage, *, is_cut_off: bool = False, encoding: str = "utf-8"
) -> str | None:
    data = raw if isinstance(raw, bytes) else raw.as_bytes()
    return message_text(data, is_cut_off=is_cut_off, encoding=encoding)


@pytest.mark.parametrize("cte", ["base64", "quoted-printable", "8bit"])
def test_every_transfer_encoding_is_decoded(cte: str) -> None:
    assert text_of(mail("Voilà, that’s it.", cte=cte)) == "Voilà, that’s it."


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8", "cp1252"])
def test_the_character_set_is_decoded(charset: str) -> None:
    assert text_of(mail("Déjà vu.", charset=charset, cte="base64")) == "Déjà vu."


@pytest.mark.parametrize("charset", ["no-such-set", "base64", "us-ascii", "utf-8"])
def test_a_wrong_character_set_falls_back_to_another(charset: str) -> None:
    raw = f'Content-Type: text/plain; charset="{charset}"\n\nD\xe9j\xe0 vu.\n'.encode("latin-1")
    assert text_of(raw) == "Déjà vu."


def test_plain_text_is_preferred_to_html() -> None:
    assert text_of(mail("Plain.", "<p>Rich.</p>")) == "Plain."


@pytest.mark.parametrize("text", [None, "  \n"])
def test_html_is_read_where_there_is_no_plain_text(text: str | None) -> None:
    assert text_of(mail(text, "<p>Rich <b>text</b>.</p>")) == "Rich text."


def test_the_quotation_in_an_html_mail_is_removed() -> None:
    html = "<p>Yes.</p><p>On 5 Jan 2015 Ann wrote:</p><blockquote>Shall we?</blockquote><p>Bye.</p>"
    assert (text_of(mail(html=html)) or "").split() == ["Yes.", "Bye."]


def test_attachments_and_mails_within_are_not_read() -> None:
    message = mail("See attached.")
    message.add_attachment("not mine", filename="notes.txt")
    message.add_attachment(mail("Forwarded."))
    assert text_of(message) == "See attached."


def test_text_after_a_picture_is_read_too() -> None:
    message = mail("Before.")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", disposition="inline")
    message.add_attachment("After.", disposition="inline")
    assert text_of(message) == "Before.\n\nAfter."


def test_a_cut_off_attachment_does_no_harm_but_a_cut_off_text_does() -> None:
    message = mail("Whole.")
    message.add_attachment(b"x" * 10_000, maintype="application", subtype="zip")
    assert text_of(message.as_bytes()[:2000], is_cut_off=True) == "Whole."
    assert text_of(mail("Long. " * 1000).as_bytes()[:2000], is_cut_off=True) is None


def test_flowed_lines_are_joined() -> None:
    raw = b"Content-Type: text/plain; format=flowed\n\nOne long \nline, \nthen\nanother.\n"
    assert text_of(raw) == "One long line, then\nanother."


def test_flowed_text_keeps_quotes_signature_and_stuffing_apart() -> None:
    assert unwrap_flowed("> a \n> b\nc \n-- \nme") == ">a b\nc \n-- \nme"
    assert unwrap_flowed("> a \nb") == ">a \nb"
    assert unwrap_flowed(" From here") == "From here"
    assert unwrap_flowed("un \nder", delete_space=True) == "under"


def test_the_sender_is_an_address_in_lower_case() -> None:
    assert sender_address(b"From: =?utf-8?q?B=C3=B6b?= <Bob@Example.ORG>\nTo: a@b.c\n\nHi") == (
        "bob@example.org"
    )
    assert sender_address(b"Subject: none\r\n\r\nFrom: no@example.org\r\n") == ""
    assert sender_address(b"From: \xff\xfe <bob@example.org>\n\n") == "bob@example.org"


def test_several_addresses_are_separated_by_commas() -> None:
    assert parse_addresses("Bob <BOB@a.org>, rob@b.org, nobody") == ["bob@a.org", "rob@b.org"]


@given(st.binary() | st.text(st.sampled_from('Content-Typ: multpar/;b="-\n\r ><')).map(str.encode))
def test_any_bytes_can_be_read_as_mail(raw: bytes) -> None:
    sender_address(raw)
    assert isinstance(text_of(raw), str)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", ["(", ":", "<", "a@b,", "\n "])
def test_a_hostile_sender_takes_linear_time(piece: str) -> None:
    sender = sender_address(b"From: " + piece.encode() * 100_000 + b"\n\nHi.")
    assert not sender or "@" in sender


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", [";", "; n*1=a", "\n ;"])
def test_a_mail_with_a_very_long_header_is_skipped(piece: str) -> None:
    raw = f"Content-Type: text/plain; {piece * 100_000}\n\nHi."
    assert text_of(raw.encode()) is None


REPLY = "Sounds good.\n\nSee you then."


@pytest.mark.parametrize(
    "rest",
    [
        "On Mon, Jan 5, 2015 at 10:21 AM, Ann Lee <ann@example.org> wrote:\n> Shall we?\n> Ann",
        "On Mon, Jan 5, 2015 at 10:21 AM, Ann Lee <ann@example.org>\nwrote:\n\n> Shall we?",
        "On Mon, Jan 5, 2015 at 10:21 AM, Ann Lee\n<ann@example.org\n> wrote:\n> Shall we?",
        "On 5 Jan 2015, at 10:21, Ann Lee wrote:\n\nShall we? Without any marks.",
        "2015-01-05 10:21 GMT+01:00 Ann Lee <ann@example.org>:\n> Shall we?",
        "Ann Lee <ann@example.org> wrote:\nShall we?",
        "Ann wrote:\n> Shall we?",
        "-----Original Message-----\nFrom: Ann\nShall we?",
        "---- Original message ----\nShall we?",
        "---------- Forwarded message ---------\nFrom: Ann\n\nShall we?",
        "Begin forwarded message:\n\n> Shall we?",
        "From: Ann Lee\nSent: Monday, January 5, 2015 10:21\nTo: Bob\nSubject: Lunch\n\nShall we?",
        "*From:* Ann Lee <ann@example.org>\n*Date:* Monday\n*To:* Bob\n\nShall we?",
        "________________________________\nFrom: Ann\nTo: Bob\nSubject: Lunch\n\nShall we?",
        "-- \nBob Ray\nHead of Lunch",
        "--\nBob Ray",
        "Sent from my iPhone",
        "Sent from my Samsung Galaxy smartphone.",
        "Sent from Yahoo Mail on Android",
        "Get Outlook for iOS",
        "> Shall we?\n>> Or not?",
    ],
)
def test_quotations_and_signatures_are_removed(rest: str) -> None:
    assert strip_quotes(f"{REPLY}\n\n{rest}\n") == REPLY


def test_an_answer_below_the_quotation_is_kept() -> None:
    body = "On 5 Jan 2015 Ann <ann@example.org> wrote:\n> Shall we?\n\nYes.\n\n> When?\nAt noon.\n"
    assert strip_quotes(body) == "Yes.\n\nAt noon."


@pytest.mark.parametrize(
    "line",
    [
        "On Monday I went home.",
        "On reflection I like what she wrote:",
        "From: here to eternity is a film.",
        "I got the parcel that was sent from my office in Boston to you yesterday at noon.",
        "It was 5 > 3 again.",
        "-- or so I thought --",
        "The original message was lost.",
        "Two thousand and 15 was fine.",
    ],
)
def test_ordinary_sentences_are_kept(line: str) -> None:
    assert strip_quotes(f"{line}\nAnd more.") == f"{line}\nAnd more."


def test_consecutive_blank_lines_become_one() -> None:
    assert strip_quotes("One.\n\n\n\n\nTwo.\r\n") == "One.\n\nTwo."


@given(st.text())
def test_stripping_quotes_never_lengthens_a_text(text: str) -> None:
    assert len(strip_quotes(text)) <= len(text)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", ["<a@b", "<", "x wrote:\n\n", "-", "On 2015\n", "From: a\n"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = "On 2015 " + piece * (200_000 // len(piece))
    assert len(strip_quotes(text)) <= len(text)
