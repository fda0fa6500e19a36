"""Appendix E, figure 4 and table 3: which words are kept."""

from collections.abc import Iterator

from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.frequency import SEEN_AT_LEAST, Frequency
from tersely_lab.reproduction.parts_of_speech import PartsOfSpeech
from tersely_lab.reproduction.resampling import SUBSETS
from tersely_lab.reproduction.verdicts import ON, Verdict, number, percent, ruling

STRONG = 0.5
ALMOST_ALWAYS = 0.1
MODERATE = (SEEN_AT_LEAST, 100)  # occurrences in the test set
WIDE = 0.5
AGREEMENT = 0.7  # beyond chance for nine ranks (two-sided 5 %)


def judge(analysis: Analysis) -> Iterator[Verdict]:
    """Say of each claim about words whether it holds, for the studied run."""
    run = analysis.studied
    name = run.name if run else ""
    for subset in SUBSETS:
        of = f" of {run.label} on {ON[subset]}" if run else ""
        frequency = analysis.frequencies[subset].get(name)
        yield from _judge(frequency, analysis.parts[subset].get(name), of)


def _judge(frequency: Frequency | None, parts: PartsOfSpeech | None, of: str) -> Iterator[Verdict]:
    yield _no_strong_correlation(frequency, of)
    yield _most_frequent(frequency, of)
    yield _wide_range(frequency, of)
    yield _tags_tell_more(frequency, parts, of)
    yield _content_words(parts, of)
    yield _order(parts, of)


def _no_strong_correlation(found: Frequency | None, of: str) -> Verdict:
    value = found.rank_correlation if found else None
    return Verdict(
        "Figure 4",
        "Frequency and retention are not strongly correlated",
        "no figure",
        f"|rank correlation| below {STRONG} over word types{of} seen at least "
        f"{SEEN_AT_LEAST} times",
        f"ρ = {number(value)} ({_plain(found)}) over {found.types:,} types"
        if found and value is not None
        else "cannot be told",
        ruling(None if value is None else abs(value) < STRONG),
    )


def _plain(found: Frequency) -> str:
    if found.correlation_interval is None:
        return "no interval"
    low, high = found.correlation_interval
    return f"95 %: {low:+.2f} to {high:+.2f}"


def _most_frequent(found: Frequency | None, of: str) -> Verdict:
    return Verdict(
        "Figure 4",
        "Extremely frequent tokens are almost always dropped",
        "no figure",
        f"the ten most frequent words{of} are kept in at most {percent(ALMOST_ALWAYS)}",
        f"{percent(found.most_frequent_kept)} kept" if found else "no Constr run",
        ruling(None if found is None else found.most_frequent_kept <= ALMOST_ALWAYS),
    )


def _wide_range(found: Frequency | None, of: str) -> Verdict:
    low, high = MODERATE
    bins = (
        [one for one in found.bins if low <= one.seen_to and one.seen_from <= high] if found else []
    )
    ranges = [one.high - one.low for one in bins if one.types >= 10]
    return Verdict(
        "Figure 4",
        "Tokens of moderate to low frequency behave widely differently",
        "no figure",
        f"in each band of frequency from {low} to {high} the middle 80 % of the words{of} spread "
        f"over at least {percent(WIDE)}",
        f"{percent(min(ranges))} to {percent(max(ranges))}" if ranges else "too few words",
        ruling(min(ranges) >= WIDE if ranges else None),
    )


def _tags_tell_more(frequency: Frequency | None, parts: PartsOfSpeech | None, of: str) -> Verdict:
    own = parts.explained if parts else None
    other = frequency.explained if frequency else None
    return Verdict(
        "Table 3",
        "Part of speech correlates with retention more strongly than frequency",
        "no figure",
        f"share of the variance of “kept” over word tokens{of}: classes against frequency bands",
        f"part of speech {percent(own)}, frequency {percent(other)}",
        ruling(None if own is None or other is None else own > other),
    )


def _content_words(parts: PartsOfSpeech | None, of: str) -> Verdict:
    low, high = (parts.least_content, parts.most_function) if parts else (None, None)
    return Verdict(
        "Table 3",
        "Content words are kept more than determiners, conjunctions and pronouns",
        "verb 27.69 % is the least, pronoun 9.79 % the most",
        f"the content class kept least against the function class kept most{of}",
        f"{percent(low)} against {percent(high)}",
        ruling(None if low is None or high is None else low > high),
    )


def _order(parts: PartsOfSpeech | None, of: str) -> Verdict:
    agreement = parts.order_agreement if parts else None
    return Verdict(
        "Table 3",
        "Parts of speech are kept in the paper's order",
        "determiner 3.96 % … noun 40.04 %",
        f"rank correlation with table 3{of}, at least {AGREEMENT}",
        number(agreement),
        ruling(None if agreement is None else agreement >= AGREEMENT),
    )
