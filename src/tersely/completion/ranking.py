"""Candidate search and ranking: queries in, scored sentences out.

A beam search finds candidates for each query. Candidates of several expansions, and sentences from
memory, are ranked together: all scores are probabilities of one distribution.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tersely.completion.calibration import Calibration
from tersely.completion.expansion import Expansion
from tersely.completion.memory import Memory, MemoryEntry
from tersely.completion.query import Query
from tersely.completion.suggestion import Suggestion
from tersely.decoding.beam import BeamOptions, beam_search
from tersely.decoding.constraints import KeywordConstraint
from tersely.decoding.deadline import NO_DEADLINE, Deadline
from tersely.decoding.scoring import total_nll
from tersely.decoding.step import Hypothesis
from tersely.model.budget_features import DecoderBudget
from tersely.runtime.registry import DecoderRuntime
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, detokenise, tokenise

TOKENS_PER_BATCH = 1000  # keywords scored between two checks of the deadline
NEW_SENTENCE_USES = 0.5  # κ: the weight of sentences that are not in memory, in uses
TYPED_SHARE_EXPONENT = 1.0  # a sentence typed by a third counts a third of one typed in full


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How candidates are searched for."""

    beam: BeamOptions
    context_tokens: tuple[str, ...] = ()
    """Tokens that the sentence begins with, which are not part of the suggestion."""
    deadline: Deadline = NO_DEADLINE
    budget: DecoderBudget | None = None
    splits_case_marks: bool = False
    """Whether `<shift>` marks words that need a capital, as people type them, and is hidden from
    the decoder. Otherwise it is a keyword, as the paper's encoder may choose it."""

    def split(self, query: Query) -> tuple[Query, tuple[bool, ...]]:
        """Return the query the decoder reads, and which of its words need a capital."""
        return query.split_case_marks() if self.splits_case_marks else (query, ())


