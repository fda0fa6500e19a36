"""Sixty inputs of every kind, each with its rules, on the default model."""

from typing import Any

import pytest

from tersely.completion.completer import Completer
from tersely.completion.suggestion import Suggestion
from tersely_lab.benchmarks.showcase import (
    Case,
    cases,
    contains_all,
    contains_any_order,
    differ_in_words,
    ends_as_typed,
    lacks,
    measure,
    offers_correction,
    render,
)


@pytest.fixture(scope="module")
def completer() -> Completer:
    return Completer.load()


def suggestions(*texts: str) -> list[Suggestion]:
    return [Suggestion(text, 0.5, tuple(text.split())) for text in texts]


def test_every_input_satisfies_its_rules(completer: Completer) -> None:
    for row in measure(completer, cases()):
        assert row["broken"] == [], row


SENT = {
    "10 minutes late": "I will be 10 minutes late.|I'll be 10 minutes late.|I'm 10 minutes late.",
    "thank help yesterday": "Thank you for your help yesterday.|Thank you for the help yesterday.",
    "see tomorrow morning": "See you tomorrow morning.|I'll see you tomorrow morning.",
    "where station?": "Where is the station?|Where's the station?",
}


@pytest.mark.parametrize("typed", SENT)
def test_a_person_would_send_the_first_suggestion(completer: Completer, typed: str) -> None:
    assert completer.complete(typed)[0].text in SENT[typed].split("|")


@pytest.mark.parametrize(
    ("rule", "typed", "texts"),
    [
        (contains_all, "late 10", ["10 minutes late."]),
        (contains_any_order, "late 10", ["10 minutes early."]),
        (ends_as_typed, "late?", ["I am late."]),
        (lacks("was"), "late", ["He was late."]),
        (offers_correction("late"), "lste", ["He was lste."]),
        (differ_in_words, "late", ["He is late.", "He is late!"]),
    ],
)
def test_a_rule_can_be_broken(rule: Any, typed: str, texts: list[str]) -> None:
    assert not rule(Case("kind", typed), suggestions(*texts))


def test_inputs_with_broken_rules_are_named_below_the_table(completer: Completer) -> None:
    case = Case("kind", "late", rules=(lacks("late"),))
    rows = measure(completer, [case])
    assert rows[0]["broken"] == ["lacks"]
    text = render(rows)
    assert "broken for: late." in text
    assert "### kind" in text
    assert rows[0]["suggestions"][0]["text"] in text


def test_there_are_sixty_inputs_of_ten_kinds() -> None:
    assert len(cases()) == len({(case.typed, str(case.options)) for case in cases()}) == 60
    assert len({case.kind for case in cases()}) == 10
    assert all(case.rules for case in cases())
