"""Figure 4: retention of word types by their frequency in the test set.

`<shift>` and punctuation are left out. kept_words.py makes the page's section of this figure and
table 3.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure as Canvas

from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction.bootstrap import Interval, percentiles
from tersely_lab.reproduction.correlation import Floats, rank_correlation, variance_explained
from tersely_lab.reproduction.document import Column, Draw, Figure, Table
from tersely_lab.reproduction.runs import OBJECTIVES, Run
from tersely_lab.reproduction.verdicts import Verdict, number, percent, ruling

ITEM = "Figure 4"
MIN_OCCURRENCES = 5  # the kept share of a rarer type means little
MOST_FREQUENT_TYPES = 10
ANNOTATED_TYPES = 12
STRONG_CORRELATION = 0.5
MAX_FREQUENT_RETENTION = 0.1  # "almost always dropped"
MODERATE_OCCURRENCES = (MIN_OCCURRENCES, 100)  # "moderate to low frequency"
MIN_SPREAD = 0.5  # "widely differently"
MIN_TYPES_IN_BAND = 10


@dataclass(frozen=True, slots=True)
class Band:
    """Word types that occur between 2ⁿ and 2ⁿ⁺¹ − 1 times."""

    min_occurrences: int
    max_occurrences: int
    types: int
    tokens: int
    kept: float  # share of the tokens
    low: float  # 10th percentile of the types' kept shares
    high: float  # 90th percentile


@dataclass(frozen=True, slots=True)
class Frequency:
    """Retention by frequency."""

    types: int
    rank_correlation: float | None
    correlation_interval: Interval | None  # over word types
    most_frequent: tuple[tuple[str | None, int, float], ...]  # word, occurrences, kept share
    most_frequent_kept: float  # pooled
    bands: tuple[Band, ...]
    explained: float | None  # η² of the bands for "kept", over word tokens


def compute(types: TypeCounts, *, draws: int = 1000) -> Frequency:
    """Relate the retention of word types to their frequency."""
    words = types.words_only()
    is_counted = words.count >= MIN_OCCURRENCES
    count, kept = words.count[is_counted].astype(float), words.kept[is_counted].astype(float)
    order = np.argsort(-words.count, kind="stable")[:MOST_FREQUENT_TYPES]
    bands = _bands(words)
    return Frequency(
        types=int(is_counted.sum()),
        rank_correlation=rank_correlation(count, kept / count),
        correlation_interval=_correlation_interval(count, kept / count, draws),
        most_frequent=tuple(
            (
                words.names[index],
                int(words.count[index]),
                float(words.kept[index] / words.count[index]),
            )
            for index in order
        ),
        most_frequent_kept=float(words.kept[order].sum() / words.count[order].sum()),
        bands=bands,
        explained=variance_explained([(band.tokens, band.kept * band.tokens) for band in bands]),
    )


def _bands(words: TypeCounts) -> tuple[Band, ...]:
    bands = []
    exponents = np.floor(np.log2(words.count)).astype(int)
    for exponent in np.unique(exponents):
        inside = exponents == exponent
        count, kept = words.count[inside], words.kept[inside]
        low, high = np.quantile(kept / count, [0.1, 0.9])
        bands.append(
            Band(
                min_occurrences=2 ** int(exponent),
                max_occurrences=2 ** (int(exponent) + 1) - 1,
                types=int(inside.sum()),
                tokens=int(count.sum()),
                kept=float(kept.sum() / count.sum()),
                low=float(low),
                high=float(high),
            )
        )
    return tuple(bands)


def _correlation_interval(first: Floats, second: Floats, draws: int) -> Interval | None:
    """Bootstrap the rank correlation over types; None if it is undefined in over 5 % of draws."""
    if len(first) < 3:
        return None
    rng = np.random.default_rng(1)
    values = []
    for _ in range(draws):
        drawn = rng.integers(len(first), size=len(first))
        value = rank_correlation(first[drawn], second[drawn])
        if value is not None:
            values.append(value)
    return percentiles(values) if len(values) >= 0.95 * draws else None


def judge(frequency: Frequency | None, of_run: str) -> Iterator[Verdict]:
    """Judge the claims about frequency; `of_run` names run and subset in the readings."""
    yield _no_strong_correlation(frequency, of_run)
    yield _most_frequent_dropped(frequency, of_run)
    yield _wide_spread(frequency, of_run)


def _no_strong_correlation(frequency: Frequency | None, of_run: str) -> Verdict:
    value = frequency.rank_correlation if frequency else None
    ours = "cannot be computed"
    if frequency and value is not None:
        interval = "no interval"
        if frequency.correlation_interval is not None:
            low, high = frequency.correlation_interval
            interval = f"95 %: {low:+.2f} to {high:+.2f}"
        ours = f"ρ = {number(value)} ({interval}) over {frequency.types:,} types"
    return Verdict(
        ITEM,
        "Frequency and retention are not strongly correlated",
        "no figure",
        f"|rank correlation| below {STRONG_CORRELATION} over word types{of_run} seen at least "
        f"{MIN_OCCURRENCES} times",
        ours,
        ruling(None if value is None else abs(value) < STRONG_CORRELATION),
    )


def _most_frequent_dropped(frequency: Frequency | None, of_run: str) -> Verdict:
    kept = frequency.most_frequent_kept if frequency else None
    return Verdict(
        ITEM,
        "Extremely frequent tokens are almost always dropped",
        "no figure",
        f"the ten most frequent words{of_run} are kept in at most "
        f"{percent(MAX_FREQUENT_RETENTION)}",
        "no Constr run" if kept is None else f"{percent(kept)} kept",
        ruling(None if kept is None else kept <= MAX_FREQUENT_RETENTION),
    )


def _wide_spread(frequency: Frequency | None, of_run: str) -> Verdict:
    low, high = MODERATE_OCCURRENCES
    spreads = [
        band.high - band.low
        for band in (frequency.bands if frequency else ())
        if low <= band.max_occurrences
        and band.min_occurrences <= high
        and band.types >= MIN_TYPES_IN_BAND
    ]
    return Verdict(
        ITEM,
        "Tokens of moderate to low frequency behave widely differently",
        "no figure",
        f"in each band of frequency from {low} to {high} the middle 80 % of the words{of_run} "
        f"spread over at least {percent(MIN_SPREAD)}",
        f"{percent(min(spreads))} to {percent(max(spreads))}" if spreads else "too few words",
        ruling(min(spreads) >= MIN_SPREAD if spreads else None),
    )


def figure(run: Run) -> Figure:
    """Return the plot of one run."""
    caption = (
        f"Kept share of each word type over its occurrences in the test set, for types seen at "
        f"least {MIN_OCCURRENCES} times"
    )
    return Figure("figure-4", caption, plot(run), (8.0, 4.5))


def plot(run: Run) -> Draw:
    """Draw the kept share of word types over their frequency."""

    def draw(canvas: Canvas) -> None:
        words = run.outcomes.words["all"].types.words_only()
        is_counted = words.count >= MIN_OCCURRENCES
        count, kept = words.count[is_counted], words.kept[is_counted]
        color = OBJECTIVES[run.kind].color
        axes = canvas.subplots()
        axes.scatter(count, 100 * kept / count, s=8, alpha=0.4, color=color, linewidths=0)
        names = [name for name, counted in zip(words.names, is_counted, strict=True) if counted]
        for index in (-count).argsort(kind="stable")[:ANNOTATED_TYPES]:
            place = (count[index], 100 * kept[index] / count[index])
            axes.annotate(str(names[index]), place, fontsize=7)
        axes.set_xscale("log")
        axes.set_xlabel("occurrences in the test set")
        axes.set_ylabel("kept (%)")

    return draw


def band_table(frequencies: Mapping[str, Frequency]) -> Table:
    """List the bands of one run on each subset."""
    columns = (
        Column("subset"),
        Column("seen from", "count"),
        Column("to", "count"),
        Column("types", "count"),
        Column("tokens", "count"),
        Column("kept", "share"),
        Column("middle 80 % of types", "interval"),
    )
    rows = [
        (
            subset,
            band.min_occurrences,
            band.max_occurrences,
            band.types,
            band.tokens,
            band.kept,
            (band.low, band.high),
        )
        for subset, frequency in frequencies.items()
        for band in frequency.bands
    ]
    return Table("frequency", "Kept by frequency in the test set, words only", columns, rows)


def most_frequent_table(frequency: Frequency) -> Table:
    """List the most frequent words."""
    columns = (Column("word"), Column("seen", "count"), Column("kept", "share"))
    rows = list(frequency.most_frequent)
    return Table("most-frequent", "The most frequent words", columns, rows)
