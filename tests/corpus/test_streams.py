from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.streams import ByteMeter, MeteredFile, buffered, stream_from_chunks
from tersely.errors import TerselyError


@given(st.lists(st.binary(max_size=50)), st.integers(1, 70))
def test_a_stream_is_the_concatenation_of_its_chunks(chunks: list[bytes], size: int) -> None:
    stream = stream_from_chunks(iter(chunks))
    read = b"".join(iter(lambda: stream.read(size), b""))
    assert read == b"".join(chunks)


def test_peek_returns_more_than_the_first_chunk() -> None:
    stream = stream_from_chunks(iter([b"", b"a", b"b", b"c"]))
    assert stream.peek(1) == b"abc"
    assert stream.read() == b"abc"


def test_chunks_are_consumed_only_as_needed() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"x" * (1 << 16)
        raise AssertionError("read too far")

    assert stream_from_chunks(chunks()).read(10) == b"x" * 10


def test_a_file_reports_the_bytes_read_to_its_meter(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 200_000)
    reported: list[int] = []
    with buffered(MeteredFile(str(path), ByteMeter(200_000, reported.append))) as stream:
        stream.read(1)
        assert 1 <= sum(reported) < 200_000
        while stream.read(1000):
            pass
    assert sum(reported) == 200_000


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
def test_a_disk_error_is_reported() -> None:
    # The first page of a process's memory is never mapped: reading it is an I/O error.
    with (
        MeteredFile("/proc/self/mem", ByteMeter()) as file,
        pytest.raises(TerselyError, match=r"/proc/self/mem: cannot be read \(Input/output error"),
    ):
        file.readinto(bytearray(1))


@given(st.integers(0, 1000), st.lists(st.integers(0, 400)))
def test_a_finished_meter_has_reported_exactly_the_size(size: int, counts: list[int]) -> None:
    reported: list[int] = []
    meter = ByteMeter(size, reported.append)
    for count in counts:
        meter.advance(count)
        assert sum(reported) <= size
    meter.finish()
    assert sum(reported) == size


def test_without_a_size_everything_is_reported() -> None:
    reported: list[int] = []
    meter = ByteMeter(None, reported.append)
    meter.advance(7)
    meter.finish()
    assert reported == [7]


def test_a_meter_without_callback_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    meter = ByteMeter(10)
    meter.advance(3)
    meter.finish()
    assert capsys.readouterr() == ("", "")
