from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.progress import Meter
from tersely.corpus.formats.streams import MeteredFile, buffered, stream_of
from tersely.errors import TerselyError


@given(st.lists(st.binary(max_size=50)), st.integers(1, 70))
def test_a_stream_holds_its_chunks_one_after_the_other(chunks, size):
    stream = stream_of(iter(chunks))
    read = b"".join(iter(lambda: stream.read(size), b""))
    assert read == b"".join(chunks)


def test_a_peek_sees_past_the_first_chunk():
    stream = stream_of(iter([b"", b"a", b"b", b"c"]))
    assert stream.peek(1) == b"abc"
    assert stream.read() == b"abc"


def test_chunks_are_taken_only_as_they_are_needed():
    def chunks():
        yield b"x" * (1 << 16)
        raise AssertionError("read too far")

    assert stream_of(chunks()).read(10) == b"x" * 10


def test_a_file_tells_the_meter_what_is_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 200_000)
    reported = []
    with buffered(MeteredFile(str(path), Meter(200_000, reported.append))) as stream:
        stream.read(1)
        assert 1 <= sum(reported) < 200_000
        while stream.read(1000):
            pass
    assert sum(reported) == 200_000


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
def test_a_disk_that_fails_is_told_as_an_error():
    # The first page of a process's memory is never mapped: reading it is an I/O error.
    with (
        MeteredFile("/proc/self/mem", Meter()) as file,
        pytest.raises(TerselyError, match=r"/proc/self/mem: cannot be read \(Input/output error"),
    ):
        file.readinto(bytearray(1))
