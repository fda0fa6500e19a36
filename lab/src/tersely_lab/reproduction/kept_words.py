"""Which words are kept: figure 4 (by frequency) and table 3 (by part of speech), appendix E.

The claims are judged on one run, `Sweep.studied_run`; the CSV files cover all Constrained runs.
"""

from collections.abc import Iterator, Mapping

from tersely_lab.reproduction import figure4, table3
from tersely_lab.reproduction.bootstrap import SUBSETS
from tersely_lab.reproduction.document import Column, Row, Section, Table, Text
from tersely_lab.reproduction.figure4 import Frequency
from tersely_lab.reproduction.runs import Run
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.table3 import PartsByRun
from tersely_lab.reproduction.verdicts import ON, Reproduction, Verdict, percent

TITLE = "Which words are kept (figure 4, table 3)"

FrequencyByRun = Mapping[str, Mapping[str, Frequency]]  # subset → run


def reproduce(sweep: Sweep) -> Reproduction:
    """Relate retention to frequency and part of speech, for every Constrained run."""
    runs = sweep.results.of_kind("constrained")
    frequencies: FrequencyByRun = {
        subset: {
            run.name: figure4.compute(run.outcomes.words[subset].types, draws=sweep.draws)
            for run in runs
        }
        for subset in SUBSETS
    }
    parts: PartsByRun = {
        subset: {
            run.name: table3.compute(tags)
            for run in runs
            if (tags := run.outcomes.words[subset].tags)
        }
        for subset in SUBSETS
    }
    run = sweep.studied_run()
    return Reproduction(
        tuple(judge(frequencies, parts, run)), (section(sweep, frequencies, parts, run),)
    )


def judge(frequencies: FrequencyByRun, parts: PartsByRun, run: Run | None) -> Iterator[Verdict]:
    """Judge the claims of figure 4 and table 3 on each subset."""
    name = run.name if run else ""
    for subset in SUBSETS:
        of_run = f" of {run.label} on {ON[subset]}" if run else ""
        frequency = frequencies[subset].get(name)
        yield from figure4.judge(frequency, of_run)
        explained = frequency.explained if frequency else None
        yield from table3.judge(parts[subset].get(name), explained, of_run)


def section(
    sweep: Sweep, frequencies: FrequencyByRun, parts: PartsByRun, run: Run | None
) -> Section:
    """Lay out figure 4, the correlations and table 3."""
    if run is None:
        return Section(TITLE, (Text("No Constr run is finished."),))
    return Section(
        TITLE,
        (
            Text(
                f"The paper does not name the model of this analysis. Here it is {run.name}, the "
                "Constr run whose kept_with_eos "
                f"({percent(float(run.evaluation['kept_with_eos']))}) is nearest to that of "
                "Constr(0.6) in table 2 (34.04 %), the model of the paper's user study. The CSV "
                "files cover all Constr runs."
            ),
            figure4.figure(run),
            _correlation_table(frequencies, parts),
            figure4.band_table({subset: runs[run.name] for subset, runs in frequencies.items()}),
            figure4.most_frequent_table(frequencies["all"][run.name]),
            *table3.blocks(parts, run, sweep.results.runs),
        ),
    )


def _correlation_table(frequencies: FrequencyByRun, parts: PartsByRun) -> Table:
    columns = (
        Column("subset"),
        Column("run"),
        Column("types", "count"),
        Column("rank correlation", "number"),
        Column("95 % (× 100)", "interval"),
        Column("variance explained by frequency", "share"),
        Column("by part of speech", "share"),
        Column("rank correlation with table 3", "number"),
    )
    rows: list[Row] = []
    for subset, runs in frequencies.items():
        for name, frequency in runs.items():
            of_run = parts[subset].get(name)
            rows.append(
                (
                    subset,
                    name,
                    frequency.types,
                    frequency.rank_correlation,
                    frequency.correlation_interval,
                    frequency.explained,
                    of_run.explained if of_run else None,
                    of_run.order_agreement if of_run else None,
                )
            )
    caption = "Frequency, part of speech and retention, every Constr run (Spearman's ρ, η²)"
    return Table("correlations", caption, columns, rows)
