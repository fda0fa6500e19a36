"""Keywords by rules: what someone might type who has never seen a model's encoder."""

from collections.abc import Mapping
from functools import partial

from tersely.evaluation.metrics import MaskSelector
from tersely.selection.keep_probability import rule_masks
from tersely.text.keywords import RuleEncoder, Stopword, Unif

RULES: Mapping[str, RuleEncoder] = {
    "Unif(0.3)": Unif(0.3),
    "Unif(0.5)": Unif(0.5),
    "Stopword(0)": Stopword(0.0),
    "content words": Stopword(0.0, drop_shift=True, drop_punctuation=True),
}
INPUTS: Mapping[str, MaskSelector] = {
    name: partial(rule_masks, rule) for name, rule in RULES.items()
}
"""How each of them chooses: sentences as tokens → masks."""
