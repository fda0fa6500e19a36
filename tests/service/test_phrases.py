from pathlib import Path

import pytest

from tersely.completion.memory import Memory
from tersely.errors import TerselyError
from tersely.service.phrases import Phrases
from tersely.web.errors import Refusal


def test_it_is_off_and_no_file_until_it_is_switched_on(tmp_path: Path) -> None:
    own = Phrases(tmp_path / "new" / "memory.db", available=True)
    assert not own.is_on()
    assert own.in_use() is None
    assert own.to_look_into() is None
    with pytest.raises(Refusal, match="off"):
        own.to_write()
    own.switch(on=False)
    assert list(tmp_path.iterdir()) == []
    own.switch(on=True)
    assert own.is_on()
    assert own.in_use() is own.to_write() is own.to_look_into()


def test_a_memory_that_was_there_before_is_still_off(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        memory.remember("See you soon.")
    own = Phrases(tmp_path / "memory.db", available=True)
    assert not own.is_on()
    own.switch(on=True)
    assert [one.text for one in own.to_write().search()] == ["See you soon."]


def test_another_worker_knows(tmp_path: Path) -> None:
    one, other = (Phrases(tmp_path / "memory.db", available=True) for _ in range(2))
    one.switch(on=True)
    one.to_write().remember("See you soon.")
    assert other.is_on()
    assert len(other.to_write()) == 1
    other.switch(on=False)
    assert not one.is_on()


@pytest.mark.promise(22)
def test_where_others_come_it_is_not_available(tmp_path: Path) -> None:
    Phrases(tmp_path / "memory.db", available=True).switch(on=True)
    own = Phrases(tmp_path / "memory.db", available=False)
    assert not own.is_on()
    assert own.in_use() is None
    for refused in (own.to_write, own.to_look_into, lambda: own.switch(on=True)):
        with pytest.raises(Refusal, match="remembers nothing") as error:
            refused()
        assert error.value.status == 403


@pytest.mark.promise(25)
def test_a_file_that_is_no_memory_is_told_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("my diary, not a database, and long enough to be looked at closely" * 20)
    before = path.read_bytes()
    own = Phrases(path, available=True)
    for failing in (own.is_on, lambda: own.switch(on=True)):
        with pytest.raises(TerselyError, match=r"memory\.db"):
            failing()
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    own = Phrases(tmp_path / "file" / "memory.db", available=True)
    with pytest.raises(TerselyError, match="cannot be written"):
        own.switch(on=True)
