import gzip
import io
import os
import tarfile
import threading
import zipfile

import pytest

from tersely.corpus.formats.opening import file_size, open_files
from tersely.corpus.formats.progress import Meter
from tersely.errors import TerselyError, UsageError


def contents(path):
    return [(file.name, file.stream.read()) for file in open_files(str(path), Meter())]


def tar_of(name, data):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def test_a_plain_file_is_itself(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    assert contents(path) == [("a.txt", b"text")]


def test_layers_are_taken_off_one_by_one(tmp_path):
    path = tmp_path / "all.zip"
    inner = gzip.compress(tar_of("deep/notes.txt.gz", gzip.compress(b"text")))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.tgz", inner)
    (file,) = open_files(str(path), Meter())
    assert file.name == "notes.txt"
    assert file.shown.endswith("all.zip/inner.tgz/deep/notes.txt.gz")


def test_compression_is_told_by_content_where_the_name_says_nothing(tmp_path):
    path = tmp_path / "yelp_dataset.tar"
    path.write_bytes(gzip.compress(tar_of("review.json", b"{}")))
    assert contents(path) == [("review.json", b"{}")]


def test_endless_layers_are_refused(tmp_path):
    data = b"text"
    for _ in range(8):
        data = gzip.compress(data)
    path = tmp_path / "a.gz"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="more than 5 layers"):
        contents(path)


@pytest.mark.parametrize("suffix", ["gz", "zip", "xz", "zst", "bz2"])
@pytest.mark.parametrize("data", [b"", b"just text"])
def test_a_name_that_promises_compression_must_keep_it(tmp_path, suffix, data):
    path = tmp_path / f"a.txt.{suffix}"
    path.write_bytes(data)
    with pytest.raises(TerselyError, match=rf"a\.txt\.{suffix}: is named as .* again"):
        contents(path)


def test_office_documents_are_not_taken_apart(tmp_path):
    path = tmp_path / "letter.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    with pytest.raises(UsageError, match=r"letter\.docx: .*Save it as \.txt"):
        contents(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.txt: no such file"):
        file_size(str(tmp_path / "gone.txt"))


def test_a_folder_is_told_with_the_way_out(tmp_path):
    with pytest.raises(UsageError, match=r"is a folder\. Name the files in it"):
        file_size(str(tmp_path))


def test_a_name_no_file_can_have_is_told():
    with pytest.raises(UsageError, match="cannot be read"):
        file_size("a\0b")


def test_a_file_without_permission_is_told(tmp_path, monkeypatch):
    path = tmp_path / "secret.txt"
    path.write_text("text")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tersely.corpus.formats.opening.MeteredFile", refuse)
    with pytest.raises(UsageError, match=r"secret\.txt: cannot be read \(Permission denied\)"):
        contents(path)


def test_a_pipe_has_no_size_but_can_be_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"through a pipe",))
    assert file_size(str(path)) is None
    writer.start()
    assert contents(path) == [("pipe", b"through a pipe")]
    writer.join()
