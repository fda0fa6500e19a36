import gzip
import io
import os
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tersely.corpus.open import detect_archive, file_size, open_files, tar_members, zip_members
from tersely.corpus.streams import ByteMeter, RawFile, stream_from_chunks
from tersely.errors import TerselyError, UsageError
from tests.corpus.files import raw_file, tar_bytes, zip_bytes


def opened(path: Path) -> list[tuple[str, bytes]]:
    return [(file.name, file.stream.read()) for file in open_files(str(path), ByteMeter())]


def test_a_plain_file_is_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    assert opened(path) == [("a.txt", b"text")]


def test_nested_compression_and_archives_are_opened(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    inner = gzip.compress(tar_bytes({"deep/notes.txt.gz": gzip.compress(b"text")}))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.tgz", inner)
    (file,) = open_files(str(path), ByteMeter())
    assert file.name == "notes.txt"
    assert file.label.endswith("all.zip/inner.tgz/deep/notes.txt.gz")


def test_compression_is_detected_by_content_if_the_name_does_not_indicate_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "yelp_dataset.tar"
    path.write_bytes(gzip.compress(tar_bytes({"review.json": b"{}"})))
    assert opened(path) == [("review.json", b"{}")]


def test_endless_layers_are_rejected(tmp_path: Path) -> None:
    data = b"text"
    for _ in range(8):
        data = gzip.compress(data)
    path = tmp_path / "a.gz"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="more than 5 layers"):
        opened(path)


@pytest.mark.parametrize("suffix", ["gz", "zip", "xz", "zst", "bz2"])
@pytest.mark.parametrize("data", [b"", b"just text"])
def test_a_compressed_name_with_other_content_is_reported(
    tmp_path: Path, suffix: str, data: bytes
) -> None:
    path = tmp_path / f"a.txt.{suffix}"
    path.write_bytes(data)
    with pytest.raises(TerselyError, match=rf"a\.txt\.{suffix}: is named as .* again"):
        opened(path)


def test_office_documents_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "letter.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    with pytest.raises(UsageError, match=r"letter\.docx: .*Save it as \.txt"):
        opened(path)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.txt: no such file"):
        file_size(str(tmp_path / "gone.txt"))


def test_a_folder_is_reported_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a folder\. Name the files in it"):
        file_size(str(tmp_path))


def test_an_invalid_file_name_is_reported() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        file_size("a\0b")


def test_a_file_without_permission_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("text")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tersely.corpus.open.MeteredFile", refuse)
    with pytest.raises(UsageError, match=r"secret\.txt: cannot be read \(Permission denied\)"):
        opened(path)


def test_a_pipe_has_no_size_but_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"through a pipe",))
    assert file_size(str(path)) is None
    writer.start()
    assert opened(path) == [("pipe", b"through a pipe")]
    writer.join()


MEMBERS = {
    "b/second.txt": b"two\n",
    "a.txt": b"one\n" * 1000,
    "__MACOSX/a.txt": b"clutter",
    "._a.txt": b"clutter",
    "_about.txt": b"clutter",
    "b/README.md": b"clutter",
}


def with_folder(data: bytes) -> bytes:
    """Return a tar file that starts with the entry of a folder."""
    folder = tarfile.TarInfo("b")
    folder.type = tarfile.DIRTYPE
    return folder.tobuf() + data


ZIP = zip_bytes({"b/": b"", **MEMBERS})
TAR = with_folder(tar_bytes(MEMBERS))


def archive_file(data: bytes, name: str = "corpus.zip") -> RawFile:
    return raw_file(data, name)


def contents(members: Iterator[RawFile]) -> list[tuple[str, str, bytes]]:
    return [(member.label, member.name, member.stream.read()) for member in members]


def test_a_zip_is_read_in_the_order_of_names_without_metadata() -> None:
    assert contents(zip_members(archive_file(ZIP))) == [
        ("corpus.zip/a.txt", "a.txt", b"one\n" * 1000),
        ("corpus.zip/b/second.txt", "second.txt", b"two\n"),
    ]


def test_a_tar_is_read_in_its_own_order_without_metadata() -> None:
    assert contents(tar_members(archive_file(TAR, "corpus.tar"))) == [
        ("corpus.tar/b/second.txt", "second.txt", b"two\n"),
        ("corpus.tar/a.txt", "a.txt", b"one\n" * 1000),
    ]


def test_files_from_archives_are_marked_as_members() -> None:
    assert all(member.is_member for member in zip_members(archive_file(ZIP)))
    assert all(member.is_member for member in tar_members(archive_file(TAR)))


def test_a_tar_member_left_unread_does_not_disturb_the_next() -> None:
    members = tar_members(archive_file(TAR))
    next(members)
    assert next(members).stream.read() == b"one\n" * 1000


def test_archives_are_detected_by_their_first_bytes() -> None:
    assert detect_archive(ZIP, "whatever") == "zip"
    assert detect_archive(zip_bytes({}), "whatever") == "zip"
    assert detect_archive(TAR, "whatever") == "tar"
    assert detect_archive(b"some text", "notes.txt") is None
    assert detect_archive(b"some text", "old.tar") == "tar"


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_a_zip_cut_short_is_reported(share: float) -> None:
    data = ZIP
    with pytest.raises(TerselyError, match=r"^corpus\.zip: damaged or incomplete zip.*again\.$"):
        contents(zip_members(archive_file(data[: int(len(data) * share)])))


def test_a_zip_member_that_was_altered_is_reported_as_damaged() -> None:
    data = bytearray(zip_bytes({"a.txt": b"The quick brown fox. " * 50}))
    data[data.index(b"a.txt") + 10] ^= 0xFF
    with pytest.raises(TerselyError, match=r"^corpus\.zip/a\.txt: damaged zip data"):
        contents(zip_members(archive_file(bytes(data))))


def test_a_tar_cut_short_is_reported() -> None:
    with pytest.raises(TerselyError, match=r"the tar data ends too early"):
        contents(tar_members(archive_file(TAR[:3000], "corpus.tar")))


def test_a_file_that_is_not_a_tar_is_reported_as_damaged() -> None:
    with pytest.raises(TerselyError, match=r"^corpus\.tar: damaged tar data"):
        contents(tar_members(archive_file(b"not a tar at all" * 100, "corpus.tar")))


def test_a_locked_zip_is_rejected() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", b"secret")
    data = buffer.getvalue()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.start_dir
    locked = bytearray(data)
    locked[start + 8] |= 1  # the flags of the first member in the directory
    with pytest.raises(UsageError, match=r"corpus\.zip/a\.txt: protected by a password"):
        contents(zip_members(archive_file(bytes(locked))))


def test_a_zip_in_a_stream_is_rejected() -> None:
    file = RawFile(label="a.tar/b.zip", name="b.zip", stream=stream_from_chunks(iter([ZIP])))
    with pytest.raises(UsageError, match=r"a\.tar/b\.zip: .*Unpack it first"):
        contents(zip_members(file))


def test_control_characters_in_a_member_name_are_replaced() -> None:
    members = zip_members(archive_file(zip_bytes({"\x1b[31mred.txt": b"text"})))
    assert next(members).label == "corpus.zip/?[31mred.txt"
