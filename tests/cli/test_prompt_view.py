from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from tersely.cli.prompt_view import PromptView, Shown, suggestion_lines
from tersely.completion.completer import Suggestion
from tersely.errors import UsageError

UP, DOWN, ENTER, END, CLEAR, REMEMBER = "\x1b[A", "\x1b[B", "\r", "\x04", "\x03", "\x12"


def suggest(text: str) -> list[Suggestion]:
    sentences = [f"{text.strip()} one.", f"{text.strip()} two.", f"{text.strip()} three."]
    return [Suggestion(sentence, 0.3, ()) for sentence in sentences]


@contextmanager
def view_of(suggesting=suggest, **options) -> Iterator[tuple[PromptView, PipeInput]]:
    with create_pipe_input() as pipe:
        options = {"can_remember": True, **options}
        yield PromptView(suggesting, input=pipe, output=DummyOutput(), **options), pipe


def picked(keys: str, **options) -> str | None:
    with view_of(**options) as (view, pipe):
        pipe.send_text(keys)
        return view.run()


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (f"late{ENTER}", "late one."),
        ("late\x1b1", "late one."),
        ("late\x1b2", "late two."),
        ("late\x1b3", "late three."),
        (f"lat\x7f\x7fong{ENTER}", "long one."),
    ],
)
def test_a_sentence_is_picked_by_enter_or_by_number(keys: str, sentence: str) -> None:
    assert picked(keys) == sentence


def test_arrows_choose_once_there_is_something_to_choose() -> None:
    is_there = Event()
    with view_of() as (view, pipe):
        take = view._take

        def taken(*given) -> None:
            take(*given)
            if given[0] == "late":
                is_there.set()
                pipe.send_text(f"{DOWN}{DOWN}{DOWN}{UP}{ENTER}")

        view._take = taken
        pipe.send_text("late")
        assert view.run() == "late three."
    assert is_there.is_set()


def test_a_number_without_a_suggestion_picks_nothing() -> None:
    assert picked("late\x1b9\x1b2") == "late two."
    assert picked(f"{ENTER}\x1b1{END}") is None


@pytest.mark.parametrize("keys", [END, f"late{END}", CLEAR, f"late{CLEAR}{CLEAR}"])
def test_the_prompt_ends_when_the_person_has_enough(keys: str) -> None:
    assert picked(keys) is None


def test_ctrl_c_clears_the_line_first() -> None:
    assert picked(f"never{CLEAR}late{ENTER}") == "late one."


def test_what_cannot_be_completed_is_told_and_typing_goes_on() -> None:
    told: list[str] = []

    def refuse(text: str) -> list[Suggestion]:
        if "?" in text:
            raise UsageError("No questions.")
        return suggest(text)

    with view_of(refuse) as (view, pipe):
        take = view._take

        def taken(*given) -> None:
            take(*given)
            if view._shown.problem:
                told.append(view._shown.problem)
                pipe.send_text(f"\x7f{ENTER}")

        view._take = taken
        pipe.send_text("late?")
        assert view.run() == "late one."
    assert told == ["No questions."]


def test_only_suggestions_for_what_is_typed_now_are_picked() -> None:
    """The first answer is held back until more has been typed: it is too late then."""
    more_typed = Event()

    def slow(text: str) -> list[Suggestion]:
        if text == "l":
            assert more_typed.wait(20)
        return suggest(text)

    with view_of(slow) as (view, pipe):
        ask = view._ask

        def asked() -> None:
            ask()
            if view._buffer.text == "late":
                more_typed.set()

        view._ask = asked
        pipe.send_text(f"late{ENTER}")
        assert view.run() == "late one."


def test_remembering_is_off_until_it_is_switched_on() -> None:
    with view_of() as (view, pipe):
        assert not view.remembers
        pipe.send_text(f"{REMEMBER}late{ENTER}")
        assert view.run() == "late one."
        assert view.remembers
        assert view._help_text().endswith("remembering is on")
    with view_of(can_remember=False) as (view, pipe):
        pipe.send_text(f"{REMEMBER}late{ENTER}")
        view.run()
        assert not view.remembers
        assert "emember" not in view._help_text()


def test_lines_are_numbered_and_what_was_typed_is_marked() -> None:
    shown = Shown("late", [Suggestion("I am late.", 0.5, ()), Suggestion("Late.", 0.1, ())])
    shown.chosen = 1
    lines = suggestion_lines(shown)
    assert "".join(text for _, text in lines) == "1  I am late.\n2  Late.\n"
    assert ("" + " class:typed", "late") in lines
    assert ("class:chosen class:typed", "Late") in lines
    assert suggestion_lines(Shown(problem="No."))[-1] == ("", "No.\n")
