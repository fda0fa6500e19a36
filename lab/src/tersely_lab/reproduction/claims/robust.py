"""Appendix D and table 2: decoders on keywords of other encoders."""

from collections.abc import Iterator

import numpy as np

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.frequency import rank_correlation
from tersely_lab.reproduction.robustness import (
    Matrix,
    difference,
    given_more_tokens,
    on_others_keywords,
)
from tersely_lab.reproduction.runs import Run
from tersely_lab.reproduction.verdicts import Verdict, between, number, percent, ruling

ITEM = "Table 2"
AS_MUCH = 0.05  # two encoders keep about as much if their kept_with_eos differ by less
AGREEMENT = 0.8


def judge(analysis: Analysis) -> Iterator[Verdict]:
    """Say of each claim about robustness whether it holds."""
    matrix = analysis.matrix or Matrix(0, {}, {}, {}, {})
    unif = [run for run in analysis.paired if run.kind == "unif"]
    constrained = [run for run in analysis.paired if run.kind == "constrained"]
    yield from _better_keywords(matrix, unif, constrained)
    yield from _more_tokens(analysis, matrix)
    yield _loose_beats_tight(matrix, constrained)
    yield _the_looser_the_better(matrix, constrained)


def _kept(run: Run) -> float:
    return float(run.figures["kept_with_eos"])


def _better_keywords(matrix: Matrix, unif: list[Run], constrained: list[Run]) -> Iterator[Verdict]:
    couples = [(one, two) for one in unif for two in constrained]
    nearest = min(
        (couple for couple in couples if couple[0].parameter == 0.5),
        key=lambda couple: abs(_kept(couple[0]) - _kept(couple[1])),
        default=None,
    )
    told, holds, factor, as_much = "no such pair of encoders", None, "no such pair", None
    if nearest is not None:
        rule, learned = nearest
        cells = [
            (one, matrix.accuracy(rule.name, one.name), matrix.accuracy(learned.name, one.name))
            for one in unif
        ]
        known = [(one, a, b) for one, a, b in cells if a is not None and b is not None]
        told = (
            f"{rule.label} keeps {percent(_kept(rule))}, {learned.label} {percent(_kept(learned))}"
        )
        is_alike = abs(_kept(rule) - _kept(learned)) <= AS_MUCH
        told += "".join(f"; {one.label}: {percent(a)} → {percent(b)}" for one, a, b in known)
        holds = all(b > a for _, a, b in known) if known and is_alike else None
        own = next(((a, b) for one, a, b in known if one is rule and a), None)
        if own is not None:
            factor = f"{own[1] / own[0]:.2f} times ({percent(own[0])} → {percent(own[1])})"
            as_much = own[1] / own[0] >= 22.04 / 10.33 if is_alike else None
    claim = "Trained encoders select better keywords than Unif(0.5), for Unif decoders"
    reading = f"Constr encoder whose kept_with_eos is nearest, within {100 * AS_MUCH:.0f} points"
    yield Verdict(
        ITEM,
        claim,
        "22.04 % against 10.33 %",
        f"{reading}; every Unif decoder",
        told,
        ruling(holds),
    )
    yield Verdict(
        ITEM,
        f"{claim}: by 200 %",
        "22.04 / 10.33 = 2.13 times (not 3, as “by 200 %” would be)",
        f"{reading}; at least 2.13 times, Unif(0.5)'s own decoder",
        factor,
        ruling(as_much),
    )


def _more_tokens(analysis: Analysis, matrix: Matrix) -> Iterator[Verdict]:
    steps = given_more_tokens(matrix, analysis.paired)
    count = sum(len(one.bits) - 1 for one in steps)
    falls, clear = sum(one.falls for one in steps), sum(one.clear_falls for one in steps)
    where = [f"{one.decoder} on {' → '.join(one.encoders)}" for one in steps if one.falls]
    for reading, bad in (
        ("each next encoder of a kind that keeps more, as measured", falls),
        ("the same; only falls beyond the 95 % interval over sentences count", clear),
    ):
        yield Verdict(
            ITEM,
            "Decoders are robust to more tokens than they were trained on: more always help",
            "no fall in table 2",
            reading,
            f"{bad} falls in {count} steps" + (f" ({'; '.join(where)})" if bad and where else "")
            if count
            else "no pair was evaluated",
            ruling(bad == 0 if count else None),
        )


def _loose_beats_tight(matrix: Matrix, constrained: list[Run]) -> Verdict:
    told, holds = "fewer than two Constr runs with their pairs evaluated", None
    if len(constrained) > 1:
        loose = max(constrained, key=lambda run: run.parameter)
        tight = min(constrained, key=lambda run: run.parameter)
        own = matrix.exact.get((tight.name, tight.name))
        other = matrix.exact.get((tight.name, loose.name))
        if own is not None and other is not None:
            interval = difference(other, own)
            told = (
                f"{loose.label} decoder {percent(float(other.mean()))}, {tight.label}'s own "
                f"{percent(float(own.mean()))} ({between(interval)})"
            )
            holds = interval[0] > 0
    return Verdict(
        ITEM,
        "Loose constraints are more robust",
        "Constr(0.8) decoder 38.31 %, Constr(0.2)'s own 23.90 % (appendix D prints 55.80 %, "
        "which is its retention)",
        "loosest decoder on the tightest encoder's keywords, against that encoder's own decoder",
        told,
        ruling(holds),
    )


def _the_looser_the_better(matrix: Matrix, constrained: list[Run]) -> Verdict:
    means = [(run, on_others_keywords(matrix, run, constrained)) for run in constrained]
    known = [(run, value) for run, value in means if value is not None]
    agreement = rank_correlation(
        np.array([run.parameter for run, _ in known]), np.array([value for _, value in known])
    )
    return Verdict(
        ITEM,
        "Loose constraints are more robust",
        f"rank correlation {number(_papers_agreement())} in table 2",
        "rank correlation of ε with the mean exact match on the other Constr encoders' keywords, "
        f"at least {AGREEMENT}",
        f"{number(agreement)}: " + "; ".join(f"{run.label} {percent(own)}" for run, own in known)
        if agreement is not None
        else "fewer than three Constr decoders with all their pairs",
        ruling(None if agreement is None else agreement >= AGREEMENT),
    )


def _papers_agreement() -> float | None:
    schemes = [scheme for scheme in paper.DECODERS if scheme[0] == "constrained"]
    means = [
        np.mean([paper.exact_match(one, scheme) for one in schemes if one != scheme])
        for scheme in schemes
    ]
    return rank_correlation(np.array([one for _, one in schemes]), np.array(means, np.float64))
