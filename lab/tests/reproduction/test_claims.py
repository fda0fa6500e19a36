"""Every verdict can come out either way: made-up sweeps as the paper has it, and the reverse."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from lab.tests.reproduction.made import made_results, made_run
from tersely.evaluation.tagging import tag
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis, analyse
from tersely_lab.reproduction.claims import verdicts
from tersely_lab.reproduction.examples import Completed, Examples
from tersely_lab.reproduction.robustness import Matrix, participants
from tersely_lab.reproduction.runs import Results, Run
from tersely_lab.reproduction.verdicts import Verdict
from tests.evaluation.predictions import Keep

SLOWLY, AT_ONCE = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5), (0.95, 0.95, 0.95, 0.95, 0.3, 0.3)
FUNCTION = ("determiner", "conjunction", "pronoun")


def by_class(function: float, content: float) -> Keep:
    """Keep words by their part of speech alone."""
    return lambda token: function if tag([token])[0] in (*FUNCTION, "interjection") else content


def as_the_paper_says() -> list[Run]:
    return [
        made_run("constrained", 0.8, by_class(0.02, 0.3), 0.3, loss=0.7, kept_course=SLOWLY),
        made_run("constrained", 0.4, 0.55, 0.6, loss=0.3, kept_course=SLOWLY),
        made_run("constrained", 0.4, 0.55, 0.6, seed=8, loss=0.3, kept_course=SLOWLY),  # like 1
        made_run("constrained", 0.2, 0.8, 0.95, loss=0.1, kept_course=SLOWLY),
        made_run("linear", 3.0, 0.0, 0.0),
        made_run("linear", 4.3, 0.5, 0.2),
        made_run("linear", 4.3, 0.9, 0.2, seed=2),
        made_run("linear", 9.0, 1.0, 0.9),
        made_run("unif", 0.5, 0.5, 0.1),
        made_run("unif", 0.1, 0.1, 0.05),
        made_run("unif", 0.9, 0.9, 0.3),
        made_run("stopword", 0.0, 0.6, 0.15),
    ]


def the_reverse() -> list[Run]:
    return [
        made_run("constrained", 0.8, by_class(0.9, 0.1), 0.05, loss=0.9, kept_course=AT_ONCE),
        made_run("constrained", 0.4, 0.4, 0.1, loss=0.5, kept_course=AT_ONCE),
        made_run("constrained", 0.4, 0.9, 0.9, seed=2, loss=0.5, kept_course=AT_ONCE),
        made_run("constrained", 0.2, 0.95, 0.2, loss=0.3, kept_course=AT_ONCE),
        made_run("linear", 3.0, 0.42, 0.3),
        made_run("linear", 4.3, 0.55, 0.6),
        made_run("linear", 4.3, 0.55, 0.6, seed=2),
        made_run("linear", 9.0, 0.66, 0.95),
        made_run("unif", 0.5, 0.42, 0.6),
        made_run("unif", 0.1, 0.1, 0.5),
        made_run("unif", 0.9, 0.9, 0.9),
        made_run("stopword", 0.0, 0.66, 0.0),
    ]


def made_matrix(runs: Sequence[Run], share: dict[tuple[str, str], float]) -> Matrix:
    """Each pair's accuracy, by labels."""
    count = 200
    return Matrix(
        count,
        {
            (one.name, two.name): np.arange(count) < round(count * share[one.label, two.label])
            for one in runs
            for two in runs
            if (one.label, two.label) in share
        },
        {},
        {},
        {},
    )


def analysed(runs: list[Run], matrix: Matrix | None, places: tuple[int | None, ...]) -> Analysis:
    results = made_results(*runs)
    found = analyse(results, matrix=matrix, paired=participants(results), draws=150)
    name = found.studied.name if found.studied else ""
    completed = tuple(
        Completed(name, "", one.sentence, one.specified, one.keywords, suggestions(one, place))
        for one, place in zip(paper.EXAMPLES, places, strict=True)
    )
    return replace(found, examples=Examples(completed, ()))


def suggestions(one: paper.Example, place: int | None) -> tuple[str, ...]:
    return tuple(one.sentence if place == index else "Something else." for index in (1, 2, 3))


def matrix_for(results: Results, *, holds: bool) -> Matrix:
    """Learned keywords, more tokens and loose decoders help, or they do harm."""
    runs = participants(results)
    rank = {run.label: index for index, run in enumerate(sorted(runs, key=_typed))}
    share = {}
    for encoder in runs:
        for decoder in runs:
            value = 0.02 + 0.08 * rank[encoder.label]
            value += 0.2 * (encoder.kind == "constrained")
            value += 0.2 * decoder.parameter * (decoder.kind == "constrained")
            share[encoder.label, decoder.label] = value if holds else 0.99 - value
    return made_matrix(runs, share)


def _typed(run: Run) -> int:
    return int(run.outcomes.typed.sum())


@pytest.fixture(scope="module")
def good() -> list[Verdict]:
    runs = as_the_paper_says()
    matrix = matrix_for(made_results(*runs), holds=True)
    return verdicts(analysed(runs, matrix, (None, 1, 1, None, 1, 1)))


@pytest.fixture(scope="module")
def bad() -> list[Verdict]:
    runs = the_reverse()
    matrix = matrix_for(made_results(*runs), holds=False)
    return verdicts(analysed(runs, matrix, (1, 2, None, 1, None, 3)))


def ruling(found: list[Verdict], claim: str, reading: str = "") -> set[str]:
    rulings = {one.ruling for one in found if claim in one.claim and reading in one.reading}
    assert rulings, f"no such claim: {claim}"
    return rulings


