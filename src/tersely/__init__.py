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
    """Import a public class on first use, so that `tersely --help` starts quickly."""
    if name == "Completer":
        from tersely.completion.completer import Completer

        return Completer
    if name == "Memory":
        from tersely.completion.memory import Memory

        return Memory
    raise AttributeError(f"module 'tersely' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public classes, too, although they are imported on first use."""
    return sorted({*globals(), *__all__})
