"""Next words: how likely each word comes next, of which search wants to know only the best.

A vocabulary has ten thousand words, and a beam looks at ten of them. What a runtime returns
from a step can be asked for the best few, for certain words, or for all.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from tersely.model.lstm import Floats, log_sigmoid
from tersely.model.rows import Ids
from tersely.model.softmax import VocabularySoftmax
from tersely.text.vocab import EOS_ID


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
    starts: tuple[int, ...]  # where the rows of each sentence begin, and where the last ends

    def floors(self, scores: Floats, wanted: int) -> Floats:
        """What a word of each row must exceed to be among the `wanted` best of its sentence."""
        totals = scores + self.so_far[:, None]
        floors = np.full(len(scores), -np.inf, np.float32)
        for start, end in pairwise(self.starts):
            every = totals[start:end].ravel()
            if len(every) > wanted:
                last = len(every) - wanted
                floors[start:end] = np.partition(every, last)[last] - self.so_far[start:end]
        return floors


@dataclass(frozen=True, slots=True)
class AllScores:
    """Every word has been scored already."""

    scores: Floats  # (rows, width)

    def best(self, count: int, rivals: Rivals | None = None) -> tuple[Ids, Floats]:
        """The best by partition."""
        return top(self.scores, count)

    def of(self, words: Ids) -> Floats:
        """Look them up."""
        found: Floats = self.scores[np.arange(len(words)), words]
        return found

    def all(self) -> Floats:
        """As they are."""
        return self.scores


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
    def correct(self, words: Floats, *, first: int, rows: Ids | None = None) -> None:
        """Set right, in place, what is not as generated of words from the id `first` on."""

    @abstractmethod
    def besides(self) -> list[tuple[Ids, Floats]]:
        """Words that may come without being generated, if they are none of the vocabulary's."""

    def could_reach(self, share: Floats, start: int, end: int) -> Floats:
        """What no word of a cluster with this share can exceed: (rows,)."""
        return share

    @cached_property
    def head(self) -> Floats:
        """Log-probabilities of frequent words and of each cluster, if a word is generated."""
        return self.softmax.head_scores(self.spoken)

    def best(self, count: int, rivals: Rivals | None = None) -> tuple[Ids, Floats]:
        """The best of the frequent words, what may come besides, and rarer ones that compete."""
        generating = self.generating
        words = self.head[:, : self.softmax.head_words] + generating[:, None]
        self.correct(words, first=0)
        ids, scores = top(words, count)
        weakest = scores.min(axis=1) if scores.shape[1] >= count else np.float32(-np.inf)
        if rivals is not None:
            weakest = np.maximum(weakest, rivals.floors(scores, 2 * count))
        parts = [(ids, scores), *self.besides()]
        for index, (start, end) in enumerate(self.softmax.clusters):
            share = self.head[:, self.softmax.head_words + index] + generating
            rows = np.flatnonzero(self.could_reach(share, start, end) > weakest)
            if len(rows):
                parts.append(self._best_of_cluster(index, start, rows, share[rows], count))
        return (
            np.concatenate([part[0] for part in parts], axis=1),
            np.concatenate([part[1] for part in parts], axis=1),
        )

    def _best_of_cluster(
        self, index: int, start: int, rows: Ids, share: Floats, count: int
    ) -> tuple[Ids, Floats]:
        """The best of some rows; the others get words that cannot come."""
        tail = share[:, None] + self.softmax.tail_scores(self.spoken[rows], index)
        self.correct(tail, first=start, rows=rows)
        own, found = top(tail, count)
        ids = np.full((len(self.spoken), own.shape[1]), EOS_ID, np.int64)
        scores = np.full(ids.shape, -np.inf, np.float32)
        ids[rows], scores[rows] = own + start, found
        return ids, scores

    def generated(self, words: Ids) -> Floats:
        """Log-probabilities of generating one word a row; only clusters asked about are opened."""
        rows, generating = np.arange(len(words)), self.generating
        found = np.full(len(words), -np.inf, np.float32)
        is_head = words < self.softmax.head_words
        found[is_head] = self.head[rows[is_head], words[is_head]] + generating[is_head]
        for index, (start, end) in enumerate(self.softmax.clusters):
            here = np.flatnonzero((words >= start) & (words < end))
            if len(here):
                tail = self.softmax.tail_scores(self.spoken[here], index)
                share = self.head[here, self.softmax.head_words + index] + generating[here]
                found[here] = share + tail[np.arange(len(here)), words[here] - start]
        return found

    def all(self) -> Floats:
        """Score everything."""
        scores = np.full((len(self.spoken), self.width), -np.inf, np.float32)
        every = self.softmax.log_probabilities(self.spoken)
        scores[:, : self.softmax.words] = self.generating[:, None] + every
        self.correct(scores, first=0)
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

    def correct(self, words: Floats, *, first: int, rows: Ids | None = None) -> None:
        """Keywords are placed, never generated, and so is the end."""
        if first <= EOS_ID < first + words.shape[1]:
            words[:, EOS_ID - first] = -np.inf
        keyword = (self.keyword if rows is None else self.keyword[rows]) - first
        here = np.flatnonzero((keyword >= 0) & (keyword < words.shape[1]))
        words[here, keyword[here]] = -np.inf

    def of(self, words: Ids) -> Floats:
        """The keyword is placed, all else generated."""
        found = self.generated(words)
        found[words == EOS_ID] = -np.inf
        is_keyword = words == self.keyword
        found[is_keyword] = log_sigmoid(self.place[is_keyword])
        return found


def top(scores: Floats, count: int) -> tuple[Ids, Floats]:
    """The `count` greatest of each row, in no order, with where they are."""
    if count >= scores.shape[1]:
        ids = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
        return ids, scores
    ids = np.argpartition(scores, scores.shape[1] - count, axis=1)[:, -count:]
    return ids, scores[np.arange(len(scores))[:, None], ids]
