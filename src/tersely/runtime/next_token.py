"""Next words: how likely each word comes next, of which search wants to know only the best.

A vocabulary has ten thousand words, and a beam looks at ten of them. What a runtime returns
from a step can be asked for the best few, for certain words, or for all.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tersely.runtime.adaptive_softmax import VocabularySoftmax
from tersely.runtime.arrays import Ids
from tersely.runtime.groups import Groups
from tersely.runtime.kernels.chosen import Changed, best, log_sum, top
from tersely.runtime.lstm import Floats, log_sigmoid
from tersely.text.vocabulary import EOS_ID

Generated = Callable[[Ids], Floats]
"""How likely words are generated, (rows, others) of them; what is none of them may be anything."""
SCORES_AT_ONCE = 1 << 18  # of rare words: a megabyte, which stays near the processor


class NextWords(Protocol):
    """Log-probabilities of the next word, one row a hypothesis."""

    def best(self, count: int, rivals: "Rivals | None" = None) -> tuple[Ids, Floats]:
        """The likeliest words and their log-probabilities, `count` a row or a few more.

        No word comes twice in a row unless it is impossible (−∞); they are in no order. Where
        rows are rivals, words may be missing that come far behind those of other rows.
        """

    def of(self, words: Ids) -> Floats:
        """Log-probabilities of one word a row: (rows,)."""

    def all(self) -> Floats:
        """Log-probabilities of every id: (rows, width)."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """Rows that are hypotheses of a few sentences, and compete within each."""

    so_far: Floats  # (rows,): log-probability of what each has said
    groups: Groups
    given_up: Floats  # (sentences,): what at best is so likely need not be found

    def floors(self, scores: Floats, wanted: int) -> Floats:
        """What a word of each row must exceed to be among the `wanted` best of its sentence."""
        least = self.given_up
        totals = self.groups.side_by_side(scores + self.so_far[:, None])
        if totals.shape[1] >= wanted:
            least = np.maximum(least, top(totals, wanted)[1].min(axis=1))
        floors: Floats = least[self.groups.of_row] - self.so_far
        return floors


@dataclass(frozen=True)
class ClusteredWords(ABC):
    """Words of an adaptive softmax: frequent ones are scored at once, rarer ones when asked for.

    A cluster of rarer words is opened for rows where one of them could be among the best. What
    is besides generated, or barred from it, each decoder tells for itself.
    """

    spoken: Floats  # (rows, units): what the softmax reads
    softmax: VocabularySoftmax
    width: int

    @property
    @abstractmethod
    def generating(self) -> Floats:
        """Log-probability that the next word is generated: (rows,)."""

    @abstractmethod
    def apart(self, first: int, rows: Ids | None = None) -> Ids:
        """Words that count otherwise than as generated, from the id `first` on: (rows, others)."""

    @abstractmethod
    def instead(self, at: Ids, generated: Generated, rows: Ids | None = None) -> Floats:
        """Log-probabilities of those words, (rows, others), whatever `generated` says of them."""

    @abstractmethod
    def besides(self) -> list[tuple[Ids, Floats]]:
        """Words that may come without being generated, if they are none of the vocabulary's."""

    def could_reach(self, share: Floats, start: int, end: int) -> Floats:
        """What no word of a cluster with this share can exceed: (rows,)."""
        return share

    @cached_property
    def head(self) -> Floats:
        """Scores of frequent words and of each cluster: (rows, words and clusters)."""
        return self.softmax.head_scores(self.spoken)

    @cached_property
    def shift(self) -> Floats:
        """What makes the head's scores log-probabilities: (rows,)."""
        shift: Floats = self.generating - log_sum(self.head)
        return shift

    def best(self, count: int, rivals: Rivals | None = None) -> tuple[Ids, Floats]:
        """The best of the frequent words, what may come besides, and rarer ones that compete."""
        words = self.softmax.head_words
        nothing = np.full(len(self.spoken), -np.inf, np.float32)
        ids, scores = self._best_of(self.head, words, self.shift, nothing, count)
        parts = [(ids, scores), *self.besides()]
        weakest = nothing
        if self.softmax.tails and scores.shape[1] >= count:
            weakest = np.minimum.reduce(scores, axis=1)
            if rivals is not None:
                weakest = np.maximum(weakest, rivals.floors(scores, 2 * count))
        for index, (start, end) in enumerate(self.softmax.clusters):
            share = self.head[:, words + index] + self.shift
            rows = np.flatnonzero(self.could_reach(share, start, end) > weakest)
            if len(rows):
                parts.append(self._best_of_cluster(index, rows, share, weakest, count))
        if len(parts) == 1:
            return ids, scores
        return (
            np.concatenate([part[0] for part in parts], axis=1),
            np.concatenate([part[1] for part in parts], axis=1),
        )

    def _best_of_cluster(
        self, index: int, rows: Ids, share: Floats, above: Floats, count: int
    ) -> tuple[Ids, Floats]:
        """The best of some rows; the others get words that cannot come."""
        start, end = self.softmax.clusters[index]
        width = min(count, end - start)
        ids = np.full((len(self.spoken), width), EOS_ID, np.int64)
        scores = np.full(ids.shape, -np.inf, np.float32)
        at_once = max(1, SCORES_AT_ONCE // (end - start))
        for first in range(0, len(rows), at_once):
            some = rows[first : first + at_once]
            tail = self.softmax.tail_scores(self.spoken[some], index)
            shift = share[some] - log_sum(tail)
            own, found = self._best_of(
                tail, end - start, shift, above[some], count, first=start, rows=some
            )
            ids[some], scores[some] = own + start, found
        return ids, scores

    def _best_of(
        self,
        scores: Floats,
        columns: int,
        shift: Floats,
        above: Floats,
        count: int,
        *,
        first: int = 0,
        rows: Ids | None = None,
    ) -> tuple[Ids, Floats]:
        def generated(at: Ids) -> Floats:
            inside = np.minimum(np.maximum(at, 0), columns - 1)
            found: Floats = scores[np.arange(len(at))[:, None], inside] + shift[:, None]
            return found

        at = self.apart(first, rows)  # (rows, others)
        changed = Changed(at, self.instead(at, generated, rows), above)
        return best(count, scores, columns, shift, changed)

    def generated(self, words: Ids) -> Floats:
        """Log-probabilities of generating one word a row; only clusters asked about are opened."""
        rows = np.arange(len(words))
        found = np.full(len(words), -np.inf, np.float32)
        is_head = words < self.softmax.head_words
        found[is_head] = self.head[rows[is_head], words[is_head]] + self.shift[is_head]
        for index, (start, end) in enumerate(self.softmax.clusters):
            here = np.flatnonzero((words >= start) & (words < end))
            if len(here):
                tail = self.softmax.tail_scores(self.spoken[here], index)
                share = self.head[here, self.softmax.head_words + index] + self.shift[here]
                own = tail[np.arange(len(here)), words[here] - start] - log_sum(tail)
                found[here] = share + own
        return found

    def all(self) -> Floats:
        """Score everything."""
        scores = np.full((len(self.spoken), self.width), -np.inf, np.float32)
        every = self.softmax.log_probabilities(self.spoken)
        scores[:, : self.softmax.words] = self.generating[:, None] + every
        at = self.apart(0)
        rows, places = np.nonzero((at >= 0) & (at < self.softmax.words))
        ids = at[rows, places]
        generated = np.full(at.shape, -np.inf, np.float32)
        generated[rows, places] = scores[rows, ids]
        scores[rows, ids] = self.instead(at, lambda _: generated)[rows, places]
        for ids, found in self.besides():
            np.put_along_axis(scores, ids, found, axis=1)
        return scores


@dataclass(frozen=True)
class PlaceOrGenerate(ClusteredWords):
    """The next keyword is placed, or another word is generated."""

    place: Floats  # (rows,): logit of placing
    keyword: Ids  # (rows,): the keyword that comes next, the end mark after the last

    @property
    def generating(self) -> Floats:
        """What is not placed is generated."""
        return log_sigmoid(-self.place)

    def besides(self) -> list[tuple[Ids, Floats]]:
        """The keyword."""
        return [(self.keyword[:, None], log_sigmoid(self.place)[:, None])]

    def apart(self, first: int, rows: Ids | None = None) -> Ids:
        """Keywords are placed, never generated, and so is the end."""
        keyword = self.keyword if rows is None else self.keyword[rows]
        found = np.full((len(keyword), 2), EOS_ID - first, np.int64)
        np.subtract(keyword, first, out=found[:, 1])
        return found

    def instead(self, at: Ids, generated: Generated, rows: Ids | None = None) -> Floats:
        """Never."""
        return np.full(at.shape, -np.inf, np.float32)

    def of(self, words: Ids) -> Floats:
        """The keyword is placed, all else generated."""
        found = self.generated(words)
        found[words == EOS_ID] = -np.inf
        is_keyword = words == self.keyword
        found[is_keyword] = log_sigmoid(self.place[is_keyword])
        return found
