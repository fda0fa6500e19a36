from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.message import addresses_in, sender_of, text_of_mail, unflowed


def mail(text=None, html=None, **headers):
    message = EmailMessage()
    message["From"] = headers.pop("sender", "Bob <bob@example.org>")
    if text is not None:
        message.set_content(text, **headers)
    if html is not None:
        (message.add_alternative if text is not None else message.set_content)(html, subtype="html")
    return message


def text_of(raw, *, cut_off=False, encoding="utf-8"):
    data = raw if isinstance(raw, bytes) else raw.as_bytes()
    return text_of_mail(data, cut_off=cut_off, encoding=encoding)


@pytest.mark.parametrize("cte", ["base64", "quoted-printable", "8bit"])
def test_every_transfer_encoding_is_decoded(cte):
    assert text_of(mail("Voilà, that’s it.", cte=cte)) == "Voilà, that’s it."


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8", "cp1252"])
def test_the_character_set_is_heeded(charset):
    assert text_of(mail("Déjà vu.", charset=charset, cte="base64")) == "Déjà vu."


@pytest.mark.parametrize("charset", ["no-such-set", "base64", "us-ascii", "utf-8"])
def test_a_wrong_character_set_is_made_up_for(charset):
    raw = f'Content-Type: text/plain; charset="{charset}"\n\nD\xe9j\xe0 vu.\n'.encode("latin-1")
    assert text_of(raw) == "Déjà vu."


def test_plain_text_is_preferred_to_html():
    assert text_of(mail("Plain.", "<p>Rich.</p>")) == "Plain."


@pytest.mark.parametrize("text", [None, "  \n"])
def test_html_is_read_where_there_is_no_plain_text(text):
    assert text_of(mail(text, "<p>Rich <b>text</b>.</p>")) == "Rich text."


def test_the_quotation_in_an_html_mail_is_cut():
    html = "<p>Yes.</p><p>On 5 Jan 2015 Ann wrote:</p><blockquote>Shall we?</blockquote><p>Bye.</p>"
    assert text_of(mail(html=html)).split() == ["Yes.", "Bye."]


def test_attachments_and_mails_within_are_not_read():
    message = mail("See attached.")
    message.add_attachment("not mine", filename="notes.txt")
    message.add_attachment(mail("Forwarded."))
    assert text_of(message) == "See attached."


def test_text_after_a_picture_is_read_too():
    message = mail("Before.")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", disposition="inline")
    message.add_attachment("After.", disposition="inline")
    assert text_of(message) == "Before.\n\nAfter."


def test_a_cut_off_attachment_does_no_harm_but_a_cut_off_text_does():
    message = mail("Whole.")
    message.add_attachment(b"x" * 10_000, maintype="application", subtype="zip")
    assert text_of(message.as_bytes()[:2000], cut_off=True) == "Whole."
    assert text_of(mail("Long. " * 1000).as_bytes()[:2000], cut_off=True) is None


def test_flowed_lines_are_joined():
    raw = b"Content-Type: text/plain; format=flowed\n\nOne long \nline, \nthen\nanother.\n"
    assert text_of(raw) == "One long line, then\nanother."


def test_flowed_text_keeps_quotes_signature_and_stuffing_apart():
    assert unflowed("> a \n> b\nc \n-- \nme") == ">a b\nc \n-- \nme"
    assert unflowed("> a \nb") == ">a \nb"
    assert unflowed(" From here") == "From here"
    assert unflowed("un \nder", delete_space=True) == "under"


def test_the_sender_is_an_address_in_lower_case():
    assert sender_of(b"From: =?utf-8?q?B=C3=B6b?= <Bob@Example.ORG>\nTo: a@b.c\n\nHi") == (
        "bob@example.org"
    )
    assert sender_of(b"Subject: none\r\n\r\nFrom: no@example.org\r\n") == ""
    assert sender_of(b"From: \xff\xfe <bob@example.org>\n\n") == "bob@example.org"


def test_several_addresses_are_parted_by_commas():
    assert addresses_in("Bob <BOB@a.org>, rob@b.org, nobody") == ["bob@a.org", "rob@b.org"]


@given(st.binary() | st.text(st.sampled_from('Content-Typ: multpar/;b="-\n\r ><')).map(str.encode))
def test_any_bytes_survive_being_read_as_mail(raw):
    sender_of(raw)
    assert isinstance(text_of(raw), str)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", ["(", ":", "<", "a@b,", "\n "])
def test_a_hostile_sender_takes_no_longer_than_it_should(piece):
    sender = sender_of(b"From: " + piece.encode() * 100_000 + b"\n\nHi.")
    assert not sender or "@" in sender


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", [";", "; n*1=a", "\n ;"])
def test_a_mail_with_a_vast_header_is_not_taken_apart(piece):
    raw = f"Content-Type: text/plain; {piece * 100_000}\n\nHi."
    assert text_of(raw.encode()) is None
