"""Every verdict can come out either way: one synthetic sweep as the paper claims, one reversed."""

from collections.abc import Sequence

import numpy as np
import pytest

from lab.tests.reproduction.synthetic import synthetic_run, synthetic_sweep
from tersely.evaluation.tagging import tag
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.cross_decoding import Matrix, participants
from tersely_lab.reproduction.report import reproduce
from tersely_lab.reproduction.runs import Results, Run
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.table1 import Completion, Examples
from tersely_lab.reproduction.verdicts import (
    RULINGS,
    Verdict,
    between,
    number,
    percent,
    points,
    ruling,
)
from tests.evaluation.predictions import Keep

SLOW, AT_ONCE = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5), (0.95, 0.95, 0.95, 0.95, 0.3, 0.3)
FUNCTION = ("determiner", "conjunction", "pronoun")


def by_class(function: float, content: float) -> Keep:
    """Keep words by their part of speech alone."""
    return lambda token: function if tag([token])[0] in (*FUNCTION, "interjection") else content


def as_in_the_paper() -> list[Run]:
    return [
        synthetic_run("constrained", 0.8, by_class(0.02, 0.3), 0.3, loss=0.7, kept_on_dev=SLOW),
        synthetic_run("constrained", 0.4, 0.55, 0.6, loss=0.3, kept_on_dev=SLOW),
        synthetic_run("constrained", 0.4, 0.55, 0.6, seed=8, loss=0.3, kept_on_dev=SLOW),  # like 1
        synthetic_run("constrained", 0.2, 0.8, 0.95, loss=0.1, kept_on_dev=SLOW),
        synthetic_run("linear", 3.0, 0.0, 0.0),
        synthetic_run("linear", 4.3, 0.5, 0.2),
        synthetic_run("linear", 4.3, 0.9, 0.2, seed=2),
        synthetic_run("linear", 9.0, 1.0, 0.9),
        synthetic_run("unif", 0.5, 0.5, 0.1),
        synthetic_run("unif", 0.1, 0.1, 0.05),
        synthetic_run("unif", 0.9, 0.9, 0.3),
        synthetic_run("stopword", 0.0, 0.6, 0.15),
    ]


def reversed_runs() -> list[Run]:
    return [
        synthetic_run("constrained", 0.8, by_class(0.9, 0.1), 0.05, loss=0.9, kept_on_dev=AT_ONCE),
        synthetic_run("constrained", 0.4, 0.4, 0.1, loss=0.5, kept_on_dev=AT_ONCE),
        synthetic_run("constrained", 0.4, 0.9, 0.9, seed=2, loss=0.5, kept_on_dev=AT_ONCE),
        synthetic_run("constrained", 0.2, 0.95, 0.2, loss=0.3, kept_on_dev=AT_ONCE),
        synthetic_run("linear", 3.0, 0.42, 0.3),
        synthetic_run("linear", 4.3, 0.55, 0.6),
        synthetic_run("linear", 4.3, 0.55, 0.6, seed=2),
        synthetic_run("linear", 9.0, 0.66, 0.95),
        synthetic_run("unif", 0.5, 0.42, 0.6),
        synthetic_run("unif", 0.1, 0.1, 0.5),
        synthetic_run("unif", 0.9, 0.9, 0.9),
        synthetic_run("stopword", 0.0, 0.66, 0.0),
    ]


def matrix_for(results: Results, *, holds: bool) -> Matrix:
    """Let learned keywords, more tokens and loose decoders help, or do harm."""
    runs, count = participants(results), 200
    by_retention = sorted(runs, key=lambda run: int(run.outcomes.typed.sum()))
    exact = {}
    for encoder in runs:
        for decoder in runs:
            share = 0.02 + 0.08 * by_retention.index(encoder)
            share += 0.2 * (encoder.kind == "constrained")
            share += 0.2 * decoder.parameter * (decoder.kind == "constrained")
            share = share if holds else 0.99 - share
            exact[encoder.name, decoder.name] = np.arange(count) < round(count * share)
    return Matrix(count, exact, {}, {}, {})


def verdicts(
    sweep: Sweep, matrix: Matrix | None = None, ranks: Sequence[int | None] = ()
) -> list[Verdict]:
    """Judge all claims; `ranks` are those of the sentences in table 1's completions."""
    run = sweep.studied_run()
    examples = Examples(
        tuple(
            Completion(
                run.name if run else "",
                "",
                example.sentence,
                example.specified,
                example.keywords,
                tuple(
                    example.sentence if rank == index else "Something else." for index in (1, 2, 3)
                ),
            )
            for example, rank in zip(paper.EXAMPLES, ranks, strict=False)
        )
    )
    return [verdict for item in reproduce(sweep, matrix, examples) for verdict in item.verdicts]


@pytest.fixture(scope="module")
def good() -> list[Verdict]:
    sweep = synthetic_sweep(*as_in_the_paper())
    return verdicts(sweep, matrix_for(sweep.results, holds=True), (None, 1, 1, None, 1, 1))


@pytest.fixture(scope="module")
def bad() -> list[Verdict]:
    sweep = synthetic_sweep(*reversed_runs())
    return verdicts(sweep, matrix_for(sweep.results, holds=False), (1, 2, None, 1, None, 3))


