"""Phrases: the memory of the one person a service is for; off until switched on.

Whether it is on is kept in the memory's own file, so that all workers know and a restart
forgets nothing. As long as it was never switched on there is no file.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Lock

from tersely.completion.memory import Memory
from tersely.errors import TerselyError
from tersely.storage.database import open_database
from tersely.web.errors import Refusal

SCHEMA = """
CREATE TABLE IF NOT EXISTS service (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    is_on INTEGER NOT NULL
);
"""


class Phrases:
    """A memory with a switch; not available where others can reach the service."""

    def __init__(self, path: Path, *, available: bool) -> None:
        self._path = path
        self.available = available
        self._memory: Memory | None = None
        self._turn = Lock()

    @property
    def exists(self) -> bool:
        """Whether there may be something in it: it was switched on once."""
        return self.available and self._path.is_file()

    def is_on(self) -> bool:
        """Whether sentences are remembered and suggested."""
        if not self.exists:
            return False
        try:
            with closing(open_database(self._path, SCHEMA)) as database:
                row = database.execute("SELECT is_on FROM service").fetchone()
        except sqlite3.Error as error:
            raise TerselyError(f"{self._path}: cannot be read ({error}).") from error
        return bool(row and row[0])

    def switch(self, *, on: bool) -> None:
        """Switch on or off. Off forgets nothing; it only neither remembers nor suggests."""
        self._check_available()
        if not on and not self._path.is_file():
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600, exist_ok=True)
            with closing(open_database(self._path, SCHEMA)) as database, database:
                database.execute("INSERT OR REPLACE INTO service VALUES (1, ?)", [int(on)])
        except (OSError, sqlite3.Error) as error:
            raise TerselyError(f"{self._path}: cannot be written ({error}).") from error

    def in_use(self) -> Memory | None:
        """The memory to suggest from, if it is on."""
        return self._opened() if self.is_on() else None

    def to_write(self) -> Memory:
        """The memory to remember in; refused while it is off."""
        self._check_available()
        if not self.is_on():
            message = "The memory is off. Switch it on first: PUT /v1/memory."
            raise Refusal(409, "memory_off", message)
        return self._opened()

    def to_look_into(self) -> Memory | None:
        """The memory to read, export or forget, on or off; None if there never was one."""
        self._check_available()
        return self._opened() if self.exists else None

    def _opened(self) -> Memory:
        with self._turn:
            if self._memory is None:
                self._memory = Memory(self._path)
            return self._memory

    def _check_available(self) -> None:
        if not self.available:
            message = "Others can reach this service, so it remembers nothing."
            raise Refusal(403, "memory_unavailable", message)
