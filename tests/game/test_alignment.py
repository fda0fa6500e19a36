import torch

from tersely.game.alignment import Placement, place_leftmost
from tersely.game.batches import Batch
from tersely.game.distilled.masks import inside
from tersely.text.alignment import align
from tersely.text.vocabulary import EOS_ID
from tests.game.small import random_batch


def drawn(rows: int) -> tuple[Batch, torch.Tensor, Placement]:
    """Sentences of three words, so that keywords can stand in many places."""
    batch = random_batch(rows, lexicon=7)
    keep = torch.rand(batch.tokens.shape, generator=torch.Generator().manual_seed(2)) < 0.4
    return batch, keep, place_leftmost(batch, keep)


def test_each_keyword_is_placed_as_far_left_as_can_be() -> None:
    batch, keep, placed = drawn(1000)
    moved = 0
    for row, length in enumerate(batch.lengths.tolist()):
        tokens, mask = batch.tokens[row, :length], keep[row, :length]
        typed = tokens[mask].tolist()
        places = placed.here[row, :length].nonzero().squeeze(1).tolist()
        assert places == align(typed, tokens.tolist())
        assert placed.keywords[row, : placed.counts[row]].tolist() == [*typed, EOS_ID]
        moved += places != mask.nonzero().squeeze(1).tolist()
    assert moved > 100


def test_the_end_mark_is_placed_at_the_end_and_nothing_after_it() -> None:
    batch, _, placed = drawn(200)
    after = ~inside(batch.lengths, placed.here.shape[1])
    assert placed.here.shape == (200, batch.tokens.shape[1] + 1)
    assert (placed.here & after).sum(dim=1).tolist() == [1] * 200
    assert placed.here[torch.arange(200), batch.lengths].all()


def test_what_follows_is_what_is_not_placed_yet() -> None:
    batch, _, placed = drawn(200)
    before = placed.here.long().cumsum(dim=1) - placed.here.long()
    here = inside(batch.lengths + 1, placed.here.shape[1])
    assert torch.equal(placed.following[here], before[here])
    assert (placed.following < placed.counts[:, None]).all()
    last = placed.following[torch.arange(200), batch.lengths]
    assert torch.equal(last, placed.counts - 1)


def test_a_mask_past_the_end_counts_for_nothing() -> None:
    batch, keep, placed = drawn(200)
    wider = keep | ~inside(batch.lengths, keep.shape[1])
    assert all(
        torch.equal(*pair) for pair in zip(placed, place_leftmost(batch, wider), strict=True)
    )


def test_nothing_kept_leaves_the_end_mark_alone() -> None:
    batch = random_batch(20)
    placed = place_leftmost(batch, torch.zeros(batch.tokens.shape, dtype=torch.bool))
    assert placed.keywords.tolist() == [[EOS_ID]] * 20
    assert placed.here.sum(dim=1).tolist() == [1] * 20
    assert not placed.following.any()
