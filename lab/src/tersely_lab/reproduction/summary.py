"""The page's first section: what was trained, every verdict, every run, and the gaps."""

from collections import Counter
from collections.abc import Sequence

from tersely_lab.reproduction.document import Block, Column, Row, Section, Table, Text
from tersely_lab.reproduction.runs import Run
from tersely_lab.reproduction.scale import sweep_scale
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import RULINGS, Verdict

METRICS_TEXT = (
    "typed_fraction is the share of tokens typed. kept_with_eos also counts the end mark, which is "
    "always kept, as the paper's table 2 does. Both are pooled over tokens. Exact match is that of "
    "greedy decoding, as in the paper; “served” and “top three” are of a beam search in which "
    "every suggestion contains all keywords. Intervals are the middle 95 % of {draws:,} bootstrap "
    "draws: over sentences (the same draws for every run), over seeds where a point has several, "
    "or over both. Two or three seeds give a rough interval only. All numbers are in per cent "
    "unless stated otherwise."
)
RUN_COLUMNS = (
    Column("run"),
    Column("scheme"),
    Column("seed", "count"),
    Column("variant", "yes"),
    Column("steps", "count"),
    Column("ended by"),
    Column("kept_with_eos", "share"),
    Column("typed_fraction", "share"),
    Column("exact match", "share"),
    Column("served", "share"),
    Column("top three", "share"),
    Column("loss, nats a token", "number"),
    Column("kept_with_eos, short", "share"),
    Column("typed_fraction, short", "share"),
    Column("exact match, short", "share"),
)


def section(sweep: Sweep, verdicts: Sequence[Verdict], command: str) -> Section:
    """Lay out the summary; `command` is the command that makes the page."""
    blocks: list[Block] = [
        Text(_sweep_text(sweep, command)),
        Text(METRICS_TEXT.format(draws=sweep.draws)),
        _claim_table(verdicts),
        _verdict_table(verdicts),
        _run_table(sweep),
    ]
    if sweep.results.gaps:
        rows = [(gap.name, gap.reason) for gap in sweep.results.gaps]
        columns = (Column("run"), Column("why"))
        blocks.append(Table("gaps", "Runs left out, and why", columns, rows))
    return Section("Verdicts", tuple(blocks))


def _sweep_text(sweep: Sweep, command: str) -> str:
    runs = sweep.results.runs
    whole, short = sweep.bootstraps
    scale = sweep_scale(runs)
    steps = [run.steps for run in scale.runs]
    flat = sum(run.ending == "flat" for run in scale.runs)
    return (
        f"{len(runs)} finished runs of {scale.units} units (the paper: 300), trained on "
        f"{scale.train_sentences:,} sentences (the paper: 500,000) for {min(steps):,} to "
        f"{max(steps):,} steps. {flat} of them stopped because their metrics no longer changed, "
        f"the others at their step limit. Evaluated on {whole.sentences:,} held-out sentences of "
        f"{whole.tokens_per_sentence:.1f} tokens on average, and on the {short.sentences:,} of at "
        f"most {short.max_tokens} tokens, {short.tokens_per_sentence:.1f} on average (the paper: "
        f"7). Made by: {command}"
    )


def _claim_table(verdicts: Sequence[Verdict]) -> Table:
    """Count rulings by claim."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for verdict in verdicts:
        counts.setdefault((verdict.item, verdict.claim), Counter())[verdict.ruling] += 1
    return Table(
        "claims",
        "Number of readings under which each claim holds",
        (Column("where"), Column("claim"), *(Column(name, "count") for name in RULINGS)),
        [(*claim, *(rulings[name] for name in RULINGS)) for claim, rulings in counts.items()],
    )


def _verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """List every verdict with the numbers on either side."""
    return Table(
        "verdicts",
        "Each claim under each reading, with the paper's numbers and ours",
        tuple(map(Column, ("where", "claim", "paper", "reading", "ours", "verdict"))),
        [
            (
                verdict.item,
                verdict.claim,
                verdict.paper,
                verdict.reading,
                verdict.ours,
                verdict.ruling,
            )
            for verdict in verdicts
        ],
    )


def _run_table(sweep: Sweep) -> Table:
    return Table(
        "runs",
        "Every finished run, on all test sentences and on those of the paper's length (short). A "
        "variant differs from most runs in more than objective and seed; it is on no curve",
        RUN_COLUMNS,
        [_run_row(sweep, run) for run in sweep.results.runs],
    )


def _run_row(sweep: Sweep, run: Run) -> Row:
    whole, short = sweep.bootstraps
    metrics = ("kept_with_eos", "typed_fraction", "exact_match", "exact_match_served", "top3")
    return (
        run.name,
        run.label,
        run.seed,
        run.is_variant,
        int(run.result["steps"]),
        str(run.result.get("ending")),
        *(whole.run_value(run, metric) for metric in metrics),
        float(run.evaluation["nll_per_token"]),
        *(short.run_value(run, metric) for metric in metrics[:3]),
    )
