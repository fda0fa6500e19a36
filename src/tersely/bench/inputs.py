"""Keywords by rules: what someone might type who has never seen a model's encoder."""

from collections.abc import Mapping

from tersely.evaluation.evaluate import Choose
from tersely.model.choosing import coins
from tersely.text.keywords import RuleEncoder, Stopword, Unif

INPUTS: Mapping[str, RuleEncoder] = {
    "Unif(0.3)": Unif(0.3),
    "Unif(0.5)": Unif(0.5),
    "Stopword(0)": Stopword(0.0),
    "content words": Stopword(0.0, drop_shift=True, drop_punctuation=True),
}


def chosen_by(rule: RuleEncoder) -> Choose:
    """Masks by a rule, with the coins that belong to each sentence: the same every time."""
    return lambda sentences: [rule.mask(tokens, coins(tokens)) for tokens in sentences]
