"""What the page is about, every verdict, every run, and what is missing."""

from collections import Counter

from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.claims import verdicts
from tersely_lab.reproduction.report.document import Block, Column, Section, Table, Text
from tersely_lab.reproduction.runs import Run
from tersely_lab.reproduction.verdicts import RULINGS

READ = (
    "typed_fraction is the share of tokens typed; kept_with_eos counts the end mark as one more "
    "token that is always kept, as the paper's table 2 does. Both are pooled over tokens. Exact "
    "match is greedy, as in the paper; “served” and “top three” come from a beam in which every "
    "keyword is contained. Intervals are the middle 95 % of {draws:,} draws, over sentences (the "
    "same draws for every run), over seeds where a point has several, and over both; of two or "
    "three seeds little can be drawn, so an interval over seeds is a rough one. All figures in "
    "per cent unless said otherwise."
)


def section(analysis: Analysis, command: str) -> Section:
    """Lay it out."""
    whole, short = analysis.samples
    scale = analysis.scale
    steps = [one.steps for one in scale.runs]
    flat = sum(run.is_flat for run in analysis.results.runs)
    blocks: list[Block] = [
        Text(
            f"{len(analysis.results.runs)} finished runs of a sweep, {scale.units} units where the "
            f"paper has 300, trained on {scale.train_sentences:,} sentences (the paper: 500,000), "
            f"{min(steps):,} to {max(steps):,} steps each; {flat} of them stopped because nothing "
            "moved any more, the others at their step limit. Judged on "
            f"{whole.sentences:,} held-out sentences of {whole.tokens_a_sentence:.1f} tokens, and "
            f"on the {short.sentences:,} of at most {short.max_tokens} tokens, which average "
            f"{short.tokens_a_sentence:.1f} (the paper's: 7). Made by: {command}"
        ),
        Text(READ.format(draws=whole.draws)),
        *_verdicts(analysis),
        _runs(analysis),
    ]
    if analysis.results.gaps:
        rows = [(gap.name, gap.reason) for gap in analysis.results.gaps]
        columns = (Column("run"), Column("why"))
        blocks.append(Table("gaps", "Runs that are missing from everything here", columns, rows))
    return Section("Verdicts", tuple(blocks))


def _verdicts(analysis: Analysis) -> tuple[Table, Table]:
    """A row a claim with how often it holds, and a row a reading with why."""
    found = verdicts(analysis)
    claims: dict[tuple[str, str], Counter[str]] = {}
    for one in found:
        claims.setdefault((one.item, one.claim), Counter())[one.ruling] += 1
    summary = Table(
        "claims",
        "Each claim, and under how many readings it holds",
        (Column("where"), Column("claim"), *(Column(name, "count") for name in RULINGS)),
        [(*claim, *(counts[name] for name in RULINGS)) for claim, counts in claims.items()],
    )
    readings = Table(
        "verdicts",
        "Each claim under each reading, with the figures on either side",
        tuple(map(Column, ("where", "claim", "paper", "reading", "ours", "verdict"))),
        [(one.item, one.claim, one.paper, one.reading, one.ours, one.ruling) for one in found],
    )
    return summary, readings


COLUMNS = (
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


def _runs(analysis: Analysis) -> Table:
    return Table(
        "runs",
        "Every finished run, on all test sentences and on those of the paper's length (short); a "
        "variant differs from the others in more than its point and is on no curve",
        COLUMNS,
        [_row(analysis, run) for run in analysis.results.runs],
    )


def _row(analysis: Analysis, run: Run) -> tuple[str | int | float | bool | None, ...]:
    whole, short = (sample.figures[run.name] for sample in analysis.samples)
    names = ("kept_with_eos", "typed_fraction", "exact_match", "exact_match_served", "top3")
    return (
        run.name,
        run.label,
        run.seed,
        run.is_variant,
        int(run.result["steps"]),
        str(run.result.get("ending")),
        *(float(whole[name][0]) for name in names),
        float(run.figures["nll_per_token"]),
        *(float(short[name][0]) for name in names[:3]),
    )
