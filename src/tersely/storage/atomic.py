"""Files and folders that appear complete or not at all.

The content is written to a hidden path beside the target, which is renamed once it is
complete. An interruption leaves the previous content unchanged.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder; it becomes `target` when the block ends without error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target)
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.{os.getpid()}.", dir=target.parent))
    try:
        yield partial
        partial.chmod(0o755)
        for path in partial.rglob("*"):
            _flush(path)
        _replace(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """Yield a path to write to; it becomes `target` when the block ends without error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield partial
        _flush(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def remove_leftovers(target: Path) -> None:
    """Remove the partial folders of killed processes beside `target`.

    Those of running processes stay. A process killed between the two renames of `_replace`
    leaves only the old folder, which is then restored.
    """
    for entry in sorted(target.parent.glob(f".{target.name}.*.*")):
        process_id = entry.name.removeprefix(f".{target.name}.").split(".")[0]
        if not process_id.isdigit() or _is_running(int(process_id)) or not entry.is_dir():
            continue
        if entry.suffix == ".old" and not target.exists():
            entry.rename(target)
        else:
            shutil.rmtree(entry, ignore_errors=True)


def _replace(partial: Path, target: Path) -> None:
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


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