class CandidateSearch:
    """Searches for candidates with the decoder of a model."""

    def __init__(self, runtime: DecoderRuntime, calibration: Calibration) -> None:
        self.runtime, self._calibration = runtime, calibration
        self._ignored = frozenset(
            index
            for index, token in enumerate(runtime.vocabulary.tokens)
            if token == SHIFT or is_punctuation(token)
        )

    def search(self, queries: Sequence[Query], settings: SearchSettings) -> list[list[Suggestion]]:
        """Return candidates for each query that differ in words, not only in capitals and marks."""
        if not queries:
            return []
        vocabulary, split = self.runtime.vocabulary, [settings.split(query) for query in queries]
        unknown_words = [vocabulary.out_of_vocabulary(query.tokens) for query, _ in split]
        constraints = [
            KeywordConstraint(
                vocabulary.encode_with_copies(query.tokens, unknown), query.adjacent, capital
            )
            for (query, capital), unknown in zip(split, unknown_words, strict=True)
        ]
        state = self.runtime.begin([query.tokens for query, _ in split], settings.budget)
        last = None
        if settings.context_tokens:
            state, last = self.runtime.prefill(state, vocabulary.encode(settings.context_tokens))
        n_best_lists = beam_search(
            self.runtime.step,
            state,
            constraints,
            replace(settings.beam, ignored=self._ignored),
            last=last,
            deadline=settings.deadline,
        )
        return [
            self._suggestions(hypotheses, unknown)
            for hypotheses, unknown in zip(n_best_lists, unknown_words, strict=True)
        ]

    def search_and_rank(
        self, expansions: Sequence[Expansion], shared: Sequence[str], settings: SearchSettings
    ) -> list[Suggestion]:
        """Search for candidates of every expansion, and rank them together.

        The probability of an expansion z follows from its best sentence x. Since x contains all of
        z, p(z | shared) = p(x | shared) / p(x | z), where `shared` are the words all expansions
        have in common.
        """
        candidates = self.search([expansion.query for expansion in expansions], settings)
        best = [suggestions[0].tokens if suggestions else () for suggestions in candidates]
        losses = np.zeros(len(best))
        if len(best) > 1 and not settings.deadline.expired():
            words = [token for token in shared if token != SHIFT or not settings.splits_case_marks]
            losses = total_nll(self.runtime, [words] * len(best), best)
            queries = [settings.split(expansion.query)[0].tokens for expansion in expansions]
            losses -= total_nll(self.runtime, queries, best)
        weights = np.exp(losses.min() - losses) * [expansion.weight for expansion in expansions]
        shares = weights / weights.sum()
        best_of_text: dict[str, Suggestion] = {}
        for share, expansion, suggestions in zip(shares, expansions, candidates, strict=True):
            for suggestion in suggestions:
                score, text = float(share) * suggestion.score, suggestion.text
                if text not in best_of_text or best_of_text[text].score < score:
                    best_of_text[text] = replace(
                        suggestion, score=score, corrected=expansion.corrected
                    )
        return by_score(best_of_text.values())[: settings.beam.n_best]

    def unconditional_losses(
        self, queries: Sequence[Query], settings: SearchSettings
    ) -> npt.NDArray[np.float64]:
        """Return the loss of the greedy sentence of each query, without keywords, in nats.

        Queries that are left when the deadline expires have an infinite loss.
        """
        losses = np.full(len(queries), np.inf)
        longest = max([1, *(len(query.tokens) for query in queries)])
        batch_size = max(1, TOKENS_PER_BATCH // longest)
        for start in range(0, len(queries), batch_size):
            if settings.deadline.expired():
                break
            batch = slice(start, start + batch_size)
            losses[batch] = self._batch_losses(queries[batch], settings)
        return losses

    def _batch_losses(
        self, queries: Sequence[Query], settings: SearchSettings
    ) -> npt.NDArray[np.float64]:
        greedy = replace(settings, beam=replace(settings.beam, width=1, n_best=1))
        candidates = self.search(queries, greedy)
        best = [suggestions[0].tokens if suggestions else () for suggestions in candidates]
        return total_nll(self.runtime, [()] * len(best), best)

    def _suggestions(
        self, hypotheses: Sequence[Hypothesis], unknown_words: Sequence[str]
    ) -> list[Suggestion]:
        scores = self._calibration.apply(
            [math.exp(hypothesis.log_prob) for hypothesis in hypotheses]
        )
        vocabulary = self.runtime.vocabulary
        sentences = [
            tuple(vocabulary.decode(hypothesis.ids, unknown_words)) for hypothesis in hypotheses
        ]
        return [
            Suggestion(detokenise(tokens), score, tokens)
            for tokens, score in zip(sentences, scores, strict=True)
        ]


def merge_memory(
    memory: Memory, query: Query, suggestions: Sequence[Suggestion], *, in_order: bool = True
) -> list[Suggestion]:
    """Rank sentences from memory together with the model's suggestions."""
    entries = memory.find_query(query, in_order=in_order)
    n_keywords = sum(token != SHIFT for token in query.tokens)
    probabilities, model_share = memory_probabilities(entries, n_keywords=n_keywords)
    merged = {
        suggestion.text: replace(suggestion, score=model_share * suggestion.score)
        for suggestion in suggestions
    }
    for text, probability in probabilities.items():
        model_score = merged[text].score if text in merged else 0.0
        tokens = tuple(tokenise(text).tokens)
        merged[text] = Suggestion(text, probability + model_score, tokens, "memory")
    return by_score(merged.values())


def memory_probabilities(
    entries: Sequence[MemoryEntry], *, n_keywords: int
) -> tuple[dict[str, float], float]:
    """Return the probability of each sentence, and what is left for the model's suggestions.

    The prior is a Chinese restaurant process. With c(x) the uses of a sentence that contains the
    keywords, weighted by the share of it that was typed, and c their sum, the sentence meant is x
    with probability c(x) / (c + κ), and one of the model's with probability κ / (c + κ).
    """
    uses = {entry.text: entry.times * _typed_share(entry.text, n_keywords) for entry in entries}
    total = sum(uses.values()) + NEW_SENTENCE_USES
    return {text: count / total for text, count in uses.items()}, NEW_SENTENCE_USES / total


def by_score(suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """Sort suggestions, best first."""
    return sorted(suggestions, key=lambda suggestion: -suggestion.score)


def _typed_share(text: str, n_keywords: int) -> float:
    n_words = sum(token != SHIFT for token in tokenise(text).tokens)
    return float((n_keywords / max(1, n_words, n_keywords)) ** TYPED_SHARE_EXPONENT)
