"""Restarts: do runs that differ in their seed alone learn the same scheme? (appendix E)

The difference in token retention is taken per token type and averaged over all types, weighted
by frequency; `<shift>` and punctuation count too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tersely.evaluation.outcomes import TypeCounts
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.bootstrap import SUBSETS, Bootstrap, Interval, percentiles
from tersely_lab.reproduction.document import Block, Column, Row, Section, Table, Text
from tersely_lab.reproduction.runs import Point, Run
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import ON, Reproduction, Verdict, percent, ruling

ITEM = "Restarts"
IN_PAPER = (
    "32.08 / 33.52 % kept, 19.41 / 19.21 % exact (table 2 has 7.14 % at 34.04 %: "
    "another setting, not given)"
)
NO_PAIR = "no Constr setting with two seeds"


@dataclass(frozen=True, slots=True)
class Restart:
    """Two runs of one point."""

    subset: str
    label: str
    first: Run
    second: Run
    kept_with_eos: tuple[float, float]
    typed_fraction: tuple[float, float]
    exact_match: tuple[float, float]
    exact_interval: Interval  # of the difference, over sentences
    token_difference: float
    token_interval: Interval  # over token types

    @property
    def seeds(self) -> str:
        """Label and seeds of the two runs."""
        return f"{self.label} seeds {self.first.seed}, {self.second.seed}"

    @property
    def kept_difference(self) -> float:
        """Difference of kept_with_eos."""
        return abs(self.kept_with_eos[0] - self.kept_with_eos[1])

    @property
    def exact_difference(self) -> float:
        """Difference of exact match."""
        return abs(self.exact_match[0] - self.exact_match[1])


def reproduce(sweep: Sweep) -> Reproduction:
    """Compare every two seeds of every point."""
    restarts = [
        restart
        for sample in sweep.bootstraps
        for restart in compare_seeds(sweep.results.points(), sample)
    ]
    return Reproduction(tuple(judge(restarts)), (section(restarts),))


def compare_seeds(points: Iterable[Point], sample: Bootstrap) -> list[Restart]:
    """Compare every two runs of each point on one subset."""
    return [
        _compare(point.label, first, second, sample)
        for point in points
        for first, second in combinations(point.runs, 2)
    ]


def _compare(label: str, first: Run, second: Run, sample: Bootstrap) -> Restart:
    runs = (first, second)

    def values(metric: str) -> tuple[float, float]:
        return sample.run_value(first, metric), sample.run_value(second, metric)

    first_exact, second_exact = (sample.metrics[run.name]["exact_match"][1:] for run in runs)
    first_types, second_types = (run.outcomes.words[sample.subset].types for run in runs)
    return Restart(
        sample.subset,
        label,
        first,
        second,
        kept_with_eos=values("kept_with_eos"),
        typed_fraction=values("typed_fraction"),
        exact_match=values("exact_match"),
        exact_interval=percentiles(first_exact - second_exact),
        token_difference=token_difference(first_types, second_types),
        token_interval=_token_interval(first_types, second_types, draws=sample.draws),
    )


def token_difference(first: TypeCounts, second: TypeCounts) -> float:
    """Return the mean |difference of kept shares| over token types, weighted by frequency."""
    differences = np.abs(first.kept - second.kept)  # count × difference of shares
    return float(differences.sum() / first.count.sum())


def _token_interval(first: TypeCounts, second: TypeCounts, *, draws: int) -> Interval:
    differences, count = np.abs(first.kept - second.kept), first.count
    rng = np.random.default_rng(1)
    means = np.empty(draws)
    for index in range(draws):
        drawn = rng.integers(len(count), size=len(count))
        means[index] = differences[drawn].sum() / count[drawn].sum()
    return percentiles(means)


def judge(restarts: Sequence[Restart]) -> Iterator[Verdict]:
    """Judge the claims about restarts of Constrained, on each subset."""
    for subset in SUBSETS:
        constrained = [
            restart
            for restart in restarts
            if restart.first.kind == "constrained" and restart.subset == subset
        ]
        yield _similar_overall(constrained, ON[subset])
        yield _different_tokens(constrained, ON[subset])
        yield _as_different_as_in_paper(constrained, ON[subset])


def _similar_overall(restarts: Sequence[Restart], on: str) -> Verdict:
    max_kept = abs(paper.RESTARTS_KEPT[0] - paper.RESTARTS_KEPT[1])
    max_exact = abs(paper.RESTARTS_EXACT[0] - paper.RESTARTS_EXACT[1])
    is_similar = [
        restart.kept_difference <= max_kept
        and restart.exact_interval[0] <= max_exact
        and restart.exact_interval[1] >= -max_exact
        for restart in restarts
    ]
    return Verdict(
        ITEM,
        "Restarts achieve similar overall retention and accuracy",
        IN_PAPER,
        f"every two seeds: kept_with_eos at most {percent(max_kept)} apart, exact match at most "
        f"{percent(max_exact)} within its 95 % interval over sentences; {on}",
        "; ".join(
            f"{restart.seeds}: {percent(restart.kept_difference)} kept_with_eos, "
            f"{percent(restart.exact_difference)} exact match apart"
            for restart in restarts
        )
        or NO_PAIR,
        ruling(all(is_similar) if restarts else None),
    )


def _different_tokens(restarts: Sequence[Restart], on: str) -> Verdict:
    is_larger = [
        restart.token_difference > max(restart.kept_difference, restart.exact_difference)
        for restart in restarts
    ]
    return Verdict(
        ITEM,
        "Restarts learn different schemes of like overall figures",
        IN_PAPER,
        "every two seeds: token retention differs more than overall kept_with_eos and exact "
        f"match; {on}",
        "; ".join(f"{restart.seeds}: {percent(restart.token_difference)}" for restart in restarts)
        or NO_PAIR,
        ruling(all(is_larger) if restarts else None),
    )


def _as_different_as_in_paper(restarts: Sequence[Restart], on: str) -> Verdict:
    claimed = paper.RESTARTS_TOKEN_DIFFERENCE
    ours, holds = NO_PAIR, None
    if restarts:
        mean = sum(restart.token_difference for restart in restarts) / len(restarts)
        high = max(restart.token_interval[1] for restart in restarts)
        ours = f"{percent(mean)} in the mean of {len(restarts)} pairs; at most {percent(high)}"
        holds = high >= claimed
    return Verdict(
        ITEM,
        f"Token retention differs by {percent(claimed)} on average, weighted by frequency",
        percent(claimed),
        f"at least as much between some two seeds, within the 95 % interval over token types; {on}",
        ours,
        ruling(holds),
    )


COLUMNS = (
    Column("subset"),
    Column("scheme"),
    Column("seeds"),
    Column("kept_with_eos, first", "share"),
    Column("second", "share"),
    Column("typed_fraction, first", "share"),
    Column("typed_fraction, second", "share"),
    Column("exact match, first", "share"),
    Column("exact match, second", "share"),
    Column("difference over sentences", "interval"),
    Column("token retention apart", "share"),
    Column("over token types", "interval"),
)


def section(restarts: Sequence[Restart]) -> Section:
    """Lay out every two seeds below the paper's restarts."""
    in_paper: Row = (
        "all",
        "Constr, paper",
        "–",
        *paper.RESTARTS_KEPT,
        None,
        None,
        *paper.RESTARTS_EXACT,
        None,
        paper.RESTARTS_TOKEN_DIFFERENCE,
        None,
    )
    rows: list[Row] = [
        (
            restart.subset,
            restart.label,
            f"{restart.first.seed}, {restart.second.seed}",
            *restart.kept_with_eos,
            *restart.typed_fraction,
            *restart.exact_match,
            restart.exact_interval,
            restart.token_difference,
            restart.token_interval,
        )
        for restart in restarts
    ]
    caption = (
        "Runs that differ in their seed alone. Token retention apart: the difference of a token "
        "type's kept share, averaged over types and weighted by frequency. Unif keeps the same "
        "tokens of a sentence for every seed, so its keywords do not differ"
    )
    blocks: list[Block] = [Table("restarts", caption, COLUMNS, [in_paper, *rows])]
    if not rows:
        blocks.append(Text("No point has two finished seeds."))
    return Section("Restarts", tuple(blocks))
