"""Beam search: the likeliest sentences under keyword constraints.

The search works on any decoder step and depends on neither weights nor words. All sentences of a
batch are searched at once, one row per hypothesis, so that a step is a few array operations
however many sentences there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from tersely.decoding.constraints import ConstraintTable, KeywordConstraint
from tersely.decoding.deadline import NO_DEADLINE, Deadline
from tersely.decoding.step import DecoderStep, Hypothesis, StateT
from tersely.runtime.arrays import Floats, Ids, RowGroups
from tersely.runtime.kernels.backend import prune
from tersely.runtime.kernels.pruning import (
    Bools,
    Candidates,
    DedupKeys,
    Doubles,
    Pruned,
    is_member,
)
from tersely.runtime.next_token import NextTokenDistribution, PruningThreshold
from tersely.text.vocabulary import BOS_ID, EOS_ID, PAD_ID, SHIFT_ID, UNK_ID

DEFAULT_MAX_TOKENS = 24
IMPOSSIBLE = np.float32(-np.inf)
THRESHOLD_MARGIN = 1e-3  # nats; covers the rounding of scores to float32


@dataclass(frozen=True, slots=True)
class BeamOptions:
    """Options of beam search."""

    width: int = 5
    """How many hypotheses of a sentence are live."""
    n_best: int = 3
    """How many finished hypotheses are returned."""
    max_tokens: int = DEFAULT_MAX_TOKENS
    extra_tokens: int = 8
    """A sentence of many keywords may have this many more tokens than its keywords."""
    enforce_keywords: bool = True
    forbidden: tuple[int, ...] = (PAD_ID, UNK_ID, BOS_ID)
    """Ids that are never generated, unless they are keywords."""
    ignored: frozenset[int] = frozenset()
    """Ids that do not distinguish sentences: of those that differ only in these, one is kept."""
    max_duplicates: int = 2
    """How many live hypotheses may differ only in ignored ids."""


def beam_search(
    step: DecoderStep[StateT],
    state: StateT,
    constraints: Sequence[KeywordConstraint],
    options: BeamOptions,
    *,
    last: Ids | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> list[list[Hypothesis]]:
    """Return the likeliest sentences for each constraint, best first.

    Sentences continue after the tokens `last` (rows,), by default the start mark. Once the
    deadline has expired, the best sentences so far are returned.
    """
    search = _BeamSearch(constraints, options)
    live = LiveHypotheses.start(
        np.full(len(constraints), BOS_ID, np.int64) if last is None else last
    )
    while len(live.sentences):
        if deadline.expired():
            search.finish_early(live)
            break
        state, next_token = step(state, live.last)
        live, parents = search.advance(live, next_token)
        state = state.take(parents)
    return search.finished.n_best()


@dataclass(frozen=True, slots=True)
class LiveHypotheses:
    """Unfinished hypotheses; those of one sentence are consecutive rows, best first."""

    sentences: Ids  # (sentences,): indices of the sentences still searched
    groups: RowGroups  # the rows of each of them
    sentence: Ids  # (rows,): the sentence of each row
    score: Doubles  # (rows,): log-probability
    matched: Ids  # (rows,): number of keywords it contains
    last: Ids  # (rows,): last token
    dedup_key: DedupKeys  # (rows,): hash of its tokens, without ignored ones

    @classmethod
    def start(cls, last: Ids) -> Self:
        """Return one empty hypothesis per sentence."""
        count = len(last)
        return cls(
            sentences=np.arange(count),
            groups=RowGroups(np.ones(count, np.int64)),
            sentence=np.arange(count),
            score=np.zeros(count),
            matched=np.zeros(count, np.int64),
            last=last,
            dedup_key=np.zeros(count, np.uint64),
        )

    def extended(self, pruned: Pruned) -> "LiveHypotheses":
        """Return the hypotheses that continue."""
        sentences, sizes = self.sentences, pruned.sizes
        is_live = sizes > 0
        if not is_live.all():
            sentences, sizes = sentences[is_live], sizes[is_live]
        return LiveHypotheses(
            sentences=sentences,
            groups=RowGroups(sizes),
            sentence=self.sentence[pruned.row],
            score=pruned.score,
            matched=pruned.matched,
            last=pruned.token,
            dedup_key=pruned.dedup_key,
        )

    def filtered(self, is_kept: Bools) -> "LiveHypotheses":
        """Return the rows (rows,) that are kept, and their sentences."""
        sizes = np.bincount(self.groups.of_row[is_kept], minlength=len(self.sentences))
        is_live = sizes > 0
        return LiveHypotheses(
            sentences=self.sentences[is_live],
            groups=RowGroups(sizes[is_live]),
            sentence=self.sentence[is_kept],
            score=self.score[is_kept],
            matched=self.matched[is_kept],
            last=self.last[is_kept],
            dedup_key=self.dedup_key[is_kept],
        )


class _End(NamedTuple):
    """A finished hypothesis: its score, and the step and row its backpointers start from."""

    score: float
    step: int
    row: int


class FinishedHypotheses:
    """Hypotheses that have ended, with the backpointers of all steps."""

    def __init__(self, sentences: int, n_best: int) -> None:
        self._n_best = n_best
        self._steps: list[tuple[Ids, Ids]] = []  # parent row and token of each row
        self._ends: list[dict[int, _End]] = [{} for _ in range(sentences)]  # by dedup key
        self._unscored: dict[int, Hypothesis] = {}
        self.min_scores: Doubles = np.full(sentences, -np.inf)
        """The score of each sentence's n-th best, −∞ while there are fewer; it never falls."""

    def add_step(self, parents: Ids, tokens: Ids) -> None:
        """Record a step: the parent row and the token of each live row."""
        self._steps.append((parents, tokens))

    def add(self, sentence: int, row: int, score: float, dedup_key: int) -> None:
        """Add the hypothesis of a row; of duplicates only the best is kept."""
        ends = self._ends[sentence]
        if dedup_key in ends and ends[dedup_key].score >= score:
            return
        ends[dedup_key] = _End(score, len(self._steps), row)
        if len(ends) >= self._n_best:
            scores = sorted((end.score for end in ends.values()), reverse=True)
            self.min_scores[sentence] = scores[self._n_best - 1]

    def add_unscored(self, sentence: int, row: int, remaining: Sequence[int]) -> None:
        """Add an unfinished hypothesis followed by `remaining`; its log-probability is −∞."""
        self._unscored[sentence] = Hypothesis((*self._ids(row), *remaining), -np.inf)

    def has_any(self, sentence: int) -> bool:
        """Return whether any hypothesis of a sentence has ended."""
        return bool(self._ends[sentence])

    def n_best(self) -> list[list[Hypothesis]]:
        """Return the best hypotheses of each sentence, best first."""
        return [self._n_best_of(sentence) for sentence in range(len(self._ends))]

    def _n_best_of(self, sentence: int) -> list[Hypothesis]:
        if sentence in self._unscored:
            return [self._unscored[sentence]]
        best = sorted(self._ends[sentence].values(), key=lambda end: -end.score)[: self._n_best]
        return [Hypothesis(self._ids(end.row, end.step), end.score) for end in best]

    def _ids(self, row: int, step: int | None = None) -> tuple[int, ...]:
        """Follow the backpointers from a row of a step, by default the last."""
        ids: list[int] = []
        for parents, tokens in reversed(self._steps[:step]):
            ids.append(int(tokens[row]))
            row = int(parents[row])
        return tuple(reversed(ids))


