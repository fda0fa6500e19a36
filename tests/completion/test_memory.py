import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tersely.completion.memory import MAX_REMEMBERED_CHARACTERS, Memory, MemoryEntry
from tersely.completion.query import parse_query
from tersely.errors import TerselyError, UsageError

LATE = "I will be 10 minutes late."
STATION = "Where is the station?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "phrases.db") as opened:
        for sentence in (STATION, LATE, LATE, "See you later, Tom."):
            opened.remember(sentence)
        yield opened


def texts(entries: list[MemoryEntry]) -> list[str]:
    return [entry.text for entry in entries]


@pytest.mark.parametrize(
    ("keywords", "found"),
    [
        (["10", "late"], [LATE]),
        (["late", "10"], []),
        (["LATE"], [LATE]),
        (["station", "?"], [STATION]),
        (["station", "!"], []),
        (["i", "."], [LATE]),
        (["10", "10"], []),
        (["lat"], []),
        ([], []),
        (["'; DROP TABLE sentences; --"], []),
        (["%"], []),
    ],
)
def test_keywords_find_what_contains_them_in_order(
    memory: Memory, keywords: list[str], found: list[str]
) -> None:
    assert texts(memory.find(keywords)) == found


@pytest.mark.parametrize(
    ("keywords", "found"),
    [
        (["la"], [LATE, "See you later, Tom."]),
        (["10", "la"], [LATE]),
        (["late", "10"], []),
        (["you", "late"], ["See you later, Tom."]),
        (["tom", "see"], []),
        (["z"], []),
    ],
)
def test_the_last_word_may_be_unfinished(
    memory: Memory, keywords: list[str], found: list[str]
) -> None:
    assert texts(memory.find(keywords, prefix=True)) == found


@pytest.mark.parametrize(
    ("keywords", "found"),
    [
        (["10", "late"], [LATE]),
        (["late", "10"], [LATE]),
        (["LATE", "Minutes", "10"], [LATE]),
        (["late", "late"], [LATE]),
        (["?", "station"], [STATION]),
        (["late", "station"], []),
        (["lat"], []),
        ([], []),
    ],
)
def test_in_any_order_keywords_find_what_contains_each_of_them(
    memory: Memory, keywords: list[str], found: list[str]
) -> None:
    assert texts(memory.find(keywords, free=True)) == found


@pytest.mark.parametrize(
    ("keywords", "found"),
    [
        (["late", "mi"], [LATE]),
        (["late", "lat"], [LATE]),
        (["later", "s"], ["See you later, Tom."]),
        (["la"], [LATE, "See you later, Tom."]),
    ],
)
def test_in_any_order_too_the_last_word_may_be_unfinished(
    memory: Memory, keywords: list[str], found: list[str]
) -> None:
    assert texts(memory.find(keywords, prefix=True, free=True)) == found


def test_in_order_a_word_and_a_prefix_of_it_are_two_words(memory: Memory) -> None:
    memory.remember("10 late later")
    assert texts(memory.find(["10", "late", "lat"], prefix=True)) == ["10 late later"]
    assert texts(memory.find(["10", "later", "lat"], prefix=True)) == []


@pytest.mark.parametrize("words", [["late"], [f"w{number}" for number in range(5000)]])
def test_very_many_keywords_find_what_few_do(memory: Memory, words: list[str]) -> None:
    long = " ".join(["late"] * 150)
    memory.remember(long)
    assert texts(memory.find(words * (5000 // len(words)))) == []
    assert texts(memory.find(["late"] * 150)) == [long]
    assert texts(memory.find(["late"] * 150, free=True, prefix=True)) == [LATE, long]


def test_a_query_finds_phrases_endings_and_typed_capitals(memory: Memory) -> None:
    assert texts(memory.find_query(parse_query('"10 minutes" late.'))) == [LATE]
    assert texts(memory.find_query(parse_query('"10 late"'))) == []
    assert texts(memory.find_query(parse_query("Station"))) == []
    assert texts(memory.find_query(parse_query("Tom"))) == ["See you later, Tom."]
    assert texts(memory.find_query(parse_query("station 10 late"), in_order=False)) == []


def test_an_older_file_without_a_schema_version_gets_all_tables(memory: Memory) -> None:
    database = sqlite3.connect(memory.path)
    with database:
        database.execute("DROP TABLE service")
        database.execute("PRAGMA user_version = 0")
    database.close()
    with Memory(memory.path) as again:
        assert texts(again.find(["late"])) == [LATE]
    database = sqlite3.connect(memory.path)
    assert database.execute("SELECT count(*) FROM service").fetchone() == (0,)
    database.close()


def test_the_schema_runs_once_and_not_whenever_the_file_is_opened(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tersely.completion.memory.SCHEMA", "not SQL;")
    with Memory(memory.path) as again:
        assert len(again) == 3
    with pytest.raises(TerselyError, match="syntax error"):
        Memory(memory.path.with_name("new.db"))


def test_what_is_used_more_comes_first(memory: Memory) -> None:
    assert memory.search()[0].text == LATE
    assert memory.search()[0].times == 2
    for _ in range(2):
        memory.remember(f"  {STATION} ")
    assert texts(memory.search())[:2] == [STATION, LATE]
    assert len(memory) == 3


def test_everything_is_there_when_the_file_is_opened_again(memory: Memory) -> None:
    with Memory(memory.path) as again:
        assert list(again.export()) == list(memory.export())
        assert [entry.text for entry in again.export()] == [STATION, LATE, "See you later, Tom."]


@pytest.mark.parametrize(("text", "count"), [("", 3), ("LAT", 2), ("station", 1), ("%", 0)])
def test_searching_finds_any_part_of_a_sentence(memory: Memory, text: str, count: int) -> None:
    assert len(memory.search(text)) == count
    assert len(memory.search(text, limit=1)) == min(1, count)


def test_one_sentence_can_be_forgotten(memory: Memory) -> None:
    assert memory.forget(LATE)
    assert not memory.forget(LATE)
    assert memory.find(["late"]) == []
    assert len(memory) == 2


def test_forgetting_all_erases_the_sentences_from_the_disk(memory: Memory) -> None:
    assert memory.forget_all() == 3
    assert len(memory) == 0
    memory.close()
    for path in memory.path.parent.iterdir():
        assert b"minutes" not in path.read_bytes()


@pytest.mark.parametrize("text", ["", "  \n", "x" * (MAX_REMEMBERED_CHARACTERS + 1)])
def test_empty_or_long_sentences_are_refused(memory: Memory, text: str) -> None:
    with pytest.raises(UsageError):
        memory.remember(text)
    assert len(memory) == 3


def test_a_file_that_cannot_be_written_is_named_and_nothing_is_half_done(memory: Memory) -> None:
    other = sqlite3.connect(memory.path)
    other.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON words BEGIN SELECT raise(ABORT, 'no'); END"
    )
    other.close()
    with pytest.raises(TerselyError, match=r"phrases\.db: cannot be written"):
        memory.remember("Something new.")
    assert len(memory) == 3


def test_threads_can_share_it(memory: Memory) -> None:
    def remember_and_find() -> None:
        for _ in range(20):
            memory.remember(LATE)
            memory.find(["late"])

    threads = [Thread(target=remember_and_find) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.find(["late"])[0].times == 82
