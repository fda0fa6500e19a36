"""Standard input as another program writes it."""

import io
import os

import pytest

from tersely.cli.lines import BATCH, arriving
from tersely.errors import UsageError


def test_lines_come_in_order_in_batches() -> None:
    lines = [f"line {number}" for number in range(3 * BATCH + 1)]
    batches = list(arriving(io.BytesIO("\n".join(lines).encode())))
    assert [line for batch in batches for line in batch] == lines
    assert max(map(len, batches)) == BATCH


@pytest.mark.parametrize(
    ("content", "lines"),
    [(b"", []), (b"\n", [""]), (b"late", ["late"]), (b"a\r\nb\r\n", ["a", "b"])],
)
def test_every_way_to_end_a_line(content: bytes, lines: list[str]) -> None:
    assert [line for batch in arriving(io.BytesIO(content)) for line in batch] == lines


def test_a_line_is_there_before_the_next_is_written() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream, os.fdopen(writing, "wb", buffering=0) as pipe:
        answers = arriving(stream)
        for line in ("10 minutes late", "é", "last"):
            pipe.write(f"{line}\n".encode())
            assert next(answers) == [line]


def test_a_character_cut_by_a_chunk_is_whole_again() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream, os.fdopen(writing, "wb", buffering=0) as pipe:
        answers = arriving(stream)
        encoded = "café\n".encode()
        pipe.write(encoded[:4])
        pipe.write(encoded[4:])
        assert next(answers) == ["café"]


@pytest.mark.parametrize("content", [b"good\n\xff\xfe\n", b"good\n\xed\xa0\x80"])
def test_what_is_no_text_is_named_by_its_line(content: bytes) -> None:
    with pytest.raises(UsageError, match="line 2: not UTF-8"):
        list(arriving(io.BytesIO(content)))
