"""Archives: zip and tar files, each member a file of its own.

Members are opened one after the other and must be read before the next.
Whether a member is compressed once more is opening.py's question.
"""

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from tersely.corpus.formats.compression import chunks_or_damage, damage
from tersely.corpus.formats.streams import RawFile, stream_of
from tersely.errors import TerselyError, UsageError

_ENCRYPTED = 0x1
_NOTES = ("_about", "readme", "license", "licence")  # _about.txt is ManyThings'
_TAR_MAGIC = slice(257, 262)


def archive_of(head: bytes, name: str) -> str | None:
    """Tell an archive from a file's first bytes; old tars only by their name."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if head[_TAR_MAGIC] == b"ustar" or name.lower().endswith(".tar"):
        return "tar"
    return None


def zip_members(file: RawFile) -> Iterator[RawFile]:
    """Open the members of a zip file in the order of their names."""
    if not file.stream.seekable():
        raise UsageError(
            f"{file.shown}: a zip file inside another archive, or one that comes through a pipe, "
            "cannot be read. Unpack it first, then name the unpacked files."
        )
    try:
        archive = zipfile.ZipFile(file.stream)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise TerselyError(
            f"{file.shown}: damaged or incomplete zip file ({error}). Fetch or make it again."
        ) from error
    with archive:
        for member in sorted(archive.infolist(), key=lambda member: member.filename):
            if not member.is_dir() and _is_wanted(member.filename):
                yield _zip_member(file, archive, member)


def tar_members(file: RawFile) -> Iterator[RawFile]:
    """Open the members of a tar file in the order they stand in."""
    try:
        # The stream mode never seeks, so it reads tars inside other files too.
        with tarfile.open(fileobj=file.stream, mode="r|") as archive:
            while (member := archive.next()) is not None:
                archive.members.clear()  # type: ignore[attr-defined]  # else they pile up
                if member.isfile() and _is_wanted(member.name):
                    yield _tar_member(file, archive, member)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise damage(error, shown=file.shown, kind="tar") from error


def _zip_member(file: RawFile, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> RawFile:
    shown = _shown(file, member.filename)
    if member.flag_bits & _ENCRYPTED:
        raise UsageError(f"{shown}: locked with a password. Unpack it first.")
    try:
        inner = archive.open(member)
    except NotImplementedError as error:
        raise UsageError(f"{shown}: {error}. Unpack it first with another program.") from error
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise damage(error, shown=shown, kind="zip") from error
    return RawFile(
        shown=shown,
        name=PurePosixPath(member.filename).name,
        stream=stream_of(chunks_or_damage(inner, shown=shown, kind="zip")),
        member=True,
    )


def _tar_member(file: RawFile, archive: tarfile.TarFile, member: tarfile.TarInfo) -> RawFile:
    shown = _shown(file, member.name)
    inner = archive.extractfile(member)
    assert inner is not None, "members that are files can be opened"
    return RawFile(
        shown=shown,
        name=PurePosixPath(member.name).name,
        stream=stream_of(chunks_or_damage(inner, shown=shown, kind="tar")),
        member=True,
    )


def _is_wanted(name: str) -> bool:
    """Leave out what macOS adds to archives, and notes about the archive itself."""
    path = PurePosixPath(name)
    is_clutter = "__MACOSX" in path.parts or path.name.startswith(("._", ".DS_Store"))
    return not is_clutter and path.stem.lower() not in _NOTES


def _shown(file: RawFile, name: str) -> str:
    # A name out of an archive is a stranger's text and may hold terminal controls.
    clean = "".join(letter if letter.isprintable() else "?" for letter in name)
    return f"{file.shown}/{clean}"
