import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tersely.completion import memory as completion_memory
from tersely.completion.memory import Memory
from tersely.errors import TerselyError
from tersely.service import memory_store
from tersely.service.memory_store import MemoryStore
from tersely.storage.database import open_database
from tersely.web.errors import ApiError


def test_the_memory_is_off_and_has_no_file_until_it_is_switched_on(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "new" / "memory.db", is_available=True)
    assert not store.is_on()
    assert store.open_to_suggest() is None
    assert store.open_to_read() is None
    with pytest.raises(ApiError, match="off"):
        store.open_to_write()
    store.switch(on=False)
    assert list(tmp_path.iterdir()) == []
    store.switch(on=True)
    assert store.is_on()
    assert store.open_to_suggest() is store.open_to_write() is store.open_to_read()


def test_a_memory_file_of_another_program_is_off(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        memory.remember("See you soon.")
    store = MemoryStore(tmp_path / "memory.db", is_available=True)
    assert not store.is_on()
    store.switch(on=True)
    assert [entry.text for entry in store.open_to_write().search()] == ["See you soon."]


def test_another_worker_sees_the_switch(tmp_path: Path) -> None:
    first, second = (MemoryStore(tmp_path / "memory.db", is_available=True) for _ in range(2))
    first.switch(on=True)
    first.open_to_write().remember("See you soon.")
    assert second.is_on()
    assert len(second.open_to_write()) == 1
    second.switch(on=False)
    assert not first.is_on()


@pytest.fixture
def opened_paths(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The paths of the databases that were opened."""
    paths: list[Path] = []

    def counted(path: Path, schema: str, **arguments: Any) -> sqlite3.Connection:
        paths.append(path)
        return open_database(path, schema, **arguments)

    monkeypatch.setattr(memory_store, "open_database", counted)
    monkeypatch.setattr(completion_memory, "open_database", counted)
    return paths


def test_the_file_is_opened_once(tmp_path: Path, opened_paths: list[Path]) -> None:
    store = MemoryStore(tmp_path / "memory.db", is_available=True)
    store.switch(on=True)
    opened = len(opened_paths)
    assert opened == 2  # the switch and the sentences
    for _ in range(5):
        assert store.is_on()
        store.open_to_write().remember("See you soon.")
        assert store.open_to_suggest() is not None
    assert len(opened_paths) == opened


def test_a_deleted_file_is_not_used_any_more(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = MemoryStore(path, is_available=True)
    store.switch(on=True)
    store.open_to_write().remember("See you soon.")
    path.unlink()
    assert not store.is_on()
    assert store.open_to_suggest() is None
    assert store.open_to_read() is None
    store.switch(on=True)
    assert len(store.open_to_write()) == 0


def test_a_file_that_was_replaced_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    other = MemoryStore(tmp_path / "other.db", is_available=True)
    other.switch(on=True)
    other.open_to_write().remember("From a backup.")
    store = MemoryStore(path, is_available=True)
    store.switch(on=True)
    (tmp_path / "other.db").replace(path)
    assert [entry.text for entry in store.open_to_write().search()] == ["From a backup."]


@pytest.mark.promise(22)
def test_the_memory_is_unavailable_if_others_can_reach_the_service(tmp_path: Path) -> None:
    MemoryStore(tmp_path / "memory.db", is_available=True).switch(on=True)
    store = MemoryStore(tmp_path / "memory.db", is_available=False)
    assert not store.is_on()
    assert store.open_to_suggest() is None
    for refused in (store.open_to_write, store.open_to_read, lambda: store.switch(on=True)):
        with pytest.raises(ApiError, match="has no memory") as error:
            refused()
        assert error.value.status == 403


@pytest.mark.promise(25)
def test_a_file_that_is_no_database_is_reported_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("my diary, not a database, and long enough to be looked at closely" * 20)
    before = path.read_bytes()
    store = MemoryStore(path, is_available=True)
    for failing in (store.is_on, lambda: store.switch(on=True)):
        with pytest.raises(TerselyError, match=r"memory\.db"):
            failing()
    assert path.read_bytes() == before


def test_a_path_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = MemoryStore(tmp_path / "file" / "memory.db", is_available=True)
    with pytest.raises(TerselyError, match="cannot be written"):
        store.switch(on=True)
