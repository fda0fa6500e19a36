"""How much of a source has been read, in bytes on disk.

A meter belongs to one source file. It never reports more than the file's
size, and exactly the size once the source is done, whatever was skipped.
"""

from collections.abc import Callable

OnBytes = Callable[[int], None]


class Meter:
    """Adds up the bytes read of one source and passes them on."""

    def __init__(self, size: int | None = None, on_bytes: OnBytes | None = None) -> None:
        """Meter a source of `size` bytes; None where the size is unknown."""
        self._left = size
        self._on_bytes = on_bytes

    def advance(self, count: int) -> None:
        """Report `count` more bytes, up to the size."""
        if self._left is not None:
            # An archive's directory is read besides its members, some of it twice.
            count = min(count, self._left)
            self._left -= count
        if count and self._on_bytes is not None:
            self._on_bytes(count)

    def finish(self) -> None:
        """Report what is left: members and columns nobody asked for."""
        if self._left:
            self.advance(self._left)
