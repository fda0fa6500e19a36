"""Analysis: every question asked of a sweep, answered once; claims and pages read it here."""

from collections.abc import Sequence
from dataclasses import dataclass

from tersely.evaluation.tagging import Accuracy, accuracy, gold_lines, is_available
from tersely_lab.reproduction import paper, restarts
from tersely_lab.reproduction.examples import Examples
from tersely_lab.reproduction.frequency import Frequency, frequency
from tersely_lab.reproduction.parts_of_speech import PartsOfSpeech, parts_of_speech
from tersely_lab.reproduction.resampling import SUBSETS, Resampled, resample
from tersely_lab.reproduction.robustness import Matrix
from tersely_lab.reproduction.runs import Results, Run, Setting
from tersely_lab.reproduction.scale import SweepScale, sweep_scale
from tersely_lab.reproduction.stability import Control, Descent, Spread, control, descent, spread
from tersely_lab.reproduction.tradeoff import Lead, leads

# Which model appendix E and table 1 are about is not said; the user study's was Constr(0.6).
STUDIED = paper.KEPT_WITH_EOS["constrained", 0.6]


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that the page tells."""

    results: Results
    samples: tuple[Resampled, ...]  # all sentences, and those of the paper's length
    over_linear: tuple[Lead, ...]
    over_unif: tuple[Lead, ...]
    spreads: dict[str, Spread]
    descents: tuple[Descent, ...]
    controls: tuple[Control, ...]
    studied: Run | None  # the Constrained run that keeps about as much as the paper's Constr(0.6)
    frequencies: dict[str, dict[str, Frequency]]  # by subset and run: Constrained ones
    parts: dict[str, dict[str, PartsOfSpeech]]  # only where parts of speech were counted
    tagger: Accuracy | None
    pairs: tuple[restarts.Pair, ...]
    matrix: Matrix | None
    paired: tuple[Run, ...]  # the matrix's runs, in its order
    examples: Examples | None
    scale: SweepScale

    def curve(self, kind: str) -> list[Setting]:
        """A kind's points."""
        return self.results.settings(kind)


def analyse(
    results: Results,
    *,
    matrix: Matrix | None = None,
    paired: Sequence[Run] = (),
    examples: Examples | None = None,
    draws: int = 1000,
) -> Analysis:
    """Answer everything that needs no weights; the rest is handed in."""
    samples = tuple(resample(results.runs, subset, draws=draws) for subset in SUBSETS)
    constrained, linear, unif = (
        results.settings(kind) for kind in ("constrained", "linear", "unif")
    )
    runs = [run for run in results.runs if run.kind == "constrained" and not run.is_variant]
    whole = samples[0]
    descents = [descent(run) for run in runs]
    return Analysis(
        results=results,
        samples=samples,
        over_linear=tuple(leads(samples, constrained, linear, paper.LEAD_OVER_LINEAR_AT)),
        over_unif=tuple(leads(samples, constrained, unif, paper.LEAD_OVER_UNIF_AT)),
        spreads={
            kind: spread(settings, _typed(whole, settings))
            for kind, settings in (("constrained", constrained), ("linear", linear))
        },
        descents=tuple(one for one in descents if one is not None),
        controls=tuple(control(run) for run in runs),
        studied=studied_run(results),
        frequencies={
            subset: {
                run.name: frequency(run.outcomes.words[subset].types, draws=draws) for run in runs
            }
            for subset in SUBSETS
        },
        parts={subset: _parts(runs, subset) for subset in SUBSETS},
        tagger=accuracy(gold_lines()) if is_available() else None,
        pairs=tuple(
            pair for sample in samples for pair in restarts.pairs(results.settings(), sample)
        ),
        matrix=matrix,
        paired=tuple(paired),
        examples=examples,
        scale=sweep_scale(results.runs),
    )


def studied_run(results: Results) -> Run | None:
    """The Constrained run whose retention is nearest to that of the paper's Constr(0.6)."""
    runs = [setting.runs[0] for setting in results.settings("constrained")]
    return min(
        runs, key=lambda run: abs(float(run.figures["kept_with_eos"]) - STUDIED), default=None
    )


def _parts(runs: Sequence[Run], subset: str) -> dict[str, PartsOfSpeech]:
    counted = {run.name: run.outcomes.words[subset].tags for run in runs}
    return {name: parts_of_speech(tags) for name, tags in counted.items() if tags}


def _typed(sample: Resampled, settings: Sequence[Setting]) -> dict[str, float]:
    return {one.label: float(sample.of(one, "typed_fraction")[0]) for one in settings}
