import torch

from tersely.game.batch import Batch, length_mask
from tersely.game.distilled.alignment import LeftmostAlignment, align_leftmost
from tersely.text.alignment import align
from tersely.text.vocabulary import EOS_ID
from tests.game.small import random_batch


def sample(rows: int) -> tuple[Batch, torch.Tensor, LeftmostAlignment]:
    """Sentences of three distinct words, so that keywords occur several times."""
    batch = random_batch(rows, lexicon=7)
    keep = torch.rand(batch.tokens.shape, generator=torch.Generator().manual_seed(2)) < 0.4
    return batch, keep, align_leftmost(batch, keep)


def test_each_keyword_is_aligned_as_far_left_as_possible() -> None:
    batch, keep, alignment = sample(1000)
    moved = 0
    for row, length in enumerate(batch.lengths.tolist()):
        tokens, mask = batch.tokens[row, :length], keep[row, :length]
        typed = tokens[mask].tolist()
        positions = alignment.is_placed[row, :length].nonzero().squeeze(1).tolist()
        assert positions == align(typed, tokens.tolist())
        assert alignment.keywords[row, : alignment.counts[row]].tolist() == [*typed, EOS_ID]
        moved += positions != mask.nonzero().squeeze(1).tolist()
    assert moved > 100


def test_the_end_mark_is_placed_at_the_end_and_nothing_after_it() -> None:
    batch, _, alignment = sample(200)
    after = ~length_mask(batch.lengths, alignment.is_placed.shape[1])
    assert alignment.is_placed.shape == (200, batch.tokens.shape[1] + 1)
    assert (alignment.is_placed & after).sum(dim=1).tolist() == [1] * 200
    assert alignment.is_placed[torch.arange(200), batch.lengths].all()


def test_the_next_keyword_is_the_first_one_not_placed_yet() -> None:
    batch, _, alignment = sample(200)
    before = alignment.is_placed.long().cumsum(dim=1) - alignment.is_placed.long()
    mask = length_mask(batch.lengths + 1, alignment.is_placed.shape[1])
    assert torch.equal(alignment.next_keyword[mask], before[mask])
    assert (alignment.next_keyword < alignment.counts[:, None]).all()
    last = alignment.next_keyword[torch.arange(200), batch.lengths]
    assert torch.equal(last, alignment.counts - 1)


def test_mask_values_at_padding_are_ignored() -> None:
    batch, keep, alignment = sample(200)
    wider = keep | ~length_mask(batch.lengths, keep.shape[1])
    assert all(
        torch.equal(*pair) for pair in zip(alignment, align_leftmost(batch, wider), strict=True)
    )


def test_nothing_kept_leaves_the_end_mark_alone() -> None:
    batch = random_batch(20)
    alignment = align_leftmost(batch, torch.zeros(batch.tokens.shape, dtype=torch.bool))
    assert alignment.keywords.tolist() == [[EOS_ID]] * 20
    assert alignment.is_placed.sum(dim=1).tolist() == [1] * 20
    assert not alignment.next_keyword.any()
