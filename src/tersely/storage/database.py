"""SQLite databases, in a journal mode that is safe with the linked version of SQLite.

Write-ahead logging (WAL) is faster, but up to 3.51.2 a rare race between a checkpoint and a
writer can damage the file (https://sqlite.org/wal.html, "the WAL-reset bug"; fixed in
3.51.3 and, on older branches, in 3.50.7 and 3.44.6). Other versions use the rollback
journal. Every commit waits for the disk.
"""

import re
import sqlite3
from pathlib import Path

from tersely.errors import TerselyError

WAL_FIXED_VERSION = (3, 51, 3)
WAL_FIXED_PATCHES = {(3, 50): 7, (3, 44): 6}
LOCK_TIMEOUT_SECONDS = 5.0


def journal_for(version: str) -> str:
    """Return the journal mode that is safe with this version of SQLite: WAL or DELETE."""
    numbers = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?(?:\.\d+)*", version.strip())
    if numbers is None:
        return "DELETE"
    major, minor, patch = (int(number or 0) for number in numbers.groups())
    backported = WAL_FIXED_PATCHES.get((major, minor))
    is_fixed = (major, minor, patch) >= WAL_FIXED_VERSION or (
        backported is not None and patch >= backported
    )
    return "WAL" if is_fixed else "DELETE"


def open_database(
    path: Path,
    schema: str,
    *,
    schema_version: int = 1,
    version: str = sqlite3.sqlite_version,
) -> sqlite3.Connection:
    """Open or create a database.

    `schema` runs only if the file is new or has an older schema version (SQLite's `user_version`);
    its statements must contain IF NOT EXISTS. The connection may be used from any thread, by one
    thread at a time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_SECONDS, check_same_thread=False)
        connection.execute(f"PRAGMA journal_mode = {journal_for(version)}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        (found_version,) = connection.execute("PRAGMA user_version").fetchone()
        if found_version < schema_version:
            connection.executescript(f"{schema}\nPRAGMA user_version = {schema_version};")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise TerselyError(f"{path}: cannot be used as a database ({error}).") from error
    return connection
