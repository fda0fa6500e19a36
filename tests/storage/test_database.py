"""The journal mode for each version of SQLite, and files that are not databases."""

import sqlite3
from pathlib import Path

import pytest

from tersely.errors import TerselyError
from tersely.storage.database import journal_for, open_database

SCHEMA = "CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL);"


@pytest.mark.promise(20)
@pytest.mark.parametrize(
    ("version", "journal"),
    [
        ("3.51.3", "WAL"),
        ("3.51.2", "DELETE"),
        ("3.52.0", "WAL"),
        ("4.0", "WAL"),
        ("3.50.7", "WAL"),
        ("3.50.6", "DELETE"),
        ("3.44.6", "WAL"),
        ("3.44.5", "DELETE"),
        ("3.45.9", "DELETE"),
        ("3.40.1", "DELETE"),
        ("unknown", "DELETE"),
        ("", "DELETE"),
    ],
)
def test_wal_is_used_only_where_it_is_safe(version: str, journal: str) -> None:
    assert journal_for(version) == journal


@pytest.mark.promise(20)
@pytest.mark.parametrize(("version", "journal"), [("3.51.3", "wal"), ("3.40.1", "delete")])
def test_a_database_is_opened_with_that_journal_and_waits_for_the_disk(
    version: str, journal: str, tmp_path: Path
) -> None:
    database = open_database(tmp_path / "new" / "notes.db", SCHEMA, version=version)
    assert database.execute("PRAGMA journal_mode").fetchone() == (journal,)
    assert database.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    database.close()


def test_written_rows_are_read_after_reopening(tmp_path: Path) -> None:
    for expected in range(3):
        database = open_database(tmp_path / "notes.db", SCHEMA)
        assert database.execute("SELECT count(*) FROM notes").fetchone() == (expected,)
        with database:
            database.execute("INSERT INTO notes VALUES ('late')")
        database.close()


def test_the_schema_runs_only_for_a_new_file_or_an_older_version(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    open_database(path, SCHEMA).close()
    database = open_database(path, "CREATE TABLE unexpected (id INTEGER);")
    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
    assert database.execute(tables).fetchall() == [("notes",)]
    database.close()
    database = open_database(path, "CREATE TABLE more (id INTEGER);", schema_version=2)
    assert sorted(database.execute(tables)) == [("more",), ("notes",)]
    assert database.execute("PRAGMA user_version").fetchone() == (2,)
    database.close()


def test_a_file_that_is_not_a_database_is_rejected_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Tom, " * 1000)
    with pytest.raises(TerselyError, match=r"letter\.txt: cannot be used as a database"):
        open_database(path, SCHEMA)
    assert path.read_text() == "Dear Tom, " * 1000


def test_a_folder_is_not_a_database(tmp_path: Path) -> None:
    with pytest.raises(TerselyError, match="cannot be used"):
        open_database(tmp_path, SCHEMA)


def test_threads_may_share_a_connection(tmp_path: Path) -> None:
    from threading import Thread

    database = open_database(tmp_path / "notes.db", SCHEMA)
    failed: list[BaseException] = []

    def write() -> None:
        try:
            database.execute("INSERT INTO notes VALUES ('late')")
        except sqlite3.Error as error:
            failed.append(error)

    thread = Thread(target=write)
    thread.start()
    thread.join()
    assert not failed
    database.close()
