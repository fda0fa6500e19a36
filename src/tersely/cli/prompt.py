"""The prompt of `tersely complete`, and the clipboard.

An accepted sentence is printed, copied to the clipboard and, if the memory is on, remembered.
live_prompt.py shows suggestions while the user types. It is imported only when the prompt
opens; without prompt_toolkit or a terminal there is a plain line-by-line prompt.
"""

import base64
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tersely.completion.completer import Completer
    from tersely.completion.options import CompletionOptions
    from tersely.completion.suggestion import Suggestion

FormatList = Callable[[list["Suggestion"]], str]
MAX_CLIPBOARD_BYTES = 74_994
"""The longest OSC 52 sequence that xterm accepts."""


class View(Protocol):
    """What `accept_sentences` needs of a prompt."""

    is_memory_on: bool

    def run(self) -> str | None:
        """Return the next accepted sentence, or None at the end."""


def open_prompt(
    completer: "Completer", options: "CompletionOptions", format_list: FormatList
) -> None:
    """Complete what the user types until the end of input."""
    if find_spec("prompt_toolkit") is not None and sys.stdout.isatty():
        _run_live_prompt(completer, replace(options, prefix=True))
    else:
        _run_plain_prompt(completer, options, format_list)


def _run_plain_prompt(
    completer: "Completer", options: "CompletionOptions", format_list: FormatList
) -> None:
    print("Type keywords and press Enter; Ctrl-D ends.")
    while True:
        try:
            keywords = input("> ")
        except EOFError:
            print()
            return
        if keywords.strip():
            [suggestions] = completer.complete_with_options([keywords], options)
            print(format_list(suggestions))


def _run_live_prompt(completer: "Completer", options: "CompletionOptions") -> None:
    from prompt_toolkit.output import create_output

    from tersely.cli.live_prompt import LivePrompt

    output = create_output()

    def write(sequence: str) -> None:
        output.write_raw(sequence)
        output.flush()

    memory = completer.memory
    view = LivePrompt(
        lambda text: completer.complete_with_options([text], options)[0],
        has_memory=memory is not None,
    )
    accept_sentences(
        view,
        show=print,
        copy=lambda text: copy(text, write),
        remember=lambda text: memory.remember(text) if memory is not None else None,
    )


def accept_sentences(
    view: View,
    *,
    show: Callable[[str], object],
    copy: Callable[[str], object],
    remember: Callable[[str], object],
) -> None:
    """Process each accepted sentence until the view returns None."""
    while (sentence := view.run()) is not None:
        show(sentence)
        copy(sentence)
        if view.is_memory_on:
            remember(sentence)


def copy(
    text: str, write: Callable[[str], None], environment: Mapping[str, str] = os.environ
) -> None:
    """Copy text to the clipboard; `write` sends an escape sequence to the terminal.

    On a local machine pyperclip uses the system clipboard. Over SSH, or without a system
    clipboard, the sequence OSC 52 makes the terminal copy; some terminals ignore it.
    """
    if "SSH_CONNECTION" not in environment and _copy_to_system(text):
        return
    content = text.encode()
    if len(content) <= MAX_CLIPBOARD_BYTES:
        write(f"\033]52;c;{base64.b64encode(content).decode('ascii')}\a")


def _copy_to_system(text: str) -> bool:
    try:
        import pyperclip
    except ImportError:
        return False
    try:
        pyperclip.copy(text)
    except (pyperclip.PyperclipException, OSError):
        return False
    return True
