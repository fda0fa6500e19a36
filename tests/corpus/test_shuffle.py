from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.shuffle import Spool


def spooled(folder: Path, texts: list[str], **options: int) -> list[tuple[str, ...]]:
    spool = Spool(folder, seed=options.pop("seed", 1), **options)
    for text in texts:
        spool.add(text, text.split("|"), is_single="|" not in text)
    return [document.sentences for document in spool.documents()]


def test_documents_come_back_whole_and_shuffled(tmp_path: Path) -> None:
    texts = [f"{n}|b" for n in range(200)]
    back = spooled(tmp_path / "a", texts)
    assert sorted(back) == sorted((str(n), "b") for n in range(200))
    assert back != [(str(n), "b") for n in range(200)]


def test_repeated_documents_go_and_repeated_sentences_stay(tmp_path: Path) -> None:
    back = spooled(tmp_path / "a", ["one|two", "love it", "one|two", "love it"])
    assert sorted(back) == [("love it",), ("love it",), ("one", "two")]


def test_the_order_follows_the_seed_alone(tmp_path: Path) -> None:
    texts = [f"{n}|b" for n in range(100)]
    small = spooled(tmp_path / "a", texts, buckets=4, buffer_bytes=64)
    assert small == spooled(tmp_path / "b", texts, buckets=512)
    assert small != spooled(tmp_path / "c", texts, seed=2)


@given(st.lists(st.text(alphabet="añ我😀 ", max_size=5), max_size=5))
def test_any_sentence_comes_back(tmp_path_factory, sentences: list[str]) -> None:
    spool = Spool(tmp_path_factory.mktemp("spool") / "s", seed=1)
    spool.add("text", sentences, is_single=False)
    assert [list(document.sentences) for document in spool.documents()] == [sentences]
