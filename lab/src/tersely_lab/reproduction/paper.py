"""The paper's numbers that ours are compared with, as shares of one.

Lee, Hashimoto and Liang, "Learning Autocomplete Systems as a Communication Game" (2019).
Numbers that are derived from the paper's tables are marked as such.
"""

from dataclasses import dataclass

# Section 3. The paper does not state whether the leads are in points or relative.
LEAD_OVER_LINEAR, LEAD_OVER_LINEAR_AT = 0.1173, 0.5338
LEAD_OVER_UNIF, LEAD_OVER_UNIF_AT = 0.5216, 0.7737
LINEAR_KEEPS_NONE_UP_TO, LINEAR_KEEPS_ALL_FROM = 4.2, 4.4

# Table 2: retention of an encoder (end mark counted), exact match of each decoder on its keywords.
Scheme = tuple[str, float]  # kind and δ or ε
DECODERS: tuple[Scheme, ...] = (
    ("unif", 0.1),
    ("unif", 0.3),
    ("unif", 0.5),
    ("constrained", 0.8),
    ("constrained", 0.6),
    ("constrained", 0.4),
    ("constrained", 0.2),
)
KEPT_WITH_EOS: dict[Scheme, float] = dict(
    zip(DECODERS, (0.2134, 0.3885, 0.5671, 0.2548, 0.3404, 0.4187, 0.5580), strict=True)
)
MATRIX: dict[Scheme, tuple[float, ...]] = {
    ("unif", 0.1): (0.0065, 0.0054, 0.0071, 0.0023, 0.0057, 0.0070, 0.0068),
    ("unif", 0.3): (0.0268, 0.0288, 0.0356, 0.0189, 0.0237, 0.0251, 0.0368),
    ("unif", 0.5): (0.0652, 0.0919, 0.1033, 0.0708, 0.0727, 0.0684, 0.0907),
    ("constrained", 0.8): (0.0105, 0.0129, 0.0142, 0.0115, 0.0156, 0.0200, 0.0218),
    ("constrained", 0.6): (0.0230, 0.0258, 0.0334, 0.0343, 0.0714, 0.0813, 0.0431),
    ("constrained", 0.4): (0.0376, 0.0455, 0.0614, 0.0870, 0.1445, 0.1313, 0.0766),
    ("constrained", 0.2): (0.1404, 0.1888, 0.2204, 0.3831, 0.2718, 0.2281, 0.2390),
}
END_MARK_SHARE = 0.125  # derived: Unif's retention is 12.5 % + 87.5 % × δ

# Table 3: kept by part of speech.
PARTS_OF_SPEECH: dict[str, float] = {
    "determiner": 0.0396,
    "conjunction": 0.0485,
    "pronoun": 0.0979,
    "interjection": 0.1198,
    "verb": 0.2769,
    "preposition": 0.2977,
    "adverb": 0.3499,
    "adjective": 0.3592,
    "noun": 0.4004,
}

# Appendix E, Stability: two restarts.
RESTARTS_KEPT, RESTARTS_EXACT = (0.3208, 0.3352), (0.1941, 0.1921)
RESTARTS_TOKEN_DIFFERENCE = 0.1135

# Section 3, user study.
TOP1_EQUIVALENT, TOP3_EQUIVALENT, STUDY_EXACT = 0.806, 0.9011, 0.1839
KEYWORD_SECONDS, SENTENCE_SECONDS = 3.86, 5.76

TRAIN_SENTENCES = 500_000
UNITS = 300


@dataclass(frozen=True, slots=True)
class Example:
    """A column of table 1: keywords that a user typed for a sentence."""

    sentence: str
    specified: str  # "under", "properly" or "over"
    keywords: str
    suggestions: tuple[str, str, str]


EXAMPLES = (
    Example(
        "She's absolutely wonderful.",
        "under",
        "wonderful",
        (
            "The entire experience was wonderful.",
            "Great service and wonderful food.",
            "Great food and wonderful service.",
        ),
    ),
    Example(
        "She's absolutely wonderful.",
        "properly",
        "she wonderful",
        (
            "She's absolutely wonderful.",
            "She's simply wonderful.",
            "She's a wonderful doctor.",
        ),
    ),
    Example(
        "She's absolutely wonderful.",
        "over",
        "she's absolutely wonderful",
        (
            "She's absolutely wonderful.",
            "And she's absolutely wonderful",
            "and she's absolutely wonderful",
        ),
    ),
    Example(
        "Great find for casual dining!",
        "under",
        "great dining",
        (
            "What a great dining experience.",
            "Overall a great dining experience.",
            "A great dining experience.",
        ),
    ),
    Example(
        "Great find for casual dining!",
        "properly",
        "find casual dining",
        (
            "Great find for casual dining.",
            "Perfect find for casual dining.",
            "Great find for casual dining...",
        ),
    ),
    Example(
        "Great find for casual dining!",
        "over",
        "great find for casual dining",
        (
            "Great find for casual dining.",
            "Great find for casual dining...",
            "Great find in casual dining.",
        ),
    ),
)

# Appendix B: tokens and keep probabilities.
ILLUSTRATION = "I will be 10 minutes late."
ILLUSTRATION_PROBABILITIES = (0.0, 0.1, 0.2, 0.0, 0.9, 0.7, 0.8, 0.0)


def typed_from_kept(kept_with_eos: float) -> float:
    """Return the typed fraction that a retention of the paper amounts to (derived, see above)."""
    return (kept_with_eos - END_MARK_SHARE) / (1 - END_MARK_SHARE)


def exact_match(encoder: Scheme, decoder: Scheme) -> float | None:
    """Return a cell of table 2; None for schemes that the table lacks."""
    if encoder not in MATRIX or decoder not in DECODERS:
        return None
    return MATRIX[encoder][DECODERS.index(decoder)]
