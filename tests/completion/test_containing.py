import pytest

from tersely.completion.containing import contains, contains_each, holds
from tersely.completion.query import read_typed
from tersely.text.tokens import tokenise

SENTENCE = "Tom ate ice cream in New York. Was it cold?"


def tokens(text: str = SENTENCE) -> tuple[str, ...]:
    return tuple(tokenise(text).tokens)


@pytest.mark.parametrize(
    ("text", "in_order", "each"),
    [
        ("", True, True),
        ("ice cold", True, True),
        ("cold ice", False, True),
        ("tom york", True, True),
        ("TOM", False, False),
        ("Tom", True, True),
        ("Ate", False, False),
        ('"ice cream"', True, True),
        ('"cream ice"', False, False),
        ('"ice cold"', False, False),
        ('"new york"', True, True),
        ('"New York"', True, True),
        ('"New york"', True, True),
        ('york "ice cream"', False, True),
        ('"ice cream" york', True, True),
        ("cold?", True, True),
        ("york.", False, False),
        ("? ice", False, True),
        ("ice ice", False, True),
        ("zyzzyva", False, False),
    ],
)
def test_words_stand_there_as_they_were_typed(text: str, in_order: bool, each: bool) -> None:
    assert contains(tokens(), read_typed(text)) == in_order
    assert contains_each(tokens(), read_typed(text)) == each


@pytest.mark.parametrize(
    ("text", "in_order", "each"),
    [
        ("ice co", True, True),
        ("cold ic", False, True),
        ('"ice cr"', True, True),
        ('"tom cr"', False, False),
        ("To", True, True),
        ("ic co", False, False),
        ("zy", False, False),
    ],
)
def test_the_last_word_may_be_a_beginning(text: str, in_order: bool, each: bool) -> None:
    assert contains(tokens(), read_typed(text), prefix=True) == in_order
    assert contains_each(tokens(), read_typed(text), prefix=True) == each


def test_the_first_place_is_not_taken_for_the_only_one() -> None:
    twice = tokens("Is it late? No, but it is late")
    assert contains(twice, read_typed('"it is" late'))
    assert contains(tokens("a b a c"), read_typed('"a c"'))
    assert contains(tokens("Late? Late? Late?"), read_typed("late?"))


def test_case_matters_only_where_a_capital_was_typed() -> None:
    assert contains(tokens("the NATO summit"), read_typed("nato"))
    assert contains(tokens("the NATO summit"), read_typed("NATO"))
    assert not contains(tokens("the nato summit"), read_typed("NATO"))
    assert not contains(tokens("the NATO summit"), read_typed("Nato"))


def test_nothing_holds_words_it_does_not_have() -> None:
    assert holds(tokens(), ("ice", "cream"))
    assert holds(tokens(), ("new", "york"))
    assert not holds(tokens(), ("ice", "cold"))
    assert not holds((), ("ice",))
    assert not holds(("ice",), ("ice", "cream"))
