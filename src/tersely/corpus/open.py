"""Open a path: decompress it, extract archives, and yield the files inside in order.

Compression and archives are detected by their first bytes, layer by layer. Members of an
archive are opened one after the other; each must be read before the next is opened.
The bytes are interpreted by the format readers (formats/).
"""

import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tersely.corpus.compression import (
    compression_of_name,
    damaged_data_error,
    decompress,
    detect_compression,
    read_chunks,
)
from tersely.corpus.streams import (
    CHUNK_BYTES,
    ByteMeter,
    MeteredFile,
    RawFile,
    buffered,
    stream_from_chunks,
)
from tersely.errors import TerselyError, UsageError

_MAX_LAYERS = 5
_OFFICE_SUFFIXES = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".epub")  # zip files inside
_NOTE_STEMS = ("_about", "readme", "license", "licence")  # _about.txt is in ManyThings archives
_TAR_MAGIC = slice(257, 262)
_ZIP_ENCRYPTED = 0x1


def file_size(path: str) -> int | None:
    """Return the size in bytes, None for a pipe; raise UsageError if it is not a file."""
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file. Check the name and the folder.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({_reason(error)}).") from error
    if stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{path}: is a folder. Name the files in it, such as {path}/*.txt.")
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def open_files(path: str, meter: ByteMeter) -> Iterator[RawFile]:
    """Yield the file or, for an archive, each file in it; read each before taking the next."""
    file_size(path)
    try:
        raw = MeteredFile(path, meter)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({_reason(error)}).") from error
    with buffered(raw) as stream:
        yield from _unwrap(RawFile(label=path, name=Path(path).name, stream=stream), 0)


def detect_archive(head: bytes, name: str) -> str | None:
    """Return "zip", "tar" or None by a file's first bytes; old tar files only by their name."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if head[_TAR_MAGIC] == b"ustar" or name.lower().endswith(".tar"):
        return "tar"
    return None


def zip_members(file: RawFile) -> Iterator[RawFile]:
    """Yield the members of a zip file in the order of their names."""
    if not file.stream.seekable():
        raise UsageError(
            f"{file.label}: a zip file inside another archive or from a pipe cannot be read. "
            "Unpack it first, then name the unpacked files."
        )
    try:
        archive = zipfile.ZipFile(file.stream)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise TerselyError(
            f"{file.label}: damaged or incomplete zip file ({error}). Download or create it again."
        ) from error
    with archive:
        for member in sorted(archive.infolist(), key=lambda member: member.filename):
            if not member.is_dir() and not _is_ignored(member.filename):
                yield _zip_member(file, archive, member)


def tar_members(file: RawFile) -> Iterator[RawFile]:
    """Yield the members of a tar file in their order in the file."""
    try:
        # The stream mode never seeks, so it also reads tar files inside other files.
        with tarfile.open(fileobj=file.stream, mode="r|") as archive:
            while (member := archive.next()) is not None:
                archive.members.clear()  # type: ignore[attr-defined]  # bounds the memory
                if member.isfile() and not _is_ignored(member.name):
                    yield _tar_member(file, archive, member)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise damaged_data_error(error, label=file.label, kind="tar") from error


def _unwrap(file: RawFile, layers: int) -> Iterator[RawFile]:
    if layers > _MAX_LAYERS:
        raise UsageError(
            f"{file.label}: more than {_MAX_LAYERS} layers of compression. Unpack it first."
        )
    head = file.stream.peek(CHUNK_BYTES)
    _check_name(file, head)
    if kind := detect_compression(head):
        yield from _unwrap(decompress(file, kind), layers + 1)
        return
    archive = detect_archive(head, file.name)
    if archive is None:
        yield file
        return
    members = zip_members(file) if archive == "zip" else tar_members(file)
    for member in members:
        yield from _unwrap(member, layers + 1)


def _check_name(file: RawFile, head: bytes) -> None:
    """Raise an error if the content is not what the name indicates."""
    suffix = PurePosixPath(file.name.lower()).suffix
    if suffix in _OFFICE_SUFFIXES:
        raise UsageError(
            f"{file.label}: a {suffix} document is not plain text. Save it as .txt or .csv first."
        )
    kind = "zip" if suffix == ".zip" else compression_of_name(file.name)
    if kind and not (detect_compression(head) or detect_archive(head, file.name)):
        content = "contains something else" if head else "is empty"
        raise TerselyError(
            f"{file.label}: is named as {kind} data but {content}. "
            "Download or create it again, or rename it."
        )


def _zip_member(file: RawFile, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> RawFile:
    label = _member_label(file, member.filename)
    if member.flag_bits & _ZIP_ENCRYPTED:
        raise UsageError(f"{label}: protected by a password. Unpack it first.")
    try:
        content = archive.open(member)
    except NotImplementedError as error:
        raise UsageError(f"{label}: {error}. Unpack it first with another program.") from error
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise damaged_data_error(error, label=label, kind="zip") from error
    return RawFile(
        label=label,
        name=PurePosixPath(member.filename).name,
        stream=stream_from_chunks(read_chunks(content, label=label, kind="zip")),
        is_member=True,
    )


def _tar_member(file: RawFile, archive: tarfile.TarFile, member: tarfile.TarInfo) -> RawFile:
    label = _member_label(file, member.name)
    content = archive.extractfile(member)
    assert content is not None, "members that are files can be opened"
    return RawFile(
        label=label,
        name=PurePosixPath(member.name).name,
        stream=stream_from_chunks(read_chunks(content, label=label, kind="tar")),
        is_member=True,
    )


def _is_ignored(name: str) -> bool:
    """Return True for the metadata files of macOS and for notes about the archive."""
    path = PurePosixPath(name)
    is_metadata = "__MACOSX" in path.parts or path.name.startswith(("._", ".DS_Store"))
    return is_metadata or path.stem.lower() in _NOTE_STEMS


def _member_label(file: RawFile, name: str) -> str:
    # A member's name is untrusted and may contain terminal control characters.
    printable = "".join(character if character.isprintable() else "?" for character in name)
    return f"{file.label}/{printable}"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
