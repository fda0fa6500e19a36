"""Batches: a prepared split → padded tensors, in an order that can be taken up anywhere.

The order is a function of (seed, epoch, offset) alone, so a resumed run sees what an
undisturbed one would have seen. Ids are those of the lexicon: what lies past the
vocabulary is folded into `<unk>` where a model embeds it, and compared as itself
where keywords are copied.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tersely.corpus.dataset import Split
from tersely.errors import UsageError
from tersely.text.vocabulary import PAD_ID


@dataclass(frozen=True, slots=True)
class Batch:
    """Some sentences, padded to the longest."""

    tokens: Tensor  # (batch, time)
    lengths: Tensor  # (batch,)

    def repeated(self, times: int) -> "Batch":
        """The same sentences several times over, for several samples of each."""
        return Batch(self.tokens.repeat(times, 1), self.lengths.repeat(times))


class Batches:
    """Draws batches from a split; every epoch is a new shuffle."""

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
        self.batches_an_epoch = len(split) // batch_size

    def at(self, step: int) -> Batch:
        """Return the batch of a step, counted from 0 over all epochs."""
        epoch, offset = divmod(step, self.batches_an_epoch)
        if self._order is None or self._order[0] != epoch:
            shuffled = np.random.default_rng((self._seed, epoch)).permutation(len(self._split))
            self._order = (epoch, shuffled)
        start = offset * self._batch_size
        return gather(self._split, self._order[1][start : start + self._batch_size])


def in_order(split: Split, *, batch_size: int, limit: int | None = None) -> Iterator[Batch]:
    """Yield the sentences of a split as they stand, for evaluation."""
    count = len(split) if limit is None else min(limit, len(split))
    for start in range(0, count, batch_size):
        yield gather(split, np.arange(start, min(start + batch_size, count)))


def gather(split: Split, indices: np.ndarray) -> Batch:
    """Copy some sentences into padded tensors."""
    starts = split.offsets[indices]
    lengths = split.offsets[indices + 1] - starts
    columns = np.arange(max(1, int(lengths.max(initial=1))))
    inside = columns < lengths[:, None]  # (batch, time)
    flat = split.tokens[np.where(inside, starts[:, None] + columns, 0)]
    tokens = np.where(inside, flat, PAD_ID).astype(np.int64)
    return Batch(torch.from_numpy(tokens), torch.from_numpy(lengths.astype(np.int64)))
