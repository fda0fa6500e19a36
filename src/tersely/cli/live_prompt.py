"""The live prompt: suggestions while the user types, drawn by prompt_toolkit.

    > 10 min la
    1  I will be 10 minutes late.
    2  The bus was 10 minutes late.
    3  It is 10 minutes later.

A background thread computes the suggestions, so that typing never waits for them. A
suggestion accepted before it has arrived is accepted on arrival.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.styles import Style

from tersely.errors import TerselyError
from tersely.text.alignment import split_at_spans

if TYPE_CHECKING:
    from tersely.completion.suggestion import Suggestion

STYLE = Style.from_dict(
    {
        "keyword": "bold",
        "number": "ansibrightblack",
        "selected": "reverse",
        "help": "ansibrightblack",
    }
)
DIGITS = "1234567890"

Suggest = Callable[[str], Sequence["Suggestion"]]
ResultT = TypeVar("ResultT")


class LatestRequestWorker(Generic[ResultT]):
    """A thread that computes results for the latest request only.

    A new request replaces the pending one. The result of a replaced request is dropped.
    """

    def __init__(
        self, compute: Callable[[str], ResultT], deliver: Callable[[str, ResultT], None]
    ) -> None:
        """Start the thread; it calls `deliver` with each request and its result."""
        self._compute, self._deliver = compute, deliver
        self._changed = Condition()
        self._pending: str | None = None
        self._is_open = True
        self._thread = Thread(target=self._run, name="latest-request", daemon=True)
        self._thread.start()

    def submit(self, request: str) -> None:
        """Compute this request next, in place of the pending one."""
        with self._changed:
            self._pending = request
            self._changed.notify()

    def close(self) -> None:
        """Deliver nothing more; wait for the computation that is running."""
        with self._changed:
            self._is_open = False
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending is not None or not self._is_open)
                if not self._is_open or self._pending is None:
                    return
                request, self._pending = self._pending, None
            result = self._compute(request)
            with self._changed:
                is_latest = self._is_open and self._pending is None
            if is_latest:
                self._deliver(request, result)


@dataclass(slots=True)
class PromptState:
    """The suggestions on the screen, the text they complete, and which one is selected."""

    text: str = ""
    suggestions: Sequence["Suggestion"] = ()
    error: str = ""
    selected: int = 0
    accept_on_arrival: int | None = None
    """The suggestion to accept as soon as those for the current text have arrived."""


class LivePrompt:
    """A prompt that returns one accepted sentence per `run`."""

    def __init__(self, suggest: Suggest, *, has_memory: bool, **terminal: Any) -> None:
        """`terminal` holds prompt_toolkit's `input` and `output`, for tests."""
        self._suggest, self._has_memory, self._terminal = suggest, has_memory, terminal
        self.is_memory_on = False

    def run(self) -> str | None:
        """Return the accepted sentence, or None when the user ends the prompt."""
        self._state = PromptState()
        self._buffer = Buffer(multiline=False, on_text_changed=lambda _: self._on_text_changed())
        self._worker = LatestRequestWorker(self._compute, self._deliver)
        self._application: Application[str | None] = Application(
            layout=Layout(HSplit([self._input_line(), self._suggestion_list(), self._help_line()])),
            key_bindings=self._key_bindings(),
            style=STYLE,
            erase_when_done=True,
            **self._terminal,
        )
        try:
            return self._application.run()
        finally:
            self._worker.close()

    def _on_text_changed(self) -> None:
        self._state.accept_on_arrival = None
        if self._buffer.text.strip():
            self._worker.submit(self._buffer.text)
        else:
            self._state = PromptState()

    def _compute(self, text: str) -> tuple[Sequence["Suggestion"], str]:
        try:
            return self._suggest(text), ""
        except TerselyError as error:
            return (), str(error)

    def _deliver(self, text: str, result: tuple[Sequence["Suggestion"], str]) -> None:
        """Pass a result from the worker's thread to the event loop that draws."""
        loop = self._application.loop
        if loop is not None:
            loop.call_soon_threadsafe(self._receive, text, *result)

    def _receive(self, text: str, suggestions: Sequence["Suggestion"], error: str) -> None:
        if text != self._buffer.text:
            return
        accept_on_arrival = self._state.accept_on_arrival
        self._state = PromptState(text, suggestions, error)
        if accept_on_arrival is not None:
            self._accept(accept_on_arrival)
        self._application.invalidate()

    def _accept(self, index: int) -> None:
        """Accept a suggestion for the current text, or note to accept it on arrival."""
        if not self._buffer.text.strip():
            return
        if self._state.text != self._buffer.text:
            self._state.accept_on_arrival = index
        elif index < len(self._state.suggestions) and not self._application.is_done:
            self._application.exit(result=self._state.suggestions[index].text)

    def _key_bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        for index, digit in enumerate(DIGITS):
            bindings.add("escape", digit)(lambda _, index=index: self._accept(index))
        bindings.add("enter")(lambda _: self._accept(self._state.selected))
        bindings.add("up")(lambda _: self._move_selection(-1))
        bindings.add("down")(lambda _: self._move_selection(+1))
        bindings.add("c-d")(lambda event: event.app.exit(result=None))
        bindings.add("c-c")(self._clear_or_exit)
        if self._has_memory:
            bindings.add("c-r")(lambda _: self._toggle_memory())
        return bindings

    def _move_selection(self, step: int) -> None:
        count = max(1, len(self._state.suggestions))
        self._state.selected = (self._state.selected + step) % count

    def _clear_or_exit(self, event: Any) -> None:
        if self._buffer.text:
            self._buffer.reset()
            self._on_text_changed()
        else:
            event.app.exit(result=None)

    def _toggle_memory(self) -> None:
        self.is_memory_on = not self.is_memory_on

    def _input_line(self) -> Window:
        control = BufferControl(self._buffer, input_processors=[BeforeInput("> ")])
        return Window(control, height=1)

    def _suggestion_list(self) -> Window:
        control = FormattedTextControl(lambda: format_suggestions(self._state))
        return Window(control, wrap_lines=True, dont_extend_height=True)

    def _help_line(self) -> Window:
        control = FormattedTextControl(lambda: [("class:help", self._help_text())])
        return Window(control, height=1)

    def _help_text(self) -> str:
        keys = ["Enter copies", "↑ ↓ or Alt+number choose", "Ctrl-D ends"]
        if self._has_memory:
            keys.append(f"Ctrl-R: memory is {'on' if self.is_memory_on else 'off'}")
        return " · ".join(keys)


def format_suggestions(state: PromptState) -> StyleAndTextTuples:
    """Format the numbered suggestions, keywords in bold, the selected one in reverse."""
    fragments: StyleAndTextTuples = []
    for index, suggestion in enumerate(state.suggestions):
        style = "class:selected" if index == state.selected else ""
        fragments.append(("class:number", f"{index + 1}  "))
        fragments += [
            (f"{style} class:keyword" if is_typed else style, part)
            for part, is_typed in split_at_spans(suggestion.text, suggestion.spans)
        ]
        fragments.append(("", "\n"))
    if state.error:
        fragments.append(("", f"{state.error}\n"))
    return fragments
