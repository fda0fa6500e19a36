import math
from typing import Any

import pytest

from tersely.completion import options as wishes
from tersely.completion.options import Wishes
from tersely.completion.query import read_typed
from tersely.errors import UsageError


def test_without_a_wish_nothing_is_asked_for_and_nothing_forbidden() -> None:
    plain = Wishes()
    assert (plain.required, plain.unwanted) == ([], frozenset())
    plain.check(read_typed("10 minutes late"))
    assert not plain.clock()()


@pytest.mark.parametrize(
    ("wish", "complaint"),
    [
        ({"order": "any"}, '"typed" or "free", not \'any\''),
        ({"order": None}, '"typed" or "free"'),
        ({"deadline": 0}, "above 0, not 0"),
        ({"deadline": -1.5}, "above 0, not -1.5"),
        ({"deadline": math.nan}, "above 0, not nan"),
        ({"including": "late"}, r"including= takes a list"),
        ({"without": "late"}, r"without= takes a list"),
        ({"including": ["late"], "without": ["late"]}, '"late" is asked for'),
        ({"including": ["ice cream"], "without": ["Cream"]}, '"cream" is asked for'),
    ],
)
def test_what_cannot_be_wished_is_refused(wish: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Wishes(**wish)


def test_words_that_must_appear_are_cut_as_sentences_are() -> None:
    asked = Wishes(including=["sorry", "ice cream", "Paris", "  ", ""])
    assert asked.required == [("sorry",), ("ice", "cream"), ("<shift>", "paris")]


def test_a_capital_alone_is_not_forbidden() -> None:
    assert Wishes(without=["Paris", "ice cream"]).unwanted == {"paris", "ice", "cream"}
    Wishes(without=["paris"]).check(read_typed("Rome"))


def test_a_forbidden_word_is_forbidden_in_capitals_too() -> None:
    assert Wishes(without=["OK"]).unwanted == Wishes(without=["ok"]).unwanted == {"ok"}
    for typed, forbidden in (("NATO", "nato"), ("nato", "NATO"), ("Nato", "NATO")):
        with pytest.raises(UsageError, match='"nato" is asked for'):
            Wishes(without=[forbidden]).check(read_typed(typed))


def test_words_move_where_the_order_is_free_or_some_must_be_put_in() -> None:
    assert Wishes(order="free").moves
    assert Wishes(including=["late"]).moves
    assert not Wishes(including=[" "], without=["late"], prefix=True, context="I am").moves


@pytest.mark.parametrize("text", ["soup late", "Soup", '"soup late"', "late soup?"])
def test_nobody_types_a_word_and_forbids_it(text: str) -> None:
    Wishes(without=["cold"]).check(read_typed(text))
    with pytest.raises(UsageError, match='"soup" is asked for'):
        Wishes(without=["soup"]).check(read_typed(text))


def test_the_clock_runs_from_when_it_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(wishes, "monotonic", lambda: now[0])
    asked = Wishes(deadline=2.0)
    now[0] = 200.0
    is_late = asked.clock()
    assert not is_late()
    now[0] = 202.0
    assert not is_late()
    now[0] = 202.1
    assert is_late()
    assert not asked.clock()()


@pytest.mark.parametrize("deadline", [None, math.inf])
def test_without_a_deadline_it_is_never_late(
    deadline: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_late = Wishes(deadline=deadline).clock()
    monkeypatch.setattr(wishes, "monotonic", lambda: 1e15)
    assert not is_late()
