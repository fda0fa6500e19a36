"""The paper's claims, each held against a named reading; a module a group of figures."""

from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.claims import people, restarting, robust, stable, trading, wording
from tersely_lab.reproduction.verdicts import Verdict


def verdicts(analysis: Analysis) -> list[Verdict]:
    """Judge every claim."""
    return [
        verdict
        for group in (trading, stable, robust, wording, restarting, people)
        for verdict in group.judge(analysis)
    ]
