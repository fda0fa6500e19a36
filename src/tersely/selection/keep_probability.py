"""Choosing keywords: a model's own encoder, or the rule it was trained with, at any budget.

A budget is the mean share of tokens to type. A model without a budget input meets it by
a threshold on its keep probabilities, read off their distribution on dev.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tersely.errors import TerselyError, UsageError
from tersely.model.budget_features import DecoderBudget
from tersely.runtime.paper import Runtime
from tersely.text.keywords import RuleEncoder, Stopword, Unif


class KeepProbabilitySelector:
    """Decides which tokens of a sentence a user would type."""

    def __init__(self, runtime: Runtime, settings: Mapping[str, Any]) -> None:
        self._runtime = runtime
        self._encoder: Mapping[str, Any] = settings.get("encoder", {})
        self._quantiles: Sequence[float] = settings.get("keep_quantiles", [])
        if not _names_a_way(self._encoder) or not _is_rising(self._quantiles):
            raise TerselyError("The model's settings name no way to choose keywords.")

    @property
    def is_learned(self) -> bool:
        """Whether the model has an encoder of its own."""
        return bool(self._encoder["kind"] == "learned")

    def decoder_budget(self, budget: float | None) -> DecoderBudget | None:
        """Return None: the paper's decoder is not conditioned on a budget."""
        return None

    def probabilities(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[float]]:
        """How likely each token is kept; a budget moves the threshold, not the probabilities."""
        if self.is_learned:
            return [row.tolist() for row in self._runtime.keep_probabilities(sentences)]
        return [self._rule_probabilities(tokens) for tokens in sentences]

    def masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[bool]]:
        """Keep or drop each token; at a budget, that share of them in the mean."""
        check_budget(budget)
        if not self.is_learned:
            return self._rule_masks(sentences, budget)
        rows = self._runtime.keep_probabilities(sentences)
        if self._encoder.get("keep") == "sample" and budget is None:
            return [
                _drawn(tokens, row.tolist()) for tokens, row in zip(sentences, rows, strict=True)
            ]
        threshold = self.threshold(budget)
        return [(row > threshold).tolist() for row in rows]

    def threshold(self, budget: float | None) -> float:
        """The keep probability above which a token is typed."""
        if budget is None:
            return 0.5
        if len(self._quantiles) < 2:
            raise UsageError("This model was not calibrated for budgets; leave --budget out.")
        steps = np.linspace(0, 1, len(self._quantiles))
        return float(np.interp(1 - budget, steps, self._quantiles)) if budget < 1 else -1.0

    def _rule(self) -> RuleEncoder:
        if self._encoder["kind"] == "unif":
            return Unif(float(self._encoder["delta"]))
        return Stopword(
            float(self._encoder["delta"]),
            drop_shift=bool(self._encoder.get("drop_shift", False)),
            drop_punctuation=bool(self._encoder.get("drop_punctuation", False)),
        )

    def _rule_masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None
    ) -> list[list[bool]]:
        if budget is not None and self._encoder["kind"] == "stopword":
            raise UsageError("A Stopword model keeps what its rule says; leave --budget out.")
        rule = self._rule() if budget is None else Unif(budget)
        return rule_masks(rule, sentences)

    def _rule_probabilities(self, tokens: Sequence[str]) -> list[float]:
        rule = self._rule()
        if isinstance(rule, Stopword):
            return [rule.delta if rule.is_stop_word(token) else 1.0 for token in tokens]
        return [float(self._encoder["delta"])] * len(tokens)


def check_budget(budget: float | None) -> None:
    """Refuse what is no share of the tokens."""
    if budget is not None and not 0 < budget <= 1:
        raise UsageError(f"A budget is a share of the tokens, above 0 and at most 1; not {budget}.")


def rule_masks(rule: RuleEncoder, sentences: Sequence[Sequence[str]]) -> list[list[bool]]:
    """What a rule keeps of each sentence, by the sentence's own coins."""
    return [rule.mask(tokens, coins(tokens)) for tokens in sentences]


def coins(tokens: Sequence[str]) -> random.Random:
    """A sentence's own coins: the same whenever it is asked about, whatever else is."""
    return random.Random(" ".join(tokens))


def _drawn(tokens: Sequence[str], chances: Sequence[float]) -> list[bool]:
    own = coins(tokens)
    return [own.random() < chance for chance in chances]


def _names_a_way(encoder: Any) -> bool:
    if not isinstance(encoder, dict) or encoder.get("kind") not in ("learned", "unif", "stopword"):
        return False
    return encoder["kind"] == "learned" or _is_share(encoder.get("delta"))


def _is_rising(quantiles: Any) -> bool:
    is_list = isinstance(quantiles, list) and all(map(_is_share, quantiles))
    return is_list and quantiles == sorted(quantiles)


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1
