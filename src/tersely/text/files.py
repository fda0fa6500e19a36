"""UTF-8 text from files and from the command line, checked on the way in."""

from pathlib import Path

from tersely.errors import UsageError


def check_utf8(text: str, name: str) -> None:
    """Raise UsageError if text holds lone surrogates.

    Python decodes command-line bytes that are not UTF-8 to surrogates; `name` is the
    argument they came from.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name}: not UTF-8 text.") from error


def read_text(path: Path) -> str:
    """Read a UTF-8 file; raise UsageError if it cannot be read or decoded."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason}).") from error


def read_sentences(path: Path, limit: int | None = None) -> list[str]:
    """Read the first `limit` sentences of a file, one per line; skip empty lines."""
    lines = (line.strip() for line in read_text(path).split("\n"))
    sentences = [line for line in lines if line][:limit]
    if not sentences:
        raise UsageError(f"{path}: empty. Write one sentence per line.")
    return sentences
