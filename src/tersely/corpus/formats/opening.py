"""From a path to the files in it: decompressed, out of archives, in order.

What is compressed or an archive is told by its first bytes, layer by layer.
What the bytes mean is the readers' job.
"""

import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tersely.corpus.formats.archives import archive_of, tar_members, zip_members
from tersely.corpus.formats.compression import (
    compression_of,
    compression_promised_by,
    decompressed,
)
from tersely.corpus.formats.progress import Meter
from tersely.corpus.formats.streams import CHUNK_BYTES, MeteredFile, RawFile, buffered
from tersely.errors import TerselyError, UsageError

_MOST_LAYERS = 5
_ZIPS_IN_DISGUISE = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".epub")


def file_size(path: str) -> int | None:
    """Return the size in bytes, None for a pipe; raise where there is no file to read."""
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file. Check the name and the folder.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({_reason(error)}).") from error
    if stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{path}: is a folder. Name the files in it, such as {path}/*.txt.")
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def open_files(path: str, meter: Meter) -> Iterator[RawFile]:
    """Open the file or, for an archive, each file in it; read each before taking the next."""
    file_size(path)
    try:
        raw = MeteredFile(path, meter)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({_reason(error)}).") from error
    with buffered(raw) as stream:
        yield from _unwrapped(RawFile(shown=path, name=Path(path).name, stream=stream), 0)


def _unwrapped(file: RawFile, layers: int) -> Iterator[RawFile]:
    if layers > _MOST_LAYERS:
        raise UsageError(
            f"{file.shown}: more than {_MOST_LAYERS} layers of compression. Unpack it first."
        )
    head = file.stream.peek(CHUNK_BYTES)
    _refuse_misnamed(file, head)
    if kind := compression_of(head):
        yield from _unwrapped(decompressed(file, kind), layers + 1)
        return
    archive = archive_of(head, file.name)
    if archive is None:
        yield file
        return
    members = zip_members(file) if archive == "zip" else tar_members(file)
    for member in members:
        yield from _unwrapped(member, layers + 1)


def _refuse_misnamed(file: RawFile, head: bytes) -> None:
    suffix = PurePosixPath(file.name.lower()).suffix
    if suffix in _ZIPS_IN_DISGUISE:
        raise UsageError(
            f"{file.shown}: a {suffix} document is not plain text. Save it as .txt or .csv first."
        )
    promised = "zip" if suffix == ".zip" else compression_promised_by(file.name)
    if promised and not (compression_of(head) or archive_of(head, file.name)):
        what = "holds something else" if head else "is empty"
        raise TerselyError(
            f"{file.shown}: is named as {promised} data but {what}. "
            "Fetch or make the file again, or name it for what it is."
        )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
