import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.text.lexer import pieces


@given(st.text(max_size=60).map(lambda text: "".join(text.split())))
def test_pieces_end_to_end_are_the_run(run: str) -> None:
    assert "".join(pieces(run)) == run


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("well-kept", ["well-kept"]),
        ("and/or", ["and", "/", "or"]),
        ("w/", ["w/"]),
        ("$5.99!", ["$5.99", "!"]),
        ("£.50", ["£.50"]),
        ("20-minute", ["20-minute"]),
        ("good.5", ["good", ".", "5"]),
        ("I'd've", ["I", "'d", "'ve"]),
        ("DON’T", ["DO", "N’T"]),
        ("o'clock", ["o'clock"]),
        ("guys'", ["guys", "'"]),
        ("#yum", ["#yum"]),
        ("AT&T", ["AT&T"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("नमस्ते", ["नमस्ते"]),
        ("😀😀", ["😀", "😀"]),
    ],
)
def test_pieces_are_what_a_person_would_call_one_thing(run: str, expected: list[str]) -> None:
    assert pieces(run) == expected
