"""Lines as they come in: in batches where they are many, at once where someone waits."""

from collections.abc import Iterator
from typing import BinaryIO

from tersely.cli.options import check_text
from tersely.errors import UsageError

BATCH = 32
CHUNK = 1 << 16


def arriving(stream: BinaryIO) -> Iterator[list[str]]:
    """Yield the lines that are there, at most BATCH at a time; wait only where there is none.

    A program may write a line and wait for its answer before it writes the next.
    """
    number, rest = 0, b""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        for start in range(0, len(whole), BATCH):
            batch = whole[start : start + BATCH]
            yield [_text(line, number + place) for place, line in enumerate(batch, 1)]
            number += len(batch)
    if rest:
        yield [_text(rest, number + 1)]


def _text(line: bytes, number: int) -> str:
    try:
        text = line.decode().removesuffix("\r")
    except UnicodeDecodeError as error:
        raise UsageError(f"Standard input, line {number}: not UTF-8 text.") from error
    check_text(text, f"Standard input, line {number}")
    return text
