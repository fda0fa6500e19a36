"""Folders and files that appear whole or not at all.

Work goes into a hidden neighbour of the target, which takes the target's name once
it is complete. Whatever interrupts it, what stood there before stays as it was.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder that becomes `target` when the block ends without error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target)
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.{os.getpid()}.", dir=target.parent))
    try:
        yield partial
        partial.chmod(0o755)
        for path in partial.rglob("*"):
            _flush(path)
        _swap(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """Yield a path to write to; the file becomes `target` when the block ends without error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield partial
        _flush(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def remove_leftovers(target: Path) -> None:
    """Remove what a killed process left beside `target`; leave what a live one is writing.

    If it was killed between the two renames of `_swap`, the old folder is put back.
    """
    for entry in sorted(target.parent.glob(f".{target.name}.*.*")):
        process = entry.name.removeprefix(f".{target.name}.").split(".")[0]
        if not process.isdigit() or _is_alive(int(process)) or not entry.is_dir():
            continue
        if entry.suffix == ".old" and not target.exists():
            entry.rename(target)
        else:
            shutil.rmtree(entry, ignore_errors=True)


def _swap(partial: Path, target: Path) -> None:
    if not target.exists():
        partial.rename(target)
        return
    old = partial.with_name(f"{partial.name}.old")
    target.rename(old)
    try:
        partial.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _flush(path: Path) -> None:
    if path.is_file():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
