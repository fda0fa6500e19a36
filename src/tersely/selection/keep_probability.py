"""Keyword selection by keep probability: the model's encoder, or the rule it was trained with.

A model without a budget input meets a budget by a threshold on its keep probabilities, read off
their quantiles on held-out sentences.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tersely.errors import TerselyError, UsageError
from tersely.model.budget_features import DecoderBudget
from tersely.runtime.paper import PaperRuntime
from tersely.selection.budget import check_budget
from tersely.text.keywords import KeywordRule, Stopword, Unif

DEFAULT_THRESHOLD = 0.5
LEARNED, UNIF, STOPWORD = "learned", "unif", "stopword"


def _unif(encoder: Mapping[str, Any]) -> Unif:
    return Unif(float(encoder["delta"]))


def _stopword(encoder: Mapping[str, Any]) -> Stopword:
    return Stopword(
        float(encoder["delta"]),
        drop_shift=bool(encoder.get("drop_shift", False)),
        drop_punctuation=bool(encoder.get("drop_punctuation", False)),
    )


RULES: dict[str, Callable[[Mapping[str, Any]], KeywordRule]] = {
    UNIF: _unif,
    STOPWORD: _stopword,
}
"""The rules a model may have: `encoder.kind` of its settings → rule, from the table `encoder`."""


class KeepProbabilitySelector:
    """Selects the tokens whose keep probability exceeds a threshold, or those a rule keeps."""

    def __init__(self, runtime: PaperRuntime, settings: Mapping[str, Any]) -> None:
        self._runtime = runtime
        self._encoder: Mapping[str, Any] = settings.get("encoder", {})
        self._quantiles: Sequence[float] = settings.get("keep_quantiles", [])
        if not _is_encoder(self._encoder):
            raise TerselyError(
                f"config.json: encoder.kind must be one of {', '.join([LEARNED, *RULES])}, "
                "and the delta of a rule must be in [0, 1]."
            )
        if not _is_rising(self._quantiles):
            raise TerselyError("config.json: keep_quantiles must be a rising list in [0, 1].")

    @property
    def is_learned(self) -> bool:
        """Whether the model has a learned encoder, not a rule."""
        return bool(self._encoder["kind"] == LEARNED)

    def decoder_budget(self, budget: float | None) -> DecoderBudget | None:
        """Return None: the paper's decoder is not conditioned on a budget."""
        return None

    def probabilities(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[float]]:
        """Return the keep probabilities; a budget moves the threshold, not the probabilities."""
        if self.is_learned:
            return [row.tolist() for row in self._runtime.keep_probabilities(sentences)]
        return [self._rule_probabilities(tokens) for tokens in sentences]

    def masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[bool]]:
        """Keep or drop each token; at a budget, that share of them on average."""
        check_budget(budget)
        if not self.is_learned:
            return self._rule_masks(sentences, budget)
        rows = self._runtime.keep_probabilities(sentences)
        if self._encoder.get("keep") == "sample" and budget is None:
            return [
                _sample_mask(tokens, row.tolist())
                for tokens, row in zip(sentences, rows, strict=True)
            ]
        threshold = self.threshold(budget)
        return [(row > threshold).tolist() for row in rows]

    def threshold(self, budget: float | None) -> float:
        """Return the keep probability above which a token is typed."""
        if budget is None:
            return DEFAULT_THRESHOLD
        if len(self._quantiles) < 2:
            raise UsageError("This model was not calibrated for budgets; leave --budget out.")
        positions = np.linspace(0, 1, len(self._quantiles))
        return float(np.interp(1 - budget, positions, self._quantiles)) if budget < 1 else -1.0

    def _rule(self) -> KeywordRule:
        return RULES[self._encoder["kind"]](self._encoder)

    def _rule_masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None
    ) -> list[list[bool]]:
        kind = self._encoder["kind"]
        if budget is not None and kind != UNIF:
            raise UsageError(f'A model of the rule "{kind}" has no budgets; leave --budget out.')
        rule = self._rule() if budget is None else Unif(budget)
        return rule_masks(rule, sentences)

    def _rule_probabilities(self, tokens: Sequence[str]) -> list[float]:
        return self._rule().probabilities(tokens)


def rule_masks(rule: KeywordRule, sentences: Sequence[Sequence[str]]) -> list[list[bool]]:
    """Return what a rule keeps of each sentence, with random numbers seeded by the sentence."""
    return [rule.mask(tokens, sentence_rng(tokens)) for tokens in sentences]


def sentence_rng(tokens: Sequence[str]) -> random.Random:
    """Return a generator seeded by a sentence: its mask does not depend on other sentences."""
    return random.Random(" ".join(tokens))


def _sample_mask(tokens: Sequence[str], probabilities: Sequence[float]) -> list[bool]:
    rng = sentence_rng(tokens)
    return [rng.random() < probability for probability in probabilities]


def _is_encoder(encoder: Any) -> bool:
    if not isinstance(encoder, dict) or encoder.get("kind") not in (LEARNED, *RULES):
        return False
    needs_delta = encoder["kind"] in (UNIF, STOPWORD)
    return _is_share(encoder.get("delta")) if needs_delta else True


def _is_rising(quantiles: Any) -> bool:
    is_list = isinstance(quantiles, list) and all(map(_is_share, quantiles))
    return is_list and quantiles == sorted(quantiles)


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1
