"""Batches of a prepared split, in an order that can be resumed anywhere.

The order is a function of seed, epoch and offset, so a resumed run sees the same batches as an
uninterrupted one.
"""

from collections.abc import Iterator

import numpy as np
import torch

from tersely.corpus.dataset import Split
from tersely.errors import UsageError
from tersely.game.batch import Batch
from tersely.text.vocabulary import PAD_ID


class Batches:
    """Shuffled batches of a split; every epoch has a new order."""

    def __init__(self, split: Split, *, batch_size: int, seed: int) -> None:
        if len(split) < batch_size:
            raise UsageError(
                f"{len(split):,} sentences are fewer than one batch of {batch_size}. "
                "Prepare more text, or set training.batch_sentences lower."
            )
        self._split = split
        self._batch_size = batch_size
        self._seed = seed
        self._order: tuple[int, np.ndarray] | None = None
        self.sentences = len(split)
        self.batches_per_epoch = len(split) // batch_size

    def at(self, step: int) -> Batch:
        """Return the batch of a step, counted from 0 over all epochs."""
        epoch, offset = divmod(step, self.batches_per_epoch)
        if self._order is None or self._order[0] != epoch:
            shuffled = np.random.default_rng((self._seed, epoch)).permutation(len(self._split))
            self._order = (epoch, shuffled)
        start = offset * self._batch_size
        return collate(self._split, self._order[1][start : start + self._batch_size])


def sequential_batches(
    split: Split, *, batch_size: int, limit: int | None = None
) -> Iterator[Batch]:
    """Yield the first `limit` sentences of a split in their order, for evaluation."""
    count = len(split) if limit is None else min(limit, len(split))
    for start in range(0, count, batch_size):
        yield collate(split, np.arange(start, min(start + batch_size, count)))


def collate(split: Split, indices: np.ndarray) -> Batch:
    """Copy the sentences at these indices into padded tensors."""
    starts = split.offsets[indices]
    lengths = split.offsets[indices + 1] - starts
    columns = np.arange(max(1, int(lengths.max(initial=1))))
    is_inside = columns < lengths[:, None]  # (batch, time)
    padded = split.tokens[np.where(is_inside, starts[:, None] + columns, 0)]
    tokens = np.where(is_inside, padded, PAD_ID).astype(np.int64)
    return Batch(torch.from_numpy(tokens), torch.from_numpy(lengths.astype(np.int64)))


def first_sentences(split: Split, limit: int | None) -> Split:
    """Return the first `limit` sentences of a split, or all of them for None."""
    if limit is None or limit >= len(split):
        return split
    offsets = split.offsets[: limit + 1]
    return Split(split.tokens[: int(offsets[-1])], offsets)
