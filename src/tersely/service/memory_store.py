"""Memory store: the memory of the one person who uses a service; off until switched on.

The switch is the table `service` of the memory's own file, so that all workers see it and a
restart keeps it. Until the memory is first switched on, there is no file.

The file is opened once. It is opened again only if it was deleted or replaced on disk.
"""

import sqlite3
import stat
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from tersely.completion.memory import SCHEMA, Memory
from tersely.errors import TerselyError
from tersely.storage.database import open_database
from tersely.web.errors import ApiError


@dataclass(frozen=True, slots=True)
class _OpenFile:
    """The connections to one file, and the device and inode that identify it."""

    identity: tuple[int, int]
    switch: sqlite3.Connection
    memory: Memory


class MemoryStore:
    """A memory with a switch; unavailable if others can reach the service.

    May be shared by threads.
    """

    def __init__(self, path: Path, *, is_available: bool) -> None:
        self._path = path
        self.is_available = is_available
        self._file: _OpenFile | None = None
        self._lock = Lock()

    def exists(self) -> bool:
        """Return whether the memory was ever switched on. Opens no file."""
        return self.is_available and self._path.is_file()

    def is_on(self) -> bool:
        """Return whether sentences are remembered and suggested."""
        if not self.is_available:
            return False
        with self._lock:
            file = self._open()
            return file is not None and self._read_switch(file)

    def switch(self, *, on: bool) -> None:
        """Switch on or off. Switching off deletes nothing."""
        self._check_available()
        if not on and not self._path.is_file():
            return
        with self._lock:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._path.touch(mode=0o600, exist_ok=True)
                file = self._open()
                if file is None:
                    raise FileNotFoundError(self._path)
                with file.switch as database:
                    database.execute("INSERT OR REPLACE INTO service VALUES (1, ?)", [int(on)])
            except (OSError, sqlite3.Error) as error:
                raise TerselyError(f"{self._path}: cannot be written ({error}).") from error

    def open_to_suggest(self) -> Memory | None:
        """Return the memory if it is on."""
        if not self.is_available:
            return None
        with self._lock:
            file = self._open()
            return file.memory if file is not None and self._read_switch(file) else None

    def open_to_write(self) -> Memory:
        """Return the memory; raise a 409 error if it is off."""
        self._check_available()
        memory = self.open_to_suggest()
        if memory is None:
            message = "The memory is off. Switch it on first: PUT /v1/memory."
            raise ApiError(409, "memory_off", message)
        return memory

    def open_to_read(self) -> Memory | None:
        """Return the memory, on or off, to list, export or forget; None if there is no file."""
        self._check_available()
        with self._lock:
            file = self._open()
            return file.memory if file is not None else None

    def _open(self) -> _OpenFile | None:
        """Return the open file; open it if it is new on disk. The caller holds the lock."""
        try:
            status = self._path.stat()
        except OSError:
            status = None
        if status is None or not stat.S_ISREG(status.st_mode):
            self._file = None  # deleted; closed when the last thread has finished with it
            return None
        identity = (status.st_dev, status.st_ino)
        if self._file is None or self._file.identity != identity:
            switch = open_database(self._path, SCHEMA)
            self._file = _OpenFile(identity, switch, Memory(self._path))
        return self._file

    def _read_switch(self, file: _OpenFile) -> bool:
        try:
            rows = file.switch.execute("SELECT is_on FROM service").fetchall()
        except sqlite3.Error as error:
            raise TerselyError(f"{self._path}: cannot be read ({error}).") from error
        return any(is_on for (is_on,) in rows)

    def _check_available(self) -> None:
        if not self.is_available:
            message = "Others can reach this service, so it has no memory."
            raise ApiError(403, "memory_unavailable", message)
