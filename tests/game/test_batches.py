import numpy as np
import pytest

from tersely.corpus.dataset import Split
from tersely.errors import UsageError
from tersely.game.batches import Batches, gather, in_order


def split(count: int) -> Split:
    """Sentence n has 1 + n % 4 tokens, all of them 10 + n."""
    lengths = np.array([1 + n % 4 for n in range(count)])
    tokens = np.repeat(np.arange(count) + 10, lengths).astype(np.int32)
    return Split(tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def test_every_sentence_comes_once_an_epoch() -> None:
    batches = Batches(split(40), batch_size=8, seed=1)
    seen = [int(row[0]) for step in range(5) for row in batches.at(step).tokens]
    assert sorted(seen) == list(range(10, 50))
    again = [int(row[0]) for step in range(5, 10) for row in batches.at(step).tokens]
    assert sorted(again) == sorted(seen)
    assert again != seen


def test_the_order_can_be_taken_up_anywhere() -> None:
    whole = [
        Batches(split(40), batch_size=8, seed=1).at(step).tokens.tolist() for step in range(12)
    ]
    late = Batches(split(40), batch_size=8, seed=1)
    assert late.at(11).tokens.tolist() == whole[11]
    assert late.at(2).tokens.tolist() == whole[2]
    assert Batches(split(40), batch_size=8, seed=2).at(2).tokens.tolist() != whole[2]


def test_sentences_are_padded_to_the_longest() -> None:
    batch = gather(split(8), np.array([0, 3, 1]))
    assert batch.tokens.tolist() == [[10, 0, 0, 0], [13, 13, 13, 13], [11, 11, 0, 0]]
    assert batch.lengths.tolist() == [1, 4, 2]


def test_evaluation_goes_in_order_up_to_a_limit() -> None:
    batches = list(in_order(split(10), batch_size=4, limit=6))
    assert [len(batch.tokens) for batch in batches] == [4, 2]
    assert sum(len(batch.tokens) for batch in in_order(split(10), batch_size=4)) == 10


def test_too_little_text_is_said_plainly() -> None:
    with pytest.raises(UsageError, match="fewer than one batch"):
        Batches(split(5), batch_size=8, seed=1)


def test_a_batch_can_be_repeated() -> None:
    twice = gather(split(8), np.array([0, 3])).repeated(2)
    assert twice.tokens[:, 0].tolist() == [10, 13, 10, 13]
    assert twice.lengths.tolist() == [1, 4, 1, 4]
