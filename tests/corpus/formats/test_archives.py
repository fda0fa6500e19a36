import io
import tarfile
import zipfile

import pytest

from tersely.corpus.formats.archives import archive_of, tar_members, zip_members
from tersely.corpus.formats.streams import RawFile, stream_of
from tersely.errors import TerselyError, UsageError

MEMBERS = {
    "b/second.txt": b"two\n",
    "a.txt": b"one\n" * 1000,
    "__MACOSX/a.txt": b"clutter",
    "._a.txt": b"clutter",
    "_about.txt": b"clutter",
    "b/README.md": b"clutter",
}


def zipped(members=MEMBERS):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("b/", b"")
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(members=MEMBERS):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        folder = tarfile.TarInfo("b")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def archive_file(data, name="corpus.zip"):
    return RawFile(shown=name, name=name, stream=io.BufferedReader(io.BytesIO(data)))


def contents(members):
    return [(member.shown, member.name, member.stream.read()) for member in members]


def test_a_zip_is_read_in_the_order_of_names_without_clutter():
    assert contents(zip_members(archive_file(zipped()))) == [
        ("corpus.zip/a.txt", "a.txt", b"one\n" * 1000),
        ("corpus.zip/b/second.txt", "second.txt", b"two\n"),
    ]


def test_a_tar_is_read_in_its_own_order_without_clutter():
    assert contents(tar_members(archive_file(tarred(), "corpus.tar"))) == [
        ("corpus.tar/b/second.txt", "second.txt", b"two\n"),
        ("corpus.tar/a.txt", "a.txt", b"one\n" * 1000),
    ]


def test_members_know_that_they_are_members():
    assert all(member.member for member in zip_members(archive_file(zipped())))
    assert all(member.member for member in tar_members(archive_file(tarred())))


def test_a_tar_member_left_unread_does_not_disturb_the_next():
    members = tar_members(archive_file(tarred()))
    next(members)
    assert next(members).stream.read() == b"one\n" * 1000


def test_archives_are_told_by_their_first_bytes():
    assert archive_of(zipped(), "whatever") == "zip"
    assert archive_of(zipped({}), "whatever") == "zip"
    assert archive_of(tarred(), "whatever") == "tar"
    assert archive_of(b"some text", "notes.txt") is None
    assert archive_of(b"some text", "old.tar") == "tar"


@pytest.mark.parametrize("kept", [0.2, 0.9])
def test_a_zip_cut_short_is_told_as_such(kept):
    data = zipped()
    with pytest.raises(TerselyError, match=r"^corpus\.zip: damaged or incomplete zip.*again\.$"):
        contents(zip_members(archive_file(data[: int(len(data) * kept)])))


def test_a_zip_member_that_was_altered_is_told_as_damaged():
    data = bytearray(zipped({"a.txt": b"The quick brown fox. " * 50}))
    data[data.index(b"a.txt") + 10] ^= 0xFF
    with pytest.raises(TerselyError, match=r"^corpus\.zip/a\.txt: damaged zip data"):
        contents(zip_members(archive_file(bytes(data))))


def test_a_tar_cut_short_is_told_as_such():
    with pytest.raises(TerselyError, match=r"the tar data ends too early"):
        contents(tar_members(archive_file(tarred()[:3000], "corpus.tar")))


def test_a_tar_that_is_none_is_told_as_damaged():
    with pytest.raises(TerselyError, match=r"^corpus\.tar: damaged tar data"):
        contents(tar_members(archive_file(b"not a tar at all" * 100, "corpus.tar")))


def test_a_locked_zip_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", b"secret")
    data = buffer.getvalue()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.start_dir
    locked = bytearray(data)
    locked[start + 8] |= 1  # the flags of the first member in the directory
    with pytest.raises(UsageError, match=r"corpus\.zip/a\.txt: locked with a password"):
        contents(zip_members(archive_file(bytes(locked))))


def test_a_zip_in_a_stream_is_refused():
    file = RawFile(shown="a.tar/b.zip", name="b.zip", stream=stream_of(iter([zipped()])))
    with pytest.raises(UsageError, match=r"a\.tar/b\.zip: .*Unpack it first"):
        contents(zip_members(file))


def test_a_member_name_cannot_reach_the_terminal_raw():
    members = zip_members(archive_file(zipped({"\x1b[31mred.txt": b"text"})))
    assert next(members).shown == "corpus.zip/?[31mred.txt"
