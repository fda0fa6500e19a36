from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from tersely.cli.live_prompt import (
    LatestRequestWorker,
    LivePrompt,
    PromptState,
    Suggest,
    format_suggestions,
)
from tersely.completion.suggestion import Suggestion
from tersely.errors import UsageError

UP, DOWN, ENTER, CTRL_D, CTRL_C, CTRL_R = "\x1b[A", "\x1b[B", "\r", "\x04", "\x03", "\x12"
ALT_1, ALT_2, ALT_3, ALT_9, BACKSPACE = "\x1b1", "\x1b2", "\x1b3", "\x1b9", "\x7f"
TIMEOUT_SECONDS = 20


def suggest(text: str) -> list[Suggestion]:
    sentences = [f"{text.strip()} one.", f"{text.strip()} two.", f"{text.strip()} three."]
    return [Suggestion(sentence, 0.3, ()) for sentence in sentences]


@contextmanager
def prompt_with_input(
    suggest: Suggest = suggest, *, has_memory: bool = True
) -> Iterator[tuple[LivePrompt, PipeInput]]:
    with create_pipe_input() as pipe:
        yield LivePrompt(suggest, has_memory=has_memory, input=pipe, output=DummyOutput()), pipe


def accepted_sentence(keys: str) -> str | None:
    with prompt_with_input() as (prompt, pipe):
        pipe.send_text(keys)
        return prompt.run()


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (f"late{ENTER}", "late one."),
        (f"late{ALT_1}", "late one."),
        (f"late{ALT_2}", "late two."),
        (f"late{ALT_3}", "late three."),
        (f"lat{BACKSPACE}{BACKSPACE}ong{ENTER}", "long one."),
    ],
)
def test_enter_or_a_number_accepts_a_suggestion(keys: str, sentence: str) -> None:
    assert accepted_sentence(keys) == sentence


def test_arrows_move_the_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    has_arrived = Event()
    with prompt_with_input() as (prompt, pipe):
        receive = prompt._receive

        def receive_and_move(text: str, suggestions: Sequence[Suggestion], error: str) -> None:
            receive(text, suggestions, error)
            if text == "late":
                has_arrived.set()
                pipe.send_text(f"{DOWN}{DOWN}{DOWN}{UP}{ENTER}")

        monkeypatch.setattr(prompt, "_receive", receive_and_move)
        pipe.send_text("late")
        assert prompt.run() == "late three."
    assert has_arrived.is_set()


def test_a_number_without_a_suggestion_accepts_nothing() -> None:
    assert accepted_sentence(f"late{ALT_9}{ALT_2}") == "late two."
    assert accepted_sentence(f"{ENTER}{ALT_1}{CTRL_D}") is None


@pytest.mark.parametrize("keys", [CTRL_D, f"late{CTRL_D}", CTRL_C, f"late{CTRL_C}{CTRL_C}"])
def test_ctrl_d_and_ctrl_c_end_the_prompt(keys: str) -> None:
    assert accepted_sentence(keys) is None


def test_ctrl_c_first_clears_the_line() -> None:
    assert accepted_sentence(f"never{CTRL_C}late{ENTER}") == "late one."


def test_an_error_is_shown_and_typing_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[str] = []

    def refuse_questions(text: str) -> list[Suggestion]:
        if "?" in text:
            raise UsageError("No questions.")
        return suggest(text)

    with prompt_with_input(refuse_questions) as (prompt, pipe):
        receive = prompt._receive

        def receive_and_correct(*result: Any) -> None:
            receive(*result)
            if prompt._state.error:
                errors.append(prompt._state.error)
                pipe.send_text(f"{BACKSPACE}{ENTER}")

        monkeypatch.setattr(prompt, "_receive", receive_and_correct)
        pipe.send_text("late?")
        assert prompt.run() == "late one."
    assert errors == ["No questions."]


def test_only_suggestions_for_the_current_text_are_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The suggestions for "l" are held back until "late" is typed; they are stale by then."""
    is_typed = Event()

    def slow_suggest(text: str) -> list[Suggestion]:
        if text == "l":
            assert is_typed.wait(TIMEOUT_SECONDS)
        return suggest(text)

    with prompt_with_input(slow_suggest) as (prompt, pipe):
        on_text_changed = prompt._on_text_changed

        def signal_when_typed() -> None:
            on_text_changed()
            if prompt._buffer.text == "late":
                is_typed.set()

        monkeypatch.setattr(prompt, "_on_text_changed", signal_when_typed)
        pipe.send_text(f"late{ENTER}")
        assert prompt.run() == "late one."


def test_the_memory_is_off_until_it_is_turned_on() -> None:
    with prompt_with_input() as (prompt, pipe):
        assert not prompt.is_memory_on
        pipe.send_text(f"{CTRL_R}late{ENTER}")
        assert prompt.run() == "late one."
        assert vars(prompt)["is_memory_on"]
        assert prompt._help_text().endswith("memory is on")
    with prompt_with_input(has_memory=False) as (prompt, pipe):
        pipe.send_text(f"{CTRL_R}late{ENTER}")
        prompt.run()
        assert not prompt.is_memory_on
        assert "memory" not in prompt._help_text()


def test_suggestions_are_numbered_and_keywords_highlighted() -> None:
    suggestions = [
        Suggestion("I am late.", 0.5, (), spans=((5, 9),)),
        Suggestion("Late.", 0.1, (), spans=((0, 4),)),
    ]
    fragments = format_suggestions(PromptState("late", suggestions, selected=1))
    assert "".join(fragment[1] for fragment in fragments) == "1  I am late.\n2  Late.\n"
    assert (" class:keyword", "late") in fragments
    assert ("class:selected class:keyword", "Late") in fragments
    assert format_suggestions(PromptState(error="No."))[-1] == ("", "No.\n")


class BlockingComputation:
    """A computation that ends only when it may, so that no test depends on time."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.has_started, self.may_end = Event(), Event()

    def __call__(self, request: str) -> str:
        self.requests.append(request)
        self.has_started.set()
        assert self.may_end.wait(TIMEOUT_SECONDS)
        return request.upper()


class Delivery:
    """Records the requests and results a worker delivers."""

    def __init__(self) -> None:
        self.results: list[tuple[str, str]] = []
        self.has_arrived = Event()

    def __call__(self, request: str, result: str) -> None:
        self.results.append((request, result))
        self.has_arrived.set()


def test_a_result_is_delivered_with_its_request() -> None:
    delivery = Delivery()
    worker = LatestRequestWorker(str.upper, delivery)
    worker.submit("late")
    assert delivery.has_arrived.wait(TIMEOUT_SECONDS)
    worker.close()
    assert delivery.results == [("late", "LATE")]


def test_only_the_latest_request_is_computed_and_delivered() -> None:
    compute, delivery = BlockingComputation(), Delivery()
    worker = LatestRequestWorker(compute, delivery)
    worker.submit("l")
    assert compute.has_started.wait(TIMEOUT_SECONDS)
    for request in ("la", "lat", "late"):
        worker.submit(request)
    compute.may_end.set()
    assert delivery.has_arrived.wait(TIMEOUT_SECONDS)
    worker.close()
    assert compute.requests == ["l", "late"]
    assert delivery.results == [("late", "LATE")]


def test_a_closed_worker_delivers_nothing() -> None:
    compute, delivery = BlockingComputation(), Delivery()
    worker = LatestRequestWorker(compute, delivery)
    worker.submit("late")
    assert compute.has_started.wait(TIMEOUT_SECONDS)
    with worker._changed:
        worker._is_open = False
    compute.may_end.set()
    worker.close()
    assert delivery.results == []
