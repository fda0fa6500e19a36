"""Retention by part of speech (table 3)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tersely.evaluation.outcomes import TagCount
from tersely.evaluation.tagging import NOT_WORDS
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.frequency import explained, rank_correlation

CONTENT = ("noun", "adjective", "adverb", "verb")
FUNCTION = ("determiner", "conjunction", "pronoun")


@dataclass(frozen=True, slots=True)
class PartsOfSpeech:
    """How retention goes with the part of speech."""

    tags: Mapping[str, TagCount]
    order_agreement: float | None  # rank correlation with the paper's table
    least_content: float | None  # kept share of the content class kept least
    most_function: float | None
    explained: float | None  # share of the variance of "kept" over word tokens


def parts_of_speech(tags: Mapping[str, TagCount]) -> PartsOfSpeech:
    """Hold a run's counts against table 3."""
    shared = [name for name in paper.PARTS_OF_SPEECH if name in tags]
    theirs = np.array([paper.PARTS_OF_SPEECH[name] for name in shared])
    ours = np.array([tags[name].share for name in shared])
    words = [(one.count, one.kept) for name, one in tags.items() if name not in NOT_WORDS]
    content = [tags[name].share for name in CONTENT if name in tags]
    function = [tags[name].share for name in FUNCTION if name in tags]
    return PartsOfSpeech(
        tags=tags,
        order_agreement=rank_correlation(theirs, ours),
        least_content=min(content) if len(content) == len(CONTENT) else None,
        most_function=max(function) if len(function) == len(FUNCTION) else None,
        explained=explained([(float(count), float(kept)) for count, kept in words]),
    )
