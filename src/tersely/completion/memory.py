"""Memory: a person's own sentences, in one local file, so that they come back.

Sentences that were accepted or written are kept with how often they were. Keywords find
those that contain them, in order and with any gaps. Nothing is remembered unless a
program asks for it, and everything can be listed, exported and forgotten.

    with Memory("phrases.db") as memory:
        memory.remember("I will be 10 minutes late.")
        memory.find(["10", "late"])
"""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from tersely.errors import TerselyError, UsageError
from tersely.storage.database import open_database
from tersely.text.keywords import leftmost_alignment
from tersely.text.tokens import tokenise

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
"""
MAX_CHARACTERS = 1000
MAX_CANDIDATES = 500
"""Sentences looked at for one set of keywords, those used most first."""
MAX_CONDITIONS = 100
"""Distinct keywords the database is asked for; it takes 1,000 conditions, and what they
let through is looked at again."""
AFTER_ALL_WORDS = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Remembered:
    """A sentence, how often it was used, and when last (UTC)."""

    text: str
    times: int
    last_used: str


class Memory:
    """A person's sentences; may be shared by threads."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._database = open_database(self.path, SCHEMA)
        self._turn = Lock()

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
        with self._turn:
            self._database.close()

    def remember(self, text: str) -> None:
        """Keep a sentence, or count it once more."""
        text = text.strip()
        if not text:
            raise UsageError("Nothing to remember: the sentence is empty.")
        if len(text) > MAX_CHARACTERS:
            raise UsageError(f"A sentence to remember has {MAX_CHARACTERS:,} characters at most.")
        words = {token.lower() for token in tokenise(text).tokens}
        with self._turn, self._writing() as database:
            (number,) = database.execute(
                "INSERT INTO sentences (text) VALUES (?) ON CONFLICT (text) DO UPDATE"
                " SET times = times + 1, last_used = datetime('now') RETURNING id",
                [text],
            ).fetchone()
            database.executemany(
                "INSERT OR IGNORE INTO words VALUES (?, ?)", [(word, number) for word in words]
            )

    def find(
        self, keywords: Sequence[str], *, prefix: bool = False, free: bool = False
    ) -> list[Remembered]:
        """Sentences that contain the keywords in order, those used most first.

        Case does not matter. With `prefix` the last keyword may be the beginning of a word;
        with `free` they may stand in any order.
        """
        wanted = [word.lower() for word in keywords]
        if not wanted:
            return []
        candidates = self._with_words(wanted, prefix=prefix)
        fits = _contains_in_any_order if free else _contains
        return [one for one in candidates if fits(one.text, wanted, prefix=prefix)]

    def _with_words(self, wanted: Sequence[str], *, prefix: bool) -> list[Remembered]:
        """Sentences that contain the words, in whatever order."""
        whole, last = (wanted[:-1], wanted[-1:]) if prefix else (wanted, [])
        whole = list(dict.fromkeys(whole))[:MAX_CONDITIONS]
        holds = "id IN (SELECT sentence FROM words WHERE word = ?)"
        begins = "id IN (SELECT sentence FROM words WHERE word >= ? AND word < ?)"
        where = " AND ".join([holds] * len(whole) + [begins] * len(last))
        values = [*whole, *(bound for word in last for bound in (word, word + AFTER_ALL_WORDS))]
        return self._select(f"WHERE {where}", values, limit=MAX_CANDIDATES)

    def search(self, text: str = "", *, limit: int = 100) -> list[Remembered]:
        """Sentences with this text in them, those used most first; all without one."""
        return self._select("WHERE instr(lower(text), lower(?)) > 0", [text], limit=limit)

    def __len__(self) -> int:
        with self._turn:
            (count,) = self._database.execute("SELECT count(*) FROM sentences").fetchone()
        return int(count)

    def forget(self, text: str) -> bool:
        """Forget a sentence; tell whether it was there."""
        with self._turn, self._writing() as database:
            return database.execute("DELETE FROM sentences WHERE text = ?", [text]).rowcount > 0

    def forget_all(self) -> int:
        """Forget everything, on the disk too; tell how many sentences there were."""
        with self._turn:
            with self._writing() as database:
                count = database.execute("DELETE FROM sentences").rowcount
            self._database.execute("VACUUM")  # what was deleted must not stay in free pages
        return count

    def export(self) -> Iterator[Remembered]:
        """Everything, oldest first."""
        with self._turn:
            rows = self._database.execute(
                "SELECT text, times, last_used FROM sentences ORDER BY id"
            ).fetchall()
        return (Remembered(*row) for row in rows)

    def _select(self, where: str, values: Sequence[str], *, limit: int) -> list[Remembered]:
        query = (
            f"SELECT text, times, last_used FROM sentences {where}"
            " ORDER BY times DESC, last_used DESC, id DESC LIMIT ?"
        )
        with self._turn:
            return [Remembered(*row) for row in self._database.execute(query, [*values, limit])]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; a clear error where the file cannot be written."""
        try:
            with self._database:
                yield self._database
        except sqlite3.Error as error:
            raise TerselyError(f"{self.path}: cannot be written ({error}).") from error


def _contains(text: str, wanted: Sequence[str], *, prefix: bool) -> bool:
    tokens = [token.lower() for token in tokenise(text).tokens]
    if not prefix:
        return leftmost_alignment(wanted, tokens) is not None
    places = leftmost_alignment(wanted[:-1], tokens)
    if places is None:
        return False
    rest = tokens[places[-1] + 1 :] if places else tokens
    return any(token.startswith(wanted[-1]) for token in rest)


def _contains_in_any_order(text: str, wanted: Sequence[str], *, prefix: bool) -> bool:
    left = Counter(token.lower() for token in tokenise(text).tokens)
    left.subtract(wanted[:-1] if prefix else wanted)
    if min(left.values(), default=0) < 0:
        return False
    return not prefix or any(word.startswith(wanted[-1]) for word in left.elements())
