import numpy as np
import pytest

from tersely.corpus.dataset import Split
from tersely.errors import UsageError
from tersely.training.batches import Batches, collate, first_sentences, sequential_batches


def split(count: int) -> Split:
    """Sentence n has 1 + n % 4 tokens, all of them 10 + n."""
    lengths = np.array([1 + n % 4 for n in range(count)])
    tokens = np.repeat(np.arange(count) + 10, lengths).astype(np.int32)
    return Split(tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def test_every_sentence_occurs_once_an_epoch() -> None:
    batches = Batches(split(40), batch_size=8, seed=1)
    seen = [int(row[0]) for step in range(5) for row in batches.at(step).tokens]
    assert sorted(seen) == list(range(10, 50))
    again = [int(row[0]) for step in range(5, 10) for row in batches.at(step).tokens]
    assert sorted(again) == sorted(seen)
    assert again != seen


def test_the_order_can_be_resumed_anywhere() -> None:
    whole = [
        Batches(split(40), batch_size=8, seed=1).at(step).tokens.tolist() for step in range(12)
    ]
    resumed = Batches(split(40), batch_size=8, seed=1)
    assert resumed.at(11).tokens.tolist() == whole[11]
    assert resumed.at(2).tokens.tolist() == whole[2]
    assert Batches(split(40), batch_size=8, seed=2).at(2).tokens.tolist() != whole[2]


def test_sentences_are_padded_to_the_longest() -> None:
    batch = collate(split(8), np.array([0, 3, 1]))
    assert batch.tokens.tolist() == [[10, 0, 0, 0], [13, 13, 13, 13], [11, 11, 0, 0]]
    assert batch.lengths.tolist() == [1, 4, 2]


def test_evaluation_goes_in_order_up_to_a_limit() -> None:
    batches = list(sequential_batches(split(10), batch_size=4, limit=6))
    assert [len(batch.tokens) for batch in batches] == [4, 2]
    assert sum(len(batch.tokens) for batch in sequential_batches(split(10), batch_size=4)) == 10


def test_fewer_sentences_than_a_batch_are_an_error() -> None:
    with pytest.raises(UsageError, match="fewer than one batch"):
        Batches(split(5), batch_size=8, seed=1)


def test_only_the_first_sentences_can_be_used() -> None:
    whole = split(40)
    assert len(first_sentences(whole, 10)) == 10
    assert first_sentences(whole, 10)[9].tolist() == whole[9].tolist()
    assert first_sentences(whole, None) is first_sentences(whole, 40) is whole
