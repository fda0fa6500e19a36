"""The clipboard, where there is one.

On the machine one sits at, pyperclip knows the system's. Over SSH, or where there is none, the
terminal is asked to do it (OSC 52); terminals that do not know how ignore it.
"""

import base64
import os
from collections.abc import Callable, Mapping

MAX_BYTES = 74_994
"""What xterm takes in one sequence."""


def copy(
    text: str, write: Callable[[str], None], environment: Mapping[str, str] = os.environ
) -> None:
    """Put text on the clipboard; `write` sends a sequence to the terminal as it is."""
    if "SSH_CONNECTION" not in environment and _copy_here(text):
        return
    content = text.encode()
    if len(content) <= MAX_BYTES:
        write(f"\033]52;c;{base64.b64encode(content).decode('ascii')}\a")


def _copy_here(text: str) -> bool:
    try:
        import pyperclip
    except ImportError:
        return False
    try:
        pyperclip.copy(text)
    except (pyperclip.PyperclipException, OSError):
        return False
    return True