FLIPPING = [
    ("Constr is more accurate than Linear", "which is ahead"),
    ("Constr is more accurate than Unif", "which is ahead"),
    ("Constr is 11.73 % more accurate than Linear", "read as points"),
    ("Constr is 11.73 % more accurate than Linear", "read as relative"),
    ("Constr is 52.16 % more accurate than Unif", "read as relative"),
    ("Constr improves the trade-off over Unif", ""),
    ("Unif and Stopword achieve similar", ""),
    ("Linear keeps none", ""),
    ("Slight changes of λ", ""),
    ("Points for ε are more evenly spaced", "doubled"),
    ("Constr is substantially more stable", ""),
    ("ε directly controls", ""),
    ("first keeps most tokens", ""),
    ("select better keywords", "every Unif decoder"),
    ("more always help", "as measured"),
    ("more always help", "beyond"),
    ("Loose constraints", "loosest decoder"),
    ("Loose constraints", "rank correlation"),
    ("Content words are kept more", ""),
    ("similar overall retention", "all test sentences"),
    ("different schemes of like overall figures", "all test sentences"),
    ("generic sentences", ""),
    ("properly specified", ""),
    ("over-specified", ""),
]


@pytest.mark.parametrize(("claim", "reading"), FLIPPING)
def test_a_verdict_flips_with_the_data(
    claim: str, reading: str, good: list[Verdict], bad: list[Verdict]
) -> None:
    assert "does not hold" not in ruling(good, claim, reading)
    assert "holds" in ruling(good, claim, reading)
    assert "holds" not in ruling(bad, claim, reading)
    assert "does not hold" in ruling(bad, claim, reading)


def of_words(keep: Keep) -> list[Verdict]:
    return verdicts(analyse(made_results(made_run("constrained", 0.6, keep, 0.5)), draws=150))


def test_frequency_may_or_may_not_decide() -> None:
    run = made_run("constrained", 0.6, 0.5, 0.5)
    types = run.outcomes.words["all"].types.words_only()
    often = dict(zip(types.names, types.count, strict=True))
    tenth = sorted(types.count)[-10]
    by_frequency = of_words(lambda token: float(often.get(token, 0) < tenth))
    assert ruling(by_frequency, "almost always dropped", "on all") == {"holds"}
    assert ruling(by_frequency, "behave widely") <= {"does not hold", "not comparable"}
    assert "does not hold" in ruling(by_frequency, "more strongly than frequency")
    by_tag = of_words(by_class(0.0, 1.0))
    assert ruling(by_tag, "more strongly than frequency") == {"holds"}
    by_chance = of_words(lambda token: 0.5)
    assert ruling(by_chance, "not strongly correlated", "on all") == {"holds"}
    assert ruling(by_chance, "almost always dropped") == {"does not hold"}
    rare_first = of_words(lambda token: max(0.02, 1 - often.get(token, 10) / 60))
    assert "does not hold" in ruling(rare_first, "not strongly correlated")


def test_the_order_of_table_3_may_or_may_not_come_out() -> None:
    as_theirs = of_words(lambda token: paper.PARTS_OF_SPEECH.get(tag([token])[0], 0.2))
    assert ruling(as_theirs, "the paper's order") == {"holds"}
    reverse = of_words(lambda token: 0.45 - paper.PARTS_OF_SPEECH.get(tag([token])[0], 0.2))
    assert "does not hold" in ruling(reverse, "the paper's order")


def test_the_factor_of_two_needs_encoders_that_keep_alike(good: list[Verdict]) -> None:
    [alike] = [one for one in good if one.claim.endswith("by 200 %")]
    assert alike.ruling in ("holds", "does not hold")
    runs = [made_run("unif", 0.5, 0.5, 0.1), made_run("constrained", 0.2, 0.8, 0.1)]
    matrix = matrix_for(made_results(*runs), holds=True)
    found = verdicts(analysed(runs, matrix, (None, 1, 1, None, 1, 1)))
    assert ruling(found, "by 200 %") == {"not comparable"}


def test_restarts_as_far_apart_as_the_papers() -> None:
    def restarted(first: float, second: float) -> list[Verdict]:
        runs = [
            made_run("constrained", 0.4, lambda t: first if t < "m" else 1 - first, 0.5, seed=1),
            made_run("constrained", 0.4, lambda t: second if t < "m" else 1 - second, 0.5, seed=2),
        ]
        return verdicts(analyse(made_results(*runs), draws=150))

    assert ruling(restarted(0.0, 1.0), "11.35 %") == {"holds"}
    assert ruling(restarted(0.01, 0.01), "11.35 %") == {"does not hold"}


def test_a_lead_beyond_the_curves_is_not_comparable_and_says_how_far_they_reach() -> None:
    runs = [
        made_run("constrained", 0.8, 0.2, 0.3),
        made_run("constrained", 0.4, 0.5, 0.6),
        made_run("unif", 0.1, 0.1, 0.05),
        made_run("unif", 0.5, 0.5, 0.1),
    ]
    found = verdicts(analyse(made_results(*runs), draws=150))
    assert ruling(found, "more accurate than Unif") == {"not comparable"}
    told = next(one.ours for one in found if "more accurate than Unif" in one.claim)
    assert "both curves reach from" in told


def test_without_data_nothing_holds_and_nothing_fails() -> None:
    found = verdicts(analyse(made_results(made_run("stopword", 0.0, 0.5, 0.5)), draws=150))
    assert {one.ruling for one in found} == {"not comparable"}


def test_what_people_did_is_never_judged_from_a_sweep(good: list[Verdict]) -> None:
    study = [one for one in good if one.item == "User study"]
    assert {one.ruling for one in study} == {"not comparable"}
    assert "33 % less time" in study[0].paper
