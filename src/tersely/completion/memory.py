"""Memory: a person's own sentences in a local SQLite file, so that they can be suggested again.

Each sentence is stored with the number of its uses. Keywords find the sentences that contain them,
in order and with any gaps. Nothing is stored unless a program calls `remember`, and everything can
be listed, exported and forgotten.

    with Memory("phrases.db") as memory:
        memory.remember("I will be 10 minutes late.")
        memory.find(["10", "late"])
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from tersely.completion.query import Query
from tersely.errors import TerselyError, UsageError
from tersely.storage.database import open_database
from tersely.text.tokens import SHIFT, tokenise

SCHEMA = """
CREATE TABLE IF NOT EXISTS sentences (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE,
    times INTEGER NOT NULL DEFAULT 1,
    last_used TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE IF NOT EXISTS words (
    word TEXT NOT NULL,
    sentence INTEGER NOT NULL REFERENCES sentences (id) ON DELETE CASCADE,
    PRIMARY KEY (word, sentence)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS service (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    is_on INTEGER NOT NULL
);
"""
"""The table `service` holds the service's switch; all tables of a file share one version."""
MAX_REMEMBERED_CHARACTERS = 1000
MAX_CANDIDATES = 500
"""Sentences examined for one query, the most used first."""
MAX_CONDITIONS = 100
"""Distinct keywords in one SQL statement, which allows 1,000 conditions. The rows it returns are
checked against all keywords."""
AFTER_ALL_WORDS = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A sentence, the number of its uses, and the time of the last one (UTC)."""

    text: str
    times: int
    last_used: str


class Memory:
    """A person's sentences; may be shared by threads."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._database = open_database(self.path, SCHEMA)
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the memory cannot be used any more."""
        with self._lock:
            self._database.close()

    def remember(self, text: str) -> None:
        """Store a sentence, or count one more use of it."""
        text = text.strip()
        if not text:
            raise UsageError("Nothing to remember: the sentence is empty.")
        if len(text) > MAX_REMEMBERED_CHARACTERS:
            raise UsageError(
                f"A sentence to remember has {MAX_REMEMBERED_CHARACTERS:,} characters at most."
            )
        words = {token.lower() for token in tokenise(text).tokens}
        with self._lock, self._transaction() as database:
            (row_id,) = database.execute(
                "INSERT INTO sentences (text) VALUES (?) ON CONFLICT (text) DO UPDATE"
                " SET times = times + 1, last_used = datetime('now') RETURNING id",
                [text],
            ).fetchone()
            database.executemany(
                "INSERT OR IGNORE INTO words VALUES (?, ?)", [(word, row_id) for word in words]
            )

    def find(
        self, keywords: Sequence[str], *, prefix: bool = False, free: bool = False
    ) -> list[MemoryEntry]:
        """Return the sentences that contain the keywords in order, the most used first.

        Case does not matter. With `prefix` the last keyword may be the beginning of a word. With
        `free` the keywords may occur in any order, and one given twice need not occur twice.
        """
        phrases = [(keyword.lower(),) for keyword in keywords]
        return self.find_query(Query.from_phrases(phrases, has_prefix=prefix), in_order=not free)

    def find_query(self, query: Query, *, in_order: bool = True) -> list[MemoryEntry]:
        """Return the sentences that match a query, the most used first."""
        words = [token.lower() for token in query.tokens if token != SHIFT]
        if not words:
            return []
        return [
            entry
            for entry in self._with_words(words, prefix=query.has_prefix)
            if query.matches(tokenise(entry.text).tokens, in_order=in_order)
        ]

    def _with_words(self, words: Sequence[str], *, prefix: bool) -> list[MemoryEntry]:
        """Return sentences that contain the words, in whatever order."""
        whole, last = (words[:-1], words[-1:]) if prefix else (words, [])
        whole = list(dict.fromkeys(whole))[:MAX_CONDITIONS]
        is_word = "id IN (SELECT sentence FROM words WHERE word = ?)"
        is_prefix = "id IN (SELECT sentence FROM words WHERE word >= ? AND word < ?)"
        where = " AND ".join([is_word] * len(whole) + [is_prefix] * len(last))
        values = [*whole, *(bound for word in last for bound in (word, word + AFTER_ALL_WORDS))]
        return self._select(f"WHERE {where}", values, limit=MAX_CANDIDATES)

    def search(self, text: str = "", *, limit: int = 100) -> list[MemoryEntry]:
        """Return sentences that contain a text, the most used first; all if it is empty."""
        return self._select("WHERE instr(lower(text), lower(?)) > 0", [text], limit=limit)

    def __len__(self) -> int:
        with self._lock:
            (count,) = self._database.execute("SELECT count(*) FROM sentences").fetchone()
        return int(count)

    def forget(self, text: str) -> bool:
        """Delete a sentence; return whether it was stored."""
        with self._lock, self._transaction() as database:
            return database.execute("DELETE FROM sentences WHERE text = ?", [text]).rowcount > 0

    def forget_all(self) -> int:
        """Delete everything, on the disk too; return the number of sentences."""
        with self._lock:
            with self._transaction() as database:
                count = database.execute("DELETE FROM sentences").rowcount
            self._database.execute("VACUUM")  # deleted text must not stay in free pages
        return count

    def export(self) -> Iterator[MemoryEntry]:
        """Return all sentences, oldest first."""
        with self._lock:
            rows = self._database.execute(
                "SELECT text, times, last_used FROM sentences ORDER BY id"
            ).fetchall()
        return (MemoryEntry(*row) for row in rows)

    def _select(self, where: str, values: Sequence[str], *, limit: int) -> list[MemoryEntry]:
        statement = (
            f"SELECT text, times, last_used FROM sentences {where}"
            " ORDER BY times DESC, last_used DESC, id DESC LIMIT ?"
        )
        with self._lock:
            rows = self._database.execute(statement, [*values, limit])
            return [MemoryEntry(*row) for row in rows]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit everything or nothing; raise TerselyError if the file cannot be written."""
        try:
            with self._database:
                yield self._database
        except sqlite3.Error as error:
            raise TerselyError(f"{self.path}: cannot be written ({error}).") from error