class _Required(NamedTuple):
    """The constraints that apply to each live hypothesis: (rows,) each."""

    token: Ids  # the next required token; a case mark where one is missing
    keyword: Ids  # the keyword that it leads to
    tokens_needed: Ids  # how many tokens are still required
    lacks_shift: Bools  # whether the keyword's case mark is missing
    is_forced: Bools  # whether no other token may come now
    may_insert_shift: Bools  # whether a case mark may come although a keyword is forced


class _BeamSearch:
    """State of the search for a batch of sentences."""

    def __init__(self, constraints: Sequence[KeywordConstraint], options: BeamOptions) -> None:
        self.options = options
        self.constraints = ConstraintTable.build(constraints, enforce=options.enforce_keywords)
        # The limit depends on a sentence's own keywords only, not on the rest of the batch.
        self.tokens_left = np.maximum(
            options.max_tokens, self.constraints.token_counts + options.extra_tokens
        )
        self.finished = FinishedHypotheses(len(constraints), options.n_best)
        # A keyword that needs a case mark is seldom likely: a slot is reserved for it.
        self._reserves_slot = self.constraints.has_capitalised
        self._may_end = EOS_ID not in options.forbidden
        tables = np.zeros((2, 1 + max(*options.ignored, *options.forbidden, 0, 0)), np.bool_)
        tables[0, list(options.ignored)] = True
        tables[1, list(options.forbidden)] = True
        self._is_ignored, self._is_forbidden = tables

    def advance(
        self, live: LiveHypotheses, next_token: NextTokenDistribution
    ) -> tuple[LiveHypotheses, Ids]:
        """Extend every hypothesis by its best tokens; return the new ones and their parents.

        Scores only fall, so a hypothesis no better than the n-th best finished one is dropped.
        """
        width = self.options.width
        pruned = prune(
            self._candidates(live, next_token),
            width=width,
            max_duplicates=self.options.max_duplicates if self.options.ignored else width,
            end_id=EOS_ID,
        )
        for row, score in zip(pruned.ended_row.tolist(), pruned.ended_score.tolist(), strict=True):
            self.finished.add(int(live.sentence[row]), row, score, int(live.dedup_key[row]))
        self.tokens_left -= 1
        extended, parents = live.extended(pruned), pruned.row
        is_promising = self._is_promising(extended)
        if not is_promising.all():
            extended, parents = extended.filtered(is_promising), parents[is_promising]
        self.finished.add_step(parents, extended.last)
        return extended, parents

    def finish_early(self, live: LiveHypotheses) -> None:
        """Complete the best hypothesis of each sentence that has no finished one.

        The keywords it lacks are appended. It was not scored to its end, so it counts as
        impossible.
        """
        best_rows = live.groups.bounds[:-1].tolist()
        for sentence, row in zip(live.sentences.tolist(), best_rows, strict=True):
            if not self.finished.has_any(sentence):
                matched, last = int(live.matched[row]), int(live.last[row])
                remaining = self.constraints.remaining(sentence, matched, last)
                self.finished.add_unscored(sentence, row, remaining)

    def _is_promising(self, live: LiveHypotheses) -> Bools:
        """Return whether each hypothesis may still become one of the n best: (rows,)."""
        is_promising: Bools = live.score > self.finished.min_scores[live.sentence]
        return is_promising

    def _candidates(self, live: LiveHypotheses, next_token: NextTokenDistribution) -> Candidates:
        """Return the tokens that each hypothesis may continue with."""
        min_scores = self.finished.min_scores[live.sentences] - THRESHOLD_MARGIN
        threshold = PruningThreshold(
            live.score.astype(np.float32), live.groups, min_scores.astype(np.float32)
        )
        k = 2 * self.options.width + len(self.options.forbidden)
        tokens, scores = next_token.top_k(k, threshold)
        required = self._required(live)
        if required.lacks_shift.any():
            is_keyword = tokens == required.keyword[:, None]
            scores = np.where(required.lacks_shift[:, None] & is_keyword, IMPOSSIBLE, scores)
        is_forbidden = self._is_forbidden
        if required.is_forced.any():
            scores = np.where(is_member(is_forbidden, tokens), IMPOSSIBLE, scores)
            is_forbidden = np.zeros_like(is_forbidden)  # a forced token may be a forbidden one
            tokens, scores = _force(tokens, scores, required, next_token)
        return Candidates(
            scores=scores,
            tokens=tokens,
            hypothesis_score=live.score,
            dedup_key=live.dedup_key,
            matched=live.matched,
            next_keyword=self.constraints.keywords[live.sentence, live.matched],
            may_end=required.is_forced | (required.tokens_needed == 0) & self._may_end,
            is_ignored=self._is_ignored,
            is_forbidden=is_forbidden,
            starts=live.groups.bounds,
            reserves_slot=self._reserves_slot[live.sentences],
        )

    def _required(self, live: LiveHypotheses) -> _Required:
        index = live.sentence, live.matched
        keyword, count = self.constraints.required[index], self.constraints.remaining_counts[index]
        is_adjacent = self.constraints.adjacent[index]
        # No room is left for free tokens: every remaining token must be a required one.
        is_out_of_room = count >= self.tokens_left[live.sentence]
        follows_shift = live.last == SHIFT_ID
        lacks_shift = self.constraints.capitalised[index] & ~follows_shift
        token = np.where(lacks_shift, SHIFT_ID, keyword) if lacks_shift.any() else keyword
        is_forced = is_out_of_room | is_adjacent
        may_insert_shift = is_forced
        if is_forced.any():
            may_insert_shift = is_adjacent & ~is_out_of_room & (count > 0)
            may_insert_shift &= ~follows_shift & (token != SHIFT_ID)
        return _Required(token, keyword, count, lacks_shift, is_forced, may_insert_shift)


def _force(
    tokens: Ids, scores: Floats, required: _Required, next_token: NextTokenDistribution
) -> tuple[Ids, Floats]:
    """Make the required token the only candidate where it is forced.

    Inside a phrase a case mark may come before it: the second candidate.
    """
    is_forced, may_insert_shift = required.is_forced, required.may_insert_shift
    tokens, scores = tokens.copy(), np.where(is_forced[:, None], IMPOSSIBLE, scores)
    tokens[is_forced, 0] = required.token[is_forced]
    scores[is_forced, 0] = next_token.log_prob(required.token)[is_forced]
    if may_insert_shift.any():
        shift_scores = next_token.log_prob(np.full(len(tokens), SHIFT_ID))
        tokens[may_insert_shift, 1] = SHIFT_ID
        scores[may_insert_shift, 1] = shift_scores[may_insert_shift]
    return tokens, scores
