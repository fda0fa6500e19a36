import math
from dataclasses import replace
from typing import Any

import pytest

from tersely.completion.options import CompletionOptions
from tersely.completion.query import parse_query
from tersely.decoding.deadline import NO_DEADLINE, Deadline
from tersely.errors import UsageError


def test_by_default_nothing_is_required_and_nothing_forbidden() -> None:
    options = CompletionOptions()
    assert options.n == 3
    assert (options.required_phrases, options.forbidden_words) == ([], frozenset())
    options.check_query(parse_query("10 minutes late"))
    assert options.start_deadline() is NO_DEADLINE


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"n": 0}, "n must be between 1 and 10, got 0"),
        ({"n": 11}, "n must be between 1 and 10, got 11"),
        ({"order": "any"}, 'order must be "typed" or "free", got \'any\''),
        ({"order": None}, 'order must be "typed" or "free"'),
        ({"deadline": 0}, "above 0, got 0"),
        ({"deadline": -1.5}, "above 0, got -1.5"),
        ({"deadline": math.nan}, "above 0, got nan"),
        ({"including": "late"}, "including must be a list of words"),
        ({"without": "late"}, "without must be a list of words"),
        ({"including": ["late"], "without": ["late"]}, '"late" is both required and forbidden'),
        (
            {"including": ["ice cream"], "without": ["Cream"]},
            '"cream" is both required and forbidden',
        ),
    ],
)
def test_invalid_options_are_refused(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        CompletionOptions(**fields)


def test_required_phrases_are_tokenised_as_sentences_are() -> None:
    options = CompletionOptions(including=["sorry", "ice cream", "Paris", "  ", ""])
    assert options.required_phrases == [("sorry",), ("ice", "cream"), ("<shift>", "paris")]


def test_a_capital_alone_is_not_forbidden() -> None:
    options = CompletionOptions(without=["Paris", "ice cream"])
    assert options.forbidden_words == {"paris", "ice", "cream"}
    CompletionOptions(without=["paris"]).check_query(parse_query("Rome"))


def test_a_forbidden_word_is_forbidden_in_capitals_too() -> None:
    upper, lower = CompletionOptions(without=["OK"]), CompletionOptions(without=["ok"])
    assert upper.forbidden_words == lower.forbidden_words == {"ok"}
    for typed, forbidden in (("NATO", "nato"), ("nato", "NATO"), ("Nato", "NATO")):
        with pytest.raises(UsageError, match='"nato" is both required and forbidden'):
            CompletionOptions(without=[forbidden]).check_query(parse_query(typed))


def test_the_order_is_free_if_words_may_move_or_are_inserted() -> None:
    assert CompletionOptions(order="free").has_free_order
    assert CompletionOptions(including=["late"]).has_free_order
    fixed = CompletionOptions(including=[" "], without=["late"], prefix=True, context="I am")
    assert not fixed.has_free_order


def test_prefixes_corrections_and_free_order_expand_a_query() -> None:
    for options in (
        CompletionOptions(prefix=True),
        CompletionOptions(corrections=True),
        CompletionOptions(order="free"),
        CompletionOptions(including=["late"]),
    ):
        assert options.has_expansions
    plain = CompletionOptions(n=10, without=["late"], context="I am", deadline=1.0)
    assert not plain.has_expansions


@pytest.mark.parametrize("text", ["soup late", "Soup", '"soup late"', "late soup?"])
def test_a_keyword_must_not_be_forbidden(text: str) -> None:
    CompletionOptions(without=["cold"]).check_query(parse_query(text))
    with pytest.raises(UsageError, match='"soup" is both required and forbidden'):
        CompletionOptions(without=["soup"]).check_query(parse_query(text))


def test_the_clock_starts_when_completing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    options = CompletionOptions(deadline=2.0)
    monkeypatch.setattr(
        "tersely.completion.options.Deadline",
        type("Clocked", (Deadline,), {"__init__": lambda self, s: start_clock(self, s)}),
    )

    def start_clock(deadline: Deadline, seconds: float) -> None:
        Deadline.__init__(deadline, seconds, clock=lambda: now[0])

    now[0] = 200.0
    deadline = options.start_deadline()
    now[0] = 202.0
    assert not deadline.expired()
    now[0] = 202.1
    assert deadline.expired()
    assert not options.start_deadline().expired()


def test_a_deadline_that_runs_already_is_used_as_it_is() -> None:
    deadline = Deadline(60.0)
    assert CompletionOptions(deadline=deadline).start_deadline() is deadline


@pytest.mark.parametrize("deadline", [None, math.inf])
def test_without_a_deadline_time_is_never_up(deadline: float | None) -> None:
    assert not CompletionOptions(deadline=deadline).start_deadline().expired()


def test_equal_options_are_one_group_whatever_their_deadlines() -> None:
    first = CompletionOptions(including=["ice cream"], deadline=Deadline(1.0))
    second = CompletionOptions(including=("ice cream",), deadline=Deadline(2.0))
    other = CompletionOptions(including=["ice", "cream"], deadline=Deadline(1.0))
    groups = {replace(options, deadline=None) for options in (first, second, other)}
    assert groups == {
        CompletionOptions(including=["ice cream"]),
        CompletionOptions(including=["ice", "cream"]),
    }
    assert first != second
