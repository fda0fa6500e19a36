"""Suggesting: keywords as tokens → sentences, and several readings of them ranked together."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tersely.completion.calibration import Calibration
from tersely.completion.query import Typed
from tersely.completion.suggestion import Suggestion
from tersely.decoding.beam import Beam, beam_search
from tersely.decoding.constraints import Wanted
from tersely.decoding.scoring import total_nll
from tersely.decoding.step import Found
from tersely.model.budget_features import DecoderBudget
from tersely.runtime.registry import DecoderRuntime
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, detokenise

TOKENS_AT_ONCE = 1000  # of keywords to weigh before the clock is looked at again


@dataclass(frozen=True, slots=True)
class Reading:
    """Keywords as they may be meant."""

    typed: Typed
    weight: float = 1.0  # how likely it is beforehand, beside the others
    corrected: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Hunting:
    """How to search: with what beam, after what words, for how long, for whom."""

    beam: Beam
    opening: tuple[str, ...] = ()
    is_late: Callable[[], bool] = lambda: False
    budget: DecoderBudget | None = None
    marks_apart: bool = False
    """Case marks are no keywords, as the paper's encoder may type them, but capitals that a
    person typed: the decoder does not read them, and the word after each must have one."""

    def read(self, typed: Typed) -> tuple[Typed, tuple[bool, ...]]:
        """What the decoder reads of what was typed, and which words must have a capital."""
        return typed.without_marks() if self.marks_apart else (typed, ())


class Suggester:
    """Searches with a model's decoder."""

    def __init__(self, runtime: DecoderRuntime, calibration: Calibration) -> None:
        self.runtime, self._calibration = runtime, calibration
        self._silent = frozenset(
            number
            for number, token in enumerate(runtime.vocabulary.tokens)
            if token == SHIFT or is_punctuation(token)
        )

    def suggest(self, rows: Sequence[Typed], hunting: Hunting) -> list[list[Suggestion]]:
        """Find sentences for each row; they differ in words, not only in capitals and marks."""
        if not rows:
            return []
        vocabulary, asked = self.runtime.vocabulary, [hunting.read(row) for row in rows]
        copies = [vocabulary.unknown(row.tokens) for row, _ in asked]
        wanted = [
            Wanted(vocabulary.encode_with_copies(row.tokens, own), row.glued, capital)
            for (row, capital), own in zip(asked, copies, strict=True)
        ]
        state, last = self.runtime.begin([row.tokens for row, _ in asked], hunting.budget), None
        if hunting.opening:
            state, last = self.runtime.resume(state, vocabulary.encode(hunting.opening))
        beam = replace(hunting.beam, silent=self._silent)
        found = beam_search(
            self.runtime.step, state, wanted, beam, last=last, is_late=hunting.is_late
        )
        return [self._suggestions(one, own) for one, own in zip(found, copies, strict=True)]

    def weigh(
        self, readings: Sequence[Reading], given: Sequence[str], hunting: Hunting
    ) -> list[Suggestion]:
        """Complete every reading, and rank their sentences together.

        How likely a reading z is beside the others tells its best sentence x: since x contains
        all of z, p(z | given) = p(x | given) / p(x | z), with `given` the words they share.
        """
        found = self.suggest([one.typed for one in readings], hunting)
        best = [own[0].tokens if own else () for own in found]
        losses = np.zeros(len(best))
        if len(best) > 1 and not hunting.is_late():
            shared = [token for token in given if token != SHIFT or not hunting.marks_apart]
            losses = total_nll(self.runtime, [shared] * len(best), best)
            typed = [hunting.read(one.typed)[0].tokens for one in readings]
            losses -= total_nll(self.runtime, typed, best)
        weights = np.exp(losses.min() - losses) * [one.weight for one in readings]
        pooled: dict[str, Suggestion] = {}
        for share, reading, own in zip(weights / weights.sum(), readings, found, strict=True):
            for one in own:
                score = float(share) * one.score
                if one.text not in pooled or pooled[one.text].score < score:
                    pooled[one.text] = replace(one, score=score, corrected=reading.corrected)
        return sorted(pooled.values(), key=lambda one: -one.score)[: hunting.beam.count]

    def losses(self, rows: Sequence[Typed], hunting: Hunting) -> npt.NDArray[np.float64]:
        """What the first sentence for each row costs by itself, in nats; found in a hurry.

        Once it is late, the rows that are left cost infinitely much.
        """
        found = np.full(len(rows), np.inf)
        at_once = max(1, TOKENS_AT_ONCE // max([1, *(len(row.tokens) for row in rows)]))
        for start in range(0, len(rows), at_once):
            if hunting.is_late():
                break
            found[start : start + at_once] = self._losses(rows[start : start + at_once], hunting)
        return found

    def _losses(self, rows: Sequence[Typed], hunting: Hunting) -> npt.NDArray[np.float64]:
        quick = replace(hunting, beam=replace(hunting.beam, width=1, count=1))
        best = [own[0].tokens if own else () for own in self.suggest(rows, quick)]
        return total_nll(self.runtime, [()] * len(best), best)

    def _suggestions(self, found: Sequence[Found], copies: Sequence[str]) -> list[Suggestion]:
        scores = self._calibration.apply([math.exp(one.log_probability) for one in found])
        rows = [tuple(self.runtime.vocabulary.decode(one.ids, copies)) for one in found]
        return [
            Suggestion(detokenise(tokens), score, tokens)
            for tokens, score in zip(rows, scores, strict=True)
        ]
