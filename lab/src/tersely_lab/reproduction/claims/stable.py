"""Section 2 and 3: what λ and ε do, and how a run goes."""

from collections.abc import Iterator

import numpy as np

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.stability import degenerate
from tersely_lab.reproduction.verdicts import Verdict, number, percent, ruling

ITEM = "Stability"


def judge(analysis: Analysis) -> Iterator[Verdict]:
    """Say of each claim about stability whether it holds."""
    yield _where_linear_degenerates(analysis)
    yield _half_of_linear(analysis)
    yield from _evenness(analysis)
    yield _seeds(analysis)
    yield _epsilon_controls(analysis)
    yield _course(analysis)


def _linear(analysis: Analysis) -> list[tuple[float, float]]:
    """λ and typed fraction of each Linear point."""
    whole = analysis.samples[0]
    return [
        (one.parameter, float(whole.of(one, "typed_fraction")[0]))
        for one in analysis.curve("linear")
    ]


def _where_linear_degenerates(analysis: Analysis) -> Verdict:
    low, high = paper.LINEAR_KEEPS_NONE_UP_TO, paper.LINEAR_KEEPS_ALL_FROM
    judged = [
        (weight, typed, "none" if weight <= low else "all")
        for weight, typed in _linear(analysis)
        if weight <= low or weight >= high
    ]
    return Verdict(
        ITEM,
        f"Linear keeps none for λ ≤ {low} and all for λ ≥ {high}",
        f"λ ≤ {low} and λ ≥ {high}",
        "typed_fraction at most 2 % or at least 98 %, all test sentences",
        "; ".join(f"λ = {weight:g}: {percent(typed)} typed" for weight, typed, _ in judged)
        or "no Linear run with such a λ",
        ruling(all(degenerate(typed) == wanted for _, typed, wanted in judged) if judged else None),
    )


def _half_of_linear(analysis: Analysis) -> Verdict:
    found = _linear(analysis)
    told = [f"λ = {weight:g} keeps {degenerate(typed)}" for weight, typed in found]
    bad = [text for text, (_, typed) in zip(told, found, strict=True) if degenerate(typed)]
    return Verdict(
        ITEM,
        "Slight changes of λ give degenerate schemes that keep all or none",
        "e.g. λ ≤ 4.2 and λ ≥ 4.4",
        "at least half of the Linear points are degenerate, wherever they lie",
        f"{len(bad)} of {len(found)} points" + (f": {'; '.join(bad)}" if bad else ""),
        ruling(len(bad) >= len(found) / 2 if len(found) > 1 else None),
    )


def _evenness(analysis: Analysis) -> Iterator[Verdict]:
    ours, theirs = analysis.spreads["constrained"], analysis.spreads["linear"]
    readings = {
        "variation of the gaps between neighbours' typed_fraction (depends on the grid)": (
            ours.gap_variation,
            theirs.gap_variation,
        ),
        "most that typed_fraction moves when ε or λ is doubled": (
            ours.most_a_doubling,
            theirs.most_a_doubling,
        ),
    }
    for reading, (own, other) in readings.items():
        yield Verdict(
            ITEM,
            "Points for ε are more evenly spaced than for λ",
            "no figure",
            reading,
            f"ε: {number(own)} over {ours.points} points; λ: {number(other)} over {theirs.points}",
            ruling(None if own is None or other is None else own < other),
        )


def _seeds(analysis: Analysis) -> Verdict:
    """The paper shows no restarts of Linear; this is the plainest test of "unstable" we know."""
    spans = {"constrained": list[float](), "linear": list[float]()}
    for kind, found in spans.items():
        for one in analysis.curve(kind):
            typed = [run.outcomes.typed.sum() / run.outcomes.tokens.sum() for run in one.runs]
            if len(typed) > 1:
                found.append(float(np.ptp(typed)))
    own, other = (max(found, default=None) for found in spans.values())
    return Verdict(
        ITEM,
        "Constr is substantially more stable than Linear",
        "no figure",
        "largest range of typed_fraction over seeds of one setting",
        f"Constr: {percent(own)}; Linear: {percent(other)}",
        ruling(None if own is None or other is None else own < other),
    )


def _epsilon_controls(analysis: Analysis) -> Verdict:
    found = analysis.controls
    return Verdict(
        "Section 2",
        "ε directly controls the maximum reconstruction error",
        "no figure",
        "loss on the test sentences, in nats a token and with the keywords a user would type, ≤ ε",
        "; ".join(f"{one.name}: {one.test_loss:.3f}" for one in found) or "no Constr run",
        ruling(all(one.is_met for one in found) if found else None),
    )


def _course(analysis: Analysis) -> Verdict:
    found = analysis.descents
    return Verdict(
        "Section 2",
        "Constr first keeps most tokens, then slowly learns to drop",
        "no figure",
        "on dev: ≥ 80 % kept within the first fifth, at least 5 points less at the end, no single "
        "step between judgements more than half of the way; every Constr run",
        "; ".join(
            f"{one.name}: {percent(one.early_peak)} → {percent(one.end)}, "
            f"largest step {percent(one.largest_step)} of the way"
            for one in found
        )
        or "no course was logged",
        ruling(all(one.is_as_described for one in found) if found else None),
    )
