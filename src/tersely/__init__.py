"""tersely: type a few keywords, get the sentence.

import tersely
tersely.Completer.load().complete("10 minutes late", n=3)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.completion.completer import Completer
    from tersely.completion.memory import Memory
__version__ = "0.1.0"
__all__ = ["Completer", "Memory", "__version__"]


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: `tersely --help` needs none of it."""
    if name == "Completer":
        from tersely.completion.completer import Completer

        return Completer
    if name == "Memory":
        from tersely.completion.memory import Memory

        return Memory
    raise AttributeError(f"module 'tersely' has no attribute {name!r}")
