"""Next words of the paper's decoder: a word is generated, or copied from the keywords, or both.

p(w) = g × p_vocabulary(w) + (1 − g) × the attention that keywords w get. Search wants the best
few: frequent words and words only the keywords have are scored at once; a cluster of rarer
words is opened for rows where it, with what is copied of it, could compete.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tersely.model.lstm import Floats, log_sigmoid
from tersely.model.next_words import Rivals, top
from tersely.model.rows import Ids
from tersely.model.softmax import VocabularySoftmax
from tersely.text.vocab import EOS_ID

NOWHERE = -1  # the id of a keyword that is not there


@dataclass(frozen=True)
class CopyOrGenerate:
    """How likely each word comes next; rare words wait to be asked for."""

    spoken: Floats  # (rows, units)
    generate: Floats  # (rows,): logit of generating
    copying: Floats  # (rows, keywords): log-probability of copying each
    copied: Ids  # (rows, keywords): their ids, or NOWHERE
    softmax: VocabularySoftmax
    width: int

    @cached_property
    def head(self) -> Floats:
        """Log-probabilities of frequent words and of each cluster, if a word is generated."""
        return self.softmax.head_scores(self.spoken)

    def best(self, count: int, rivals: Rivals | None = None) -> tuple[Ids, Floats]:
        """Frequent words, copied words nobody knows, and rarer ones where they can compete."""
        head = self.head
        generate = log_sigmoid(self.generate)
        words = head[:, : self.softmax.head_words] + generate[:, None]
        self._add_copies(words, first=0)
        ids, scores = top(words, count)
        weakest = scores.min(axis=1) if scores.shape[1] >= count else np.float32(-np.inf)
        if rivals is not None:
            weakest = np.maximum(weakest, rivals.floors(scores, 2 * count))
        parts = [(ids, scores)]
        if self.width > self.softmax.words:
            unknown = np.full((len(words), self.width - self.softmax.words), -np.inf, np.float32)
            self._add_copies(unknown, first=self.softmax.words)
            every = np.arange(self.softmax.words, self.width)
            parts.append((np.broadcast_to(every, unknown.shape), unknown))
        for index, (start, end) in enumerate(self.softmax.clusters):
            share = head[:, self.softmax.head_words + index] + generate
            rows = np.flatnonzero(self._could_reach(share, start, end) > weakest)
            if len(rows):
                parts.append(self._best_of_cluster(index, start, rows, share[rows], count))
        return (
            np.concatenate([part[0] for part in parts], axis=1),
            np.concatenate([part[1] for part in parts], axis=1),
        )

    def _could_reach(self, share: Floats, start: int, end: int) -> Floats:
        """What no word of a cluster can exceed: all of its share, and all that is copied of it."""
        bound = share
        for place in range(self.copied.shape[1]):
            inside = (self.copied[:, place] >= start) & (self.copied[:, place] < end)
            if inside.any():
                both = np.logaddexp(bound, self.copying[:, place])
                bound = np.where(inside, both, bound)
        return bound

    def _best_of_cluster(
        self, index: int, start: int, rows: Ids, share: Floats, count: int
    ) -> tuple[Ids, Floats]:
        """The best of some rows; the others get words that cannot come."""
        tail = share[:, None] + self.softmax.tail_scores(self.spoken[rows], index)
        self._add_copies(tail, first=start, rows=rows)
        own, found = top(tail, count)
        ids = np.full((len(self.spoken), own.shape[1]), EOS_ID, np.int64)
        scores = np.full(ids.shape, -np.inf, np.float32)
        ids[rows], scores[rows] = own + start, found
        return ids, scores

    def _add_copies(self, words: Floats, *, first: int, rows: Ids | None = None) -> None:
        """Add what copying contributes; a word may stand among the keywords more than once."""
        copied = (self.copied if rows is None else self.copied[rows]) - first
        copying = self.copying if rows is None else self.copying[rows]
        inside = (copied >= 0) & (copied < words.shape[1])
        for place in np.flatnonzero(inside.any(axis=0)).tolist():
            here = np.flatnonzero(inside[:, place])
            ids = copied[here, place]
            words[here, ids] = np.logaddexp(words[here, ids], copying[here, place])

    def of(self, words: Ids) -> Floats:
        """Score the head, of the clusters only those asked about, and the copies."""
        head = self.head
        generate, rows = log_sigmoid(self.generate), np.arange(len(words))
        found = np.full(len(words), -np.inf, np.float32)
        is_head = words < self.softmax.head_words
        found[is_head] = head[rows[is_head], words[is_head]] + generate[is_head]
        for index, (start, end) in enumerate(self.softmax.clusters):
            here = np.flatnonzero((words >= start) & (words < end))
            if len(here):
                tail = self.softmax.tail_scores(self.spoken[here], index)
                share = head[here, self.softmax.head_words + index] + generate[here]
                found[here] = share + tail[np.arange(len(here)), words[here] - start]
        for place in range(self.copied.shape[1]):
            here = np.flatnonzero(self.copied[:, place] == words)
            found[here] = np.logaddexp(found[here], self.copying[here, place])
        return found

    def all(self) -> Floats:
        """Score everything."""
        scores = np.full((len(self.spoken), self.width), -np.inf, np.float32)
        generated = self.softmax.log_probabilities(self.spoken)
        scores[:, : self.softmax.words] = log_sigmoid(self.generate)[:, None] + generated
        self._add_copies(scores, first=0)
        return scores
