import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.splitting import SplitSizes, WordCap, split_documents
from tersely.errors import UsageError


@given(st.lists(st.integers(1, 5), min_size=30, max_size=60), st.integers(0, 9), st.integers(0, 9))
def test_no_document_stands_in_two_splits_and_sizes_are_exact(counts, dev, test) -> None:
    documents = [tuple(f"{d}:{s}" for s in range(n)) for d, n in enumerate(counts)]
    dealt = list(split_documents(documents, SplitSizes(train=10**6, dev=dev, test=test)))
    home: dict[str, str] = {}
    for split, sentence in dealt:
        assert home.setdefault(sentence.split(":")[0], split) == split
    assert sum(split == "dev" for split, _ in dealt) == dev
    assert sum(split == "test" for split, _ in dealt) == test
    assert len(dealt) > sum(counts) - 10


def test_usual_sizes_are_a_twentieth_and_the_rest() -> None:
    assert SplitSizes().resolve(2000) == SplitSizes(train=1800, dev=100, test=100)
    assert SplitSizes().resolve(10**6) == SplitSizes(train=980_000, dev=10_000, test=10_000)


@pytest.mark.parametrize("sizes", [SplitSizes(train=90), SplitSizes(dev=50, test=50)])
def test_more_than_there_is_cannot_be_had(sizes: SplitSizes) -> None:
    with pytest.raises(UsageError, match="not enough"):
        sizes.resolve(95)


def test_a_capped_word_stays_below_its_share_at_every_moment() -> None:
    cap = WordCap({"Tom": 0.1})
    sentences = ["<shift> tom left .", "we left ."] * 500
    passed: list[str] = []
    for sentence in sentences:
        if cap.allows(sentence):
            passed.append(sentence)
            assert sum("tom" in s for s in passed) <= 0.1 * len(passed)
    assert passed.count("we left .") == 500
    assert passed.count("<shift> tom left .") == 55
    assert cap.dropped == 445


def test_a_cap_finds_the_word_in_any_case() -> None:
    assert not WordCap({"tom": 0.0}).allows("TOM left")
    assert WordCap({"tom": 0.0}).allows("tomato soup")
    assert WordCap({"shift": 0.0}).allows("<shift> we left")


def test_a_cap_is_a_share() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        WordCap({"Tom": 2})
