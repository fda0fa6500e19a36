"""Hypotheses: the beginnings of sentences that a beam follows, and the sentences that ended.

All sentences of a batch are followed at once, one row a hypothesis, so that a step of the
search is a few operations on arrays however many sentences there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tersely.decoding.step import Found
from tersely.runtime.arrays import Ids
from tersely.runtime.groups import Groups
from tersely.runtime.kernels.beam import Bools, Doubles, Followed, Heard


@dataclass(frozen=True, slots=True)
class Live:
    """Beginnings of sentences; those of one sentence stand together, best first."""

    sentences: Ids  # (sentences,): which are followed
    groups: Groups  # how many hypotheses there are of each
    sentence: Ids  # (rows,): whose it is
    score: Doubles  # (rows,): log-probability
    placed: Ids  # (rows,): keywords said so far
    last: Ids  # (rows,): the last word
    heard: Heard  # (rows,): a number for what was said, silent words left out

    @classmethod
    def start(cls, last: Ids) -> "Live":
        """Nothing has been said yet of any sentence."""
        count = len(last)
        every, nothing = np.arange(count), np.zeros(count, np.int64)
        groups = Groups(np.ones(count, np.int64))
        heard = np.zeros(count, np.uint64)
        return cls(every, groups, every, np.zeros(count), nothing, last, heard)

    def after(self, found: Followed) -> "Live":
        """What goes on."""
        sentence = self.sentence[found.row]
        is_there = found.sizes > 0
        if is_there.all():
            sentences, groups = self.sentences, Groups(found.sizes)
        else:
            sentences, groups = self.sentences[is_there], Groups(found.sizes[is_there])
        return Live(sentences, groups, sentence, found.score, found.placed, found.word, found.heard)

    def of_rows(self, rows: Bools) -> "Live":
        """Follow only some rows, and the sentences they are of."""
        sizes = np.bincount(self.groups.of_row[rows], minlength=len(self.sentences))
        is_there = sizes > 0
        return Live(
            self.sentences[is_there],
            Groups(sizes[is_there]),
            self.sentence[rows],
            self.score[rows],
            self.placed[rows],
            self.last[rows],
            self.heard[rows],
        )


class _Ended(NamedTuple):
    """A sentence that ended behind a row of a step."""

    score: float
    step: int
    row: int


class Story:
    """What was said, step by step, and the sentences that ended."""

    def __init__(self, sentences: int, count: int) -> None:
        self._count = count
        self._steps: list[tuple[Ids, Ids]] = []  # the parent and the word of each row
        self._ended: list[dict[int, _Ended]] = [{} for _ in range(sentences)]
        self._cut_short: dict[int, Found] = {}
        self.worst_wanted: Doubles = np.full(sentences, -np.inf)
        """The score of the last of `count` sentences, once there are so many; never falls."""

    def go_on(self, parents: Ids, words: Ids) -> None:
        """Say one more word in each row."""
        self._steps.append((parents, words))

    def end(self, sentence: int, row: int, score: float, heard: int) -> None:
        """A sentence ends; of those that sound alike the best counts."""
        ended = self._ended[sentence]
        if heard in ended and ended[heard].score >= score:
            return
        ended[heard] = _Ended(score, len(self._steps), row)
        if len(ended) >= self._count:
            best = sorted((one.score for one in ended.values()), reverse=True)
            self.worst_wanted[sentence] = best[self._count - 1]

    def cut_short(self, sentence: int, row: int, rest: Sequence[int]) -> None:
        """A sentence that nobody waits for ends with these words; it counts as impossible."""
        self._cut_short[sentence] = Found((*self.said(row), *rest), -np.inf)

    def has_ended(self, sentence: int) -> bool:
        """Whether a sentence was found."""
        return bool(self._ended[sentence])

    def said(self, row: int, step: int | None = None) -> tuple[int, ...]:
        """What led to a row of a step, by default the last."""
        words: list[int] = []
        for parents, said in reversed(self._steps[:step]):
            words.append(int(said[row]))
            row = int(parents[row])
        return tuple(reversed(words))

    def found(self) -> list[list[Found]]:
        """The best of each sentence, best first."""
        return [self._best(sentence) for sentence in range(len(self._ended))]

    def _best(self, sentence: int) -> list[Found]:
        if sentence in self._cut_short:
            return [self._cut_short[sentence]]
        best = sorted(self._ended[sentence].values(), key=lambda one: -one.score)[: self._count]
        return [Found(self.said(one.row, one.step), one.score) for one in best]
