"""Next words of the paper's decoder: a word is generated, or copied from the keywords, or both.

p(w) = g × p_vocabulary(w) + (1 − g) × the attention that keywords w get.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tersely.runtime.arrays import Ids
from tersely.runtime.lstm import Floats, log_sigmoid
from tersely.runtime.next_token import ClusteredWords, Generated

NOWHERE = -1  # the id of a keyword that is not there


@dataclass(frozen=True)
class CopyOrGenerate(ClusteredWords):
    """What is generated, and on top of it what is copied."""

    generate: Floats  # (rows,): logit of generating
    copying: Floats  # (rows, keywords): log-probability of copying each
    copied: Ids  # (rows, keywords): their ids, or NOWHERE

    @property
    def generating(self) -> Floats:
        """The rest is copied."""
        return log_sigmoid(self.generate)

    def besides(self) -> list[tuple[Ids, Floats]]:
        """Words that only the keywords have."""
        words = self.softmax.words
        if self.width == words:
            return []
        unknown = np.full((len(self.spoken), self.width - words), -np.inf, np.float32)
        rows, places = np.nonzero(self.copied >= words)
        unknown[rows, self.copied[rows, places] - words] = self.in_all[rows, places]
        return [(np.broadcast_to(np.arange(words, self.width), unknown.shape), unknown)]

    @cached_property
    def in_all(self) -> Floats:
        """What copying each keyword gives, wherever it stands: (rows, keywords)."""
        is_same = self.copied[:, :, None] == self.copied[:, None, :]  # (rows, keywords, keywords)
        if int(is_same.sum()) == self.copied.size:
            return self.copying
        everywhere = np.where(is_same, self.copying[:, None, :], -np.inf)
        found: Floats = np.logaddexp.reduce(everywhere, axis=2).astype(np.float32)
        return found

    def could_reach(self, share: Floats, start: int, end: int) -> Floats:
        """All of the cluster's share, and all that is copied of it."""
        inside = (self.copied >= start) & (self.copied < end)
        if not inside.any():
            return share
        copied = np.logaddexp.reduce(np.where(inside, self.copying, -np.inf), axis=1)
        bound: Floats = np.logaddexp(share, copied).astype(np.float32)
        return bound

    def apart(self, first: int, rows: Ids | None = None) -> Ids:
        """The keywords."""
        return (self.copied if rows is None else self.copied[rows]) - first

    def instead(self, at: Ids, generated: Generated, rows: Ids | None = None) -> Floats:
        """Generated or copied."""
        copying = self.in_all if rows is None else self.in_all[rows]
        found: Floats = np.logaddexp(generated(at), copying)
        return found

    def of(self, words: Ids) -> Floats:
        """Generated, and copied wherever it stands."""
        found = self.generated(words)
        for place in range(self.copied.shape[1]):
            here = np.flatnonzero(self.copied[:, place] == words)
            found[here] = np.logaddexp(found[here], self.copying[here, place])
        return found
