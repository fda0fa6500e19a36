import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.quoting import own_words

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
def test_what_others_wrote_and_signatures_are_cut(rest):
    assert own_words(f"{REPLY}\n\n{rest}\n") == REPLY


def test_an_answer_below_the_quotation_is_kept():
    body = "On 5 Jan 2015 Ann <ann@example.org> wrote:\n> Shall we?\n\nYes.\n\n> When?\nAt noon.\n"
    assert own_words(body) == "Yes.\n\nAt noon."


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
def test_ordinary_sentences_are_kept(line):
    assert own_words(f"{line}\nAnd more.") == f"{line}\nAnd more."


def test_runs_of_blank_lines_shrink_to_one():
    assert own_words("One.\n\n\n\n\nTwo.\r\n") == "One.\n\nTwo."


@given(st.text())
def test_any_text_survives_and_gets_no_longer(text):
    assert len(own_words(text)) <= len(text)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", ["<a@b", "<", "x wrote:\n\n", "-", "On 2015\n", "From: a\n"])
def test_hostile_text_takes_no_longer_than_it_should(piece):
    text = "On 2015 " + piece * (200_000 // len(piece))
    assert len(own_words(text)) <= len(text)