def rulings(judged: list[Verdict], claim: str, reading: str = "") -> set[str]:
    matching: set[str] = {
        one.ruling for one in judged if claim in one.claim and reading in one.reading
    }
    assert matching, f"no such claim: {claim}"
    return matching


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
    assert "does not hold" not in rulings(good, claim, reading)
    assert "holds" in rulings(good, claim, reading)
    assert "holds" not in rulings(bad, claim, reading)
    assert "does not hold" in rulings(bad, claim, reading)


def of_words(keep: Keep) -> list[Verdict]:
    return verdicts(synthetic_sweep(synthetic_run("constrained", 0.6, keep, 0.5)))


def test_frequency_may_or_may_not_decide() -> None:
    run = synthetic_run("constrained", 0.6, 0.5, 0.5)
    types = run.outcomes.words["all"].types.words_only()
    often = dict(zip(types.names, types.count, strict=True))
    tenth = sorted(types.count)[-10]
    by_frequency = of_words(lambda token: float(often.get(token, 0) < tenth))
    assert rulings(by_frequency, "almost always dropped", "on all") == {"holds"}
    assert rulings(by_frequency, "behave widely") <= {"does not hold", "not comparable"}
    assert "does not hold" in rulings(by_frequency, "more strongly than frequency")
    by_tag = of_words(by_class(0.0, 1.0))
    assert rulings(by_tag, "more strongly than frequency") == {"holds"}
    by_chance = of_words(lambda token: 0.5)
    assert rulings(by_chance, "not strongly correlated", "on all") == {"holds"}
    assert rulings(by_chance, "almost always dropped") == {"does not hold"}
    rare_first = of_words(lambda token: max(0.02, 1 - often.get(token, 10) / 60))
    assert "does not hold" in rulings(rare_first, "not strongly correlated")


def test_the_order_of_table_3_may_or_may_not_come_out() -> None:
    as_theirs = of_words(lambda token: paper.PARTS_OF_SPEECH.get(tag([token])[0], 0.2))
    assert rulings(as_theirs, "the paper's order") == {"holds"}
    reverse = of_words(lambda token: 0.45 - paper.PARTS_OF_SPEECH.get(tag([token])[0], 0.2))
    assert "does not hold" in rulings(reverse, "the paper's order")


def test_the_factor_of_two_needs_encoders_that_keep_alike(good: list[Verdict]) -> None:
    [alike] = [one for one in good if one.claim.endswith("by 200 %")]
    assert alike.ruling in ("holds", "does not hold")
    runs = [synthetic_run("unif", 0.5, 0.5, 0.1), synthetic_run("constrained", 0.2, 0.8, 0.1)]
    sweep = synthetic_sweep(*runs)
    unlike = verdicts(sweep, matrix_for(sweep.results, holds=True))
    assert rulings(unlike, "by 200 %") == {"not comparable"}


def test_restarts_as_far_apart_as_the_papers() -> None:
    def restarted(first: float, second: float) -> list[Verdict]:
        runs = [
            synthetic_run(
                "constrained", 0.4, lambda t: first if t < "m" else 1 - first, 0.5, seed=1
            ),
            synthetic_run(
                "constrained", 0.4, lambda t: second if t < "m" else 1 - second, 0.5, seed=2
            ),
        ]
        return verdicts(synthetic_sweep(*runs))

    assert rulings(restarted(0.0, 1.0), "11.35 %") == {"holds"}
    assert rulings(restarted(0.01, 0.01), "11.35 %") == {"does not hold"}


def test_a_lead_beyond_the_curves_is_not_comparable_and_says_how_far_they_reach() -> None:
    runs = [
        synthetic_run("constrained", 0.8, 0.2, 0.3),
        synthetic_run("constrained", 0.4, 0.5, 0.6),
        synthetic_run("unif", 0.1, 0.1, 0.05),
        synthetic_run("unif", 0.5, 0.5, 0.1),
    ]
    judged = verdicts(synthetic_sweep(*runs))
    assert rulings(judged, "more accurate than Unif") == {"not comparable"}
    ours = next(one.ours for one in judged if "more accurate than Unif" in one.claim)
    assert "both curves reach from" in ours


def test_without_data_nothing_holds_and_nothing_fails() -> None:
    judged = verdicts(synthetic_sweep(synthetic_run("stopword", 0.0, 0.5, 0.5)))
    assert {one.ruling for one in judged} == {"not comparable"}


def test_what_people_did_is_never_judged_from_a_sweep(good: list[Verdict]) -> None:
    study = [one for one in good if one.item == "User study"]
    assert {one.ruling for one in study} == {"not comparable"}
    assert "33 % less time" in study[0].paper


def test_a_ruling_is_one_of_three() -> None:
    assert [ruling(value) for value in (True, False, None)] == list(RULINGS)


def test_numbers_are_formatted_with_their_unit() -> None:
    assert percent(0.1173) == "11.73 %"
    assert points(-0.1173) == "-11.73 points"
    assert between((0.01, 0.2)) == "95 %: +1.00 to +20.00"
    assert number(1.005) == "1.00"
    assert {percent(None), points(None), number(None)} == {"–"}
    assert between(None) == "no interval"
