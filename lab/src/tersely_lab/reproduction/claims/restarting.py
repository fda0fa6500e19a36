"""Appendix E, Stability: restarts of Constrained."""

from collections.abc import Iterator

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.resampling import SUBSETS
from tersely_lab.reproduction.restarts import Pair
from tersely_lab.reproduction.verdicts import ON, Verdict, percent, ruling

ITEM = "Restarts"
NOTE = (
    "32.08 / 33.52 % kept, 19.41 / 19.21 % exact (table 2 has 7.14 % at 34.04 %: "
    "another setting, not given)"
)


def judge(analysis: Analysis) -> Iterator[Verdict]:
    """Say of each claim about restarts whether it holds."""
    for subset in SUBSETS:
        pairs = [
            pair
            for pair in analysis.pairs
            if pair.first.kind == "constrained" and pair.subset == subset
        ]
        yield _overall_alike(pairs, ON[subset])
        yield _tokens_apart(pairs, ON[subset])
        yield _as_far_apart(pairs, ON[subset])


def _apart(values: tuple[float, float]) -> float:
    return abs(values[0] - values[1])


def _overall_alike(pairs: list[Pair], on: str) -> Verdict:
    kept_limit, exact_limit = _apart(paper.RESTARTS_KEPT), _apart(paper.RESTARTS_EXACT)
    told = "; ".join(
        f"{_names(one)}: {percent(_apart(one.kept_with_eos))} kept_with_eos, "
        f"{percent(_apart(one.exact_match))} exact match apart"
        for one in pairs
    )
    alike = [
        _apart(one.kept_with_eos) <= kept_limit and _reaches(one, exact_limit) for one in pairs
    ]
    return Verdict(
        ITEM,
        "Restarts achieve similar overall retention and accuracy",
        NOTE,
        f"every two seeds: kept_with_eos at most {percent(kept_limit)} apart, exact match at most "
        f"{percent(exact_limit)} within its 95 % interval over sentences; {on}",
        told or "no Constr setting with two seeds",
        ruling(all(alike) if alike else None),
    )


def _reaches(pair: Pair, limit: float) -> bool:
    low, high = pair.exact_interval
    return low <= limit and high >= -limit


def _tokens_apart(pairs: list[Pair], on: str) -> Verdict:
    more = [
        one.token_difference > max(_apart(one.kept_with_eos), _apart(one.exact_match))
        for one in pairs
    ]
    return Verdict(
        ITEM,
        "Restarts learn different schemes of like overall figures",
        NOTE,
        "every two seeds: token retention differs more than overall kept_with_eos and exact "
        f"match; {on}",
        "; ".join(f"{_names(one)}: {percent(one.token_difference)}" for one in pairs)
        or "no Constr setting with two seeds",
        ruling(all(more) if more else None),
    )


def _as_far_apart(pairs: list[Pair], on: str) -> Verdict:
    claimed = paper.RESTARTS_TOKEN_DIFFERENCE
    mean = sum(one.token_difference for one in pairs) / len(pairs) if pairs else None
    high = max((one.token_interval[1] for one in pairs), default=None)
    return Verdict(
        ITEM,
        f"Token retention differs by {percent(claimed)} on average, weighted by frequency",
        percent(claimed),
        f"at least as much between some two seeds, within the 95 % interval over token types; {on}",
        f"{percent(mean)} in the mean of {len(pairs)} pairs; at most {percent(high)}"
        if pairs
        else "no Constr setting with two seeds",
        ruling(None if high is None else high >= claimed),
    )


def _names(pair: Pair) -> str:
    return f"{pair.label} seeds {pair.first.seed}, {pair.second.seed}"
