"""Next words of the paper's decoder: a word is generated, or copied from the keywords, or both.

p(w) = g × p_vocabulary(w) + (1 − g) × the attention that keywords w get.
"""

from dataclasses import dataclass

import numpy as np

from tersely.model.lstm import Floats, log_sigmoid
from tersely.model.next_words import ClusteredWords
from tersely.model.rows import Ids

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
        unknown = np.full((len(self.spoken), self.width - words), -np.inf, np.float32)
        self.correct(unknown, first=words)
        return [(np.broadcast_to(np.arange(words, self.width), unknown.shape), unknown)]

    def could_reach(self, share: Floats, start: int, end: int) -> Floats:
        """All of the cluster's share, and all that is copied of it."""
        bound = share
        for place in range(self.copied.shape[1]):
            inside = (self.copied[:, place] >= start) & (self.copied[:, place] < end)
            if inside.any():
                bound = np.where(inside, np.logaddexp(bound, self.copying[:, place]), bound)
        return bound

    def correct(self, words: Floats, *, first: int, rows: Ids | None = None) -> None:
        """Add what copying contributes; a word may stand among the keywords more than once."""
        copied = (self.copied if rows is None else self.copied[rows]) - first
        copying = self.copying if rows is None else self.copying[rows]
        inside = (copied >= 0) & (copied < words.shape[1])
        for place in np.flatnonzero(inside.any(axis=0)).tolist():
            here = np.flatnonzero(inside[:, place])
            ids = copied[here, place]
            words[here, ids] = np.logaddexp(words[here, ids], copying[here, place])

    def of(self, words: Ids) -> Floats:
        """Generated, and copied wherever it stands."""
        found = self.generated(words)
        for place in range(self.copied.shape[1]):
            here = np.flatnonzero(self.copied[:, place] == words)
            found[here] = np.logaddexp(found[here], self.copying[here, place])
        return found
