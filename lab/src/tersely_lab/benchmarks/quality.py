"""Metrics, keyword rules and sentences that the quality benchmarks share."""

from collections.abc import Mapping, Sequence
from functools import partial

from tersely.errors import UsageError
from tersely.evaluation.metrics import MaskSelector
from tersely.selection.keep_probability import rule_masks
from tersely.text.keywords import KeywordRule, Stopword, Unif
from tersely.text.tokens import tokenise

METRICS = {"exact_match": "greedy", "exact_match_served": "served", "top3": "top three"}
"""The metrics compared, and their titles in tables."""
MAX_TOKENS = 16
"""The longest sentences that the paper's schemes are trained on."""
RULES: Mapping[str, KeywordRule] = {
    "Unif(0.3)": Unif(0.3),
    "Unif(0.5)": Unif(0.5),
    "Stopword(0)": Stopword(0.0),
    "content words": Stopword(0.0, drop_shift=True, drop_punctuation=True),
}
MASK_SELECTORS: Mapping[str, MaskSelector] = {
    name: partial(rule_masks, rule) for name, rule in RULES.items()
}
"""Keywords that no learned encoder chose: for each rule a function from sentences to masks."""


def short_sentences(sentences: Sequence[str]) -> list[str]:
    """Return the sentences of at most MAX_TOKENS tokens; raise UsageError if there are none."""
    short = [text for text in sentences if 0 < len(tokenise(text).tokens) <= MAX_TOKENS]
    if not short:
        raise UsageError(f"No sentence of at most {MAX_TOKENS} tokens to measure on.")
    return short
