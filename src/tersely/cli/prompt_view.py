"""What the prompt looks like and which keys it takes; prompt_toolkit draws it.

    > 10 min la
    1  I will be 10 minutes late.
    2  The bus was 10 minutes late.
    3  It is 10 minutes later.

Suggestions come from another thread (newest.py), so that typing never waits for them. A
sentence picked before its suggestions are there is picked as soon as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.styles import Style

from tersely.cli.marking import marked
from tersely.cli.newest import Newest
from tersely.errors import TerselyError

if TYPE_CHECKING:
    from tersely.completion.completer import Suggestion
STYLE = Style.from_dict(
    {"typed": "bold", "number": "ansibrightblack", "chosen": "reverse", "help": "ansibrightblack"}
)
NUMBERS = "1234567890"

Suggest = Callable[[str], Sequence["Suggestion"]]


@dataclass(slots=True)
class Shown:
    """What is on the screen: suggestions, for which text, and which of them is chosen."""

    text: str = ""
    found: Sequence["Suggestion"] = ()
    problem: str = ""
    chosen: int = 0
    awaited: int | None = field(default=None)
    """A number that was pressed before the suggestions it picks from were there."""


class PromptView:
    """Asks for one sentence at a time."""

    def __init__(self, suggest: Suggest, *, can_remember: bool, **terminal: Any) -> None:
        """`terminal` holds prompt_toolkit's input and output, where they are not the usual."""
        self._suggest, self._can_remember, self._terminal = suggest, can_remember, terminal
        self.remembers = False

    def run(self) -> str | None:
        """Return the sentence picked; None when the person has enough."""
        self._shown = Shown()
        self._buffer = Buffer(multiline=False, on_text_changed=lambda _: self._ask())
        self._newest = Newest(self._work, self._deliver)
        self._application: Application[str | None] = Application(
            layout=Layout(HSplit([self._line(), self._list(), self._help()])),
            key_bindings=self._keys(),
            style=STYLE,
            erase_when_done=True,
            **self._terminal,
        )
        try:
            return self._application.run()
        finally:
            self._newest.close()

    def _ask(self) -> None:
        self._shown.awaited = None
        if self._buffer.text.strip():
            self._newest.ask(self._buffer.text)
        else:
            self._shown = Shown()

    def _work(self, text: str) -> tuple[Sequence["Suggestion"], str]:
        try:
            return self._suggest(text), ""
        except TerselyError as error:
            return (), str(error)

    def _deliver(self, text: str, answer: tuple[Sequence["Suggestion"], str]) -> None:
        """Hand an answer to the thread that draws."""
        loop = self._application.loop
        if loop is not None:
            loop.call_soon_threadsafe(self._take, text, *answer)

    def _take(self, text: str, found: Sequence["Suggestion"], problem: str) -> None:
        if text != self._buffer.text:
            return
        awaited = self._shown.awaited
        self._shown = Shown(text, found, problem)
        if awaited is not None:
            self._pick(awaited)
        self._application.invalidate()

    def _pick(self, place: int) -> None:
        """Pick a suggestion for what is typed now, once it is there."""
        if not self._buffer.text.strip():
            return
        if self._shown.text != self._buffer.text:
            self._shown.awaited = place
        elif place < len(self._shown.found) and not self._application.is_done:
            self._application.exit(result=self._shown.found[place].text)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        for place, number in enumerate(NUMBERS):
            keys.add("escape", number)(lambda _, place=place: self._pick(place))
        keys.add("enter")(lambda _: self._pick(self._shown.chosen))
        keys.add("up")(lambda _: self._move(-1))
        keys.add("down")(lambda _: self._move(+1))
        keys.add("c-d")(lambda event: event.app.exit(result=None))
        keys.add("c-c")(self._clear_or_end)
        if self._can_remember:
            keys.add("c-r")(lambda _: self._switch_memory())
        return keys

    def _move(self, by: int) -> None:
        self._shown.chosen = (self._shown.chosen + by) % max(1, len(self._shown.found))

    def _clear_or_end(self, event: Any) -> None:
        if self._buffer.text:
            self._buffer.reset()
            self._ask()
        else:
            event.app.exit(result=None)

    def _switch_memory(self) -> None:
        self.remembers = not self.remembers

    def _line(self) -> Window:
        control = BufferControl(self._buffer, input_processors=[BeforeInput("> ")])
        return Window(control, height=1)

    def _list(self) -> Window:
        control = FormattedTextControl(lambda: suggestion_lines(self._shown))
        return Window(control, wrap_lines=True, dont_extend_height=True)

    def _help(self) -> Window:
        control = FormattedTextControl(lambda: [("class:help", self._help_text())])
        return Window(control, height=1)

    def _help_text(self) -> str:
        keys = ["Enter copies", "↑ ↓ or Alt+number choose", "Ctrl-D ends"]
        if self._can_remember:
            keys.append(f"Ctrl-R: remembering is {'on' if self.remembers else 'off'}")
        return " · ".join(keys)


def suggestion_lines(shown: Shown) -> StyleAndTextTuples:
    """The suggestions, numbered, what was typed marked, the chosen one apart."""
    lines: StyleAndTextTuples = []
    for place, one in enumerate(shown.found):
        row = "class:chosen" if place == shown.chosen else ""
        lines.append(("class:number", f"{place + 1}  "))
        lines += [
            (f"{row} class:typed" if is_typed else row, part)
            for part, is_typed in marked(one.text, shown.text)
        ]
        lines.append(("", "\n"))
    if shown.problem:
        lines.append(("", f"{shown.problem}\n"))
    return lines
