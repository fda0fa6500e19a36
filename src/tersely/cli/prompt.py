"""The prompt of `tersely complete`: suggestions as one types, picked by number or arrow.

What is picked is printed, copied to the clipboard where there is one, and remembered if that
was switched on. Everything of prompt_toolkit is in here and in prompt_view.py, imported when the
prompt opens; without it, or without a terminal to draw on, there is a plain prompt.
"""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.completion.completer import Completer, Suggestion
AsList = Callable[[list["Suggestion"]], str]


def open_prompt(completer: "Completer", n: int, as_list: AsList, **asked: Any) -> None:
    """Complete what is typed until the person has enough; `as_list` is for the plain prompt."""
    if not 1 <= n <= 10:
        raise UsageError(f"{n} suggestions: between 1 and 10 can be asked for.")
    if find_spec("prompt_toolkit") is not None and sys.stdout.isatty():
        _full_prompt(completer, n, **asked)
    else:
        plain_prompt(completer, n, as_list, **asked)


def plain_prompt(completer: "Completer", n: int, as_list: AsList, **asked: Any) -> None:
    """Ask line by line."""
    print("Type keywords and Enter; Ctrl-D ends.")
    while True:
        try:
            keywords = input("> ")
        except EOFError:
            print()
            return
        if keywords.strip():
            print(as_list(completer.complete(keywords, n, **asked)))


def _full_prompt(completer: "Completer", n: int, **asked: Any) -> None:
    from prompt_toolkit.output import create_output

    from tersely.cli.clipboard import copy
    from tersely.cli.prompt_view import PromptView

    output = create_output()

    def to_terminal(sequence: str) -> None:
        output.write_raw(sequence)
        output.flush()

    view = PromptView(
        lambda text: completer.complete(text, n, **{**asked, "prefix": True}),
        can_remember=completer.memory is not None,
    )
    pick_until_enough(
        view,
        show=print,
        copy=lambda text: copy(text, to_terminal),
        remember=completer.memory.remember if completer.memory is not None else lambda _: None,
    )


def pick_until_enough(
    view: Any,
    *,
    show: Callable[[str], object],
    copy: Callable[[str], object],
    remember: Callable[[str], object],
) -> None:
    """Let a person pick sentence after sentence."""
    while (picked := view.run()) is not None:
        show(picked)
        copy(picked)
        if view.remembers:
            remember(picked)
