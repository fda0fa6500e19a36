from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.shuffle import DocumentShuffler, SplitSizes, WordCap, split_documents
from tersely.errors import UsageError


def spooled(folder: Path, texts: list[str], **options: int) -> list[tuple[str, ...]]:
    spool = DocumentShuffler(folder, seed=options.pop("seed", 1), **options)
    for text in texts:
        spool.add(text, text.split("|"), is_single="|" not in text)
    return [document.sentences for document in spool.documents()]


def test_documents_are_shuffled_and_unchanged(tmp_path: Path) -> None:
    texts = [f"{n}|b" for n in range(200)]
    back = spooled(tmp_path / "a", texts)
    assert sorted(back) == sorted((str(n), "b") for n in range(200))
    assert back != [(str(n), "b") for n in range(200)]


def test_duplicate_documents_are_removed_and_single_sentences_kept(tmp_path: Path) -> None:
    back = spooled(tmp_path / "a", ["one|two", "love it", "one|two", "love it"])
    assert sorted(back) == [("love it",), ("love it",), ("one", "two")]


def test_the_order_depends_only_on_the_seed(tmp_path: Path) -> None:
    texts = [f"{n}|b" for n in range(100)]
    small = spooled(tmp_path / "a", texts, buckets=4, buffer_bytes=64)
    assert small == spooled(tmp_path / "b", texts, buckets=512)
    assert small != spooled(tmp_path / "c", texts, seed=2)


@given(st.lists(st.text(alphabet="añ我😀 ", max_size=5), max_size=5))
def test_any_sentence_is_restored(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[str]
) -> None:
    spool = DocumentShuffler(tmp_path_factory.mktemp("spool") / "s", seed=1)
    spool.add("text", sentences, is_single=False)
    assert [list(document.sentences) for document in spool.documents()] == [sentences]


@given(st.lists(st.integers(1, 5), min_size=30, max_size=60), st.integers(0, 9), st.integers(0, 9))
def test_no_document_is_in_two_splits_and_sizes_are_exact(
    counts: list[int], dev: int, test: int
) -> None:
    documents = [tuple(f"{d}:{s}" for s in range(n)) for d, n in enumerate(counts)]
    dealt = list(split_documents(documents, SplitSizes(train=10**6, dev=dev, test=test)))
    home: dict[str, str] = {}
    for split, sentence in dealt:
        assert home.setdefault(sentence.split(":")[0], split) == split
    assert sum(split == "dev" for split, _ in dealt) == dev
    assert sum(split == "test" for split, _ in dealt) == test
    assert len(dealt) > sum(counts) - 10


def test_default_sizes_are_a_twentieth_and_the_rest() -> None:
    assert SplitSizes().resolve(2000) == SplitSizes(train=1800, dev=100, test=100)
    assert SplitSizes().resolve(10**6) == SplitSizes(train=980_000, dev=10_000, test=10_000)


@pytest.mark.parametrize("sizes", [SplitSizes(train=90), SplitSizes(dev=50, test=50)])
def test_sizes_larger_than_the_corpus_are_rejected(sizes: SplitSizes) -> None:
    with pytest.raises(UsageError, match="not enough"):
        sizes.resolve(95)


def test_a_capped_word_stays_below_its_share_after_every_sentence() -> None:
    cap = WordCap({"Tom": 0.1})
    sentences = ["<shift> tom left .", "we left ."] * 500
    passed: list[str] = []
    for sentence in sentences:
        if cap.accept(sentence):
            passed.append(sentence)
            assert sum("tom" in s for s in passed) <= 0.1 * len(passed)
    assert passed.count("we left .") == 500
    assert passed.count("<shift> tom left .") == 55
    assert cap.dropped == 445


def test_a_cap_finds_the_word_in_any_case() -> None:
    assert not WordCap({"tom": 0.0}).accept("TOM left")
    assert WordCap({"tom": 0.0}).accept("tomato soup")
    assert WordCap({"shift": 0.0}).accept("<shift> we left")


def test_a_cap_must_be_between_0_and_1() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        WordCap({"Tom": 2})
