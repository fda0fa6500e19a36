import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.cli.marking import marked


def shown(text: str, typed: str) -> str:
    return "".join(f"[{part}]" if is_typed else part for part, is_typed in marked(text, typed))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("10 late", "I will be [10] minutes [late]."),
        ("10 min la", "I will be [10] [min]utes [la]te."),
        ("will LATE", "I [will] be 10 minutes [late]."),
        ("i", "[I] will be 10 minutes late."),
        ('"10 minutes" late', "I will be [10] [minutes] [late]."),
        ("late 10", "I will be 10 minutes [late]."),
        ("late.", "I will be 10 minutes [late.]"),
        ("late .", "I will be 10 minutes [late][.]"),
        ("inutes", "I will be 10 minutes late."),
        ("soon", "I will be 10 minutes late."),
        ("", "I will be 10 minutes late."),
        ("(", "I will be 10 minutes late."),
    ],
)
def test_what_was_typed_is_marked(typed: str, expected: str) -> None:
    assert shown("I will be 10 minutes late.", typed) == expected


@given(st.text(), st.text())
def test_nothing_is_added_or_lost(text: str, typed: str) -> None:
    assert "".join(part for part, _ in marked(text, typed)) == text
    assert all(part for part, _ in marked(text, typed))
