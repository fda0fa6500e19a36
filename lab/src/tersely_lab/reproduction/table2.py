"""Table 2 and appendix D: robustness, every decoder on keywords of every encoder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from tersely.evaluation.outcomes import Bits
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.bootstrap import Interval, percentiles
from tersely_lab.reproduction.correlation import rank_correlation
from tersely_lab.reproduction.cross_decoding import EMPTY, Matrix, participants
from tersely_lab.reproduction.document import Block, Column, Row, Section, Table, Text
from tersely_lab.reproduction.runs import OBJECTIVES, Run
from tersely_lab.reproduction.sweep import Sweep
from tersely_lab.reproduction.verdicts import (
    Reproduction,
    Verdict,
    between,
    number,
    percent,
    ruling,
)

ITEM = "Table 2"
TITLE = "Robustness (table 2)"
MAX_RETENTION_DIFFERENCE = 0.05  # of two encoders that keep about as much, in kept_with_eos
MIN_AGREEMENT = 0.8


@dataclass(frozen=True, slots=True)
class RisingRetention:
    """A decoder on encoders of one objective, from few tokens to many."""

    decoder: str
    encoders: tuple[str, ...]
    bits: tuple[Bits, ...]

    @property
    def accuracies(self) -> list[float]:
        """Exact match, by rising retention."""
        return [float(bits.mean()) for bits in self.bits]

    @property
    def falls(self) -> int:
        """Number of steps to more tokens without more exact matches."""
        return sum(after <= before for before, after in pairwise(self.accuracies))

    @property
    def clear_falls(self) -> int:
        """Number of falls beyond the 95 % interval over sentences."""
        return sum(
            difference_interval(after, before)[1] < 0 for before, after in pairwise(self.bits)
        )


def reproduce(sweep: Sweep, matrix: Matrix | None) -> Reproduction:
    """Judge and show the matrix of encoders and decoders."""
    runs = participants(sweep.results)
    rising = rising_retentions(matrix or EMPTY, runs)
    return Reproduction(
        tuple(judge(matrix or EMPTY, runs, rising)),
        (section(sweep, matrix or EMPTY, runs, rising),),
    )


def rising_retentions(matrix: Matrix, runs: Sequence[Run]) -> list[RisingRetention]:
    """Return each decoder along the encoders of each objective."""
    rows = []
    for decoder, kind in product(runs, ("unif", "constrained")):
        encoders = sorted(
            (run for run in runs if run.kind == kind),
            key=lambda run: int(run.outcomes.typed.sum()),
        )
        decoded = [
            (encoder.label, bits)
            for encoder in encoders
            if (bits := matrix.bits(encoder, decoder)) is not None
        ]
        if len(decoded) > 1:
            labels, bits_by_encoder = zip(*decoded, strict=True)
            rows.append(RisingRetention(decoder.label, labels, bits_by_encoder))
    return rows


def difference_interval(first: Bits, second: Bits) -> Interval:
    """Return the 95 % interval of the difference of two accuracies on the same sentences."""
    signs = first.astype(int) - second.astype(int)
    # A draw's mean depends on nothing but how many sentences have −1, 0 and 1.
    shares = np.array([(signs == value).mean() for value in (-1, 0, 1)])
    counts = np.random.default_rng(1).multinomial(len(signs), shares, size=1000)
    means: npt.NDArray[np.float64] = (counts[:, 2] - counts[:, 0]) / len(signs)
    return percentiles(means)


def accuracy_on_other_keywords(
    matrix: Matrix, decoder: Run, encoders: Sequence[Run]
) -> float | None:
    """Return a decoder's mean accuracy on other encoders' keywords; None if a pair is missing."""
    values = [
        matrix.accuracy(encoder, decoder) for encoder in encoders if encoder.name != decoder.name
    ]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def judge(
    matrix: Matrix, runs: Sequence[Run], rising: Sequence[RisingRetention]
) -> Iterator[Verdict]:
    """Judge the claims about robustness."""
    unif = [run for run in runs if run.kind == "unif"]
    constrained = [run for run in runs if run.kind == "constrained"]
    yield from _better_keywords(matrix, unif, constrained)
    yield from _more_tokens_help(rising)
    yield _loosest_beats_tightest(matrix, constrained)
    yield _looser_is_more_robust(matrix, constrained)


def _kept(run: Run) -> float:
    return float(run.evaluation["kept_with_eos"])


def _better_keywords(matrix: Matrix, unif: list[Run], constrained: list[Run]) -> Iterator[Verdict]:
    pairs = [(rule, learned) for rule in unif for learned in constrained if rule.parameter == 0.5]
    nearest = min(pairs, key=lambda pair: abs(_kept(pair[0]) - _kept(pair[1])), default=None)
    ours, holds, factor, is_as_much = "no such pair of encoders", None, "no such pair", None
    if nearest is not None:
        rule, learned = nearest
        is_alike = abs(_kept(rule) - _kept(learned)) <= MAX_RETENTION_DIFFERENCE
        cells = [(run, matrix.accuracy(rule, run), matrix.accuracy(learned, run)) for run in unif]
        known = [(run, a, b) for run, a, b in cells if a is not None and b is not None]
        ours = (
            f"{rule.label} keeps {percent(_kept(rule))}, {learned.label} {percent(_kept(learned))}"
        )
        ours += "".join(f"; {run.label}: {percent(a)} → {percent(b)}" for run, a, b in known)
        holds = all(b > a for _, a, b in known) if known and is_alike else None
        for run, a, b in known:
            if run is rule and a:
                factor = f"{b / a:.2f} times ({percent(a)} → {percent(b)})"
                is_as_much = b / a >= 22.04 / 10.33 if is_alike else None
    claim = "Trained encoders select better keywords than Unif(0.5), for Unif decoders"
    limit = f"{100 * MAX_RETENTION_DIFFERENCE:.0f} points"
    reading = f"Constr encoder whose kept_with_eos is nearest, within {limit}"
    yield Verdict(
        ITEM,
        claim,
        "22.04 % against 10.33 %",
        f"{reading}; every Unif decoder",
        ours,
        ruling(holds),
    )
    yield Verdict(
        ITEM,
        f"{claim}: by 200 %",
        "22.04 / 10.33 = 2.13 times (not 3, as “by 200 %” would be)",
        f"{reading}; at least 2.13 times, Unif(0.5)'s own decoder",
        factor,
        ruling(is_as_much),
    )


def _more_tokens_help(rising: Sequence[RisingRetention]) -> Iterator[Verdict]:
    count = sum(len(row.bits) - 1 for row in rising)
    where = [f"{row.decoder} on {' → '.join(row.encoders)}" for row in rising if row.falls]
    for reading, falls in (
        (
            "each next encoder of a kind that keeps more, as measured",
            sum(row.falls for row in rising),
        ),
        (
            "the same; only falls beyond the 95 % interval over sentences count",
            sum(row.clear_falls for row in rising),
        ),
    ):
        yield Verdict(
            ITEM,
            "Decoders are robust to more tokens than they were trained on: more always help",
            "no fall in table 2",
            reading,
            f"{falls} falls in {count} steps"
            + (f" ({'; '.join(where)})" if falls and where else "")
            if count
            else "no pair was evaluated",
            ruling(falls == 0 if count else None),
        )


def _loosest_beats_tightest(matrix: Matrix, constrained: list[Run]) -> Verdict:
    ours, holds = "fewer than two Constr runs with their pairs evaluated", None
    if len(constrained) > 1:
        loose = max(constrained, key=lambda run: run.parameter)
        tight = min(constrained, key=lambda run: run.parameter)
        by_tight, by_loose = matrix.bits(tight, tight), matrix.bits(tight, loose)
        if by_tight is not None and by_loose is not None:
            interval = difference_interval(by_loose, by_tight)
            ours = (
                f"{loose.label} decoder {percent(float(by_loose.mean()))}, {tight.label}'s own "
                f"{percent(float(by_tight.mean()))} ({between(interval)})"
            )
            holds = interval[0] > 0
    return Verdict(
        ITEM,
        "Loose constraints are more robust",
        "Constr(0.8) decoder 38.31 %, Constr(0.2)'s own 23.90 % (appendix D prints 55.80 %, "
        "which is its retention)",
        "loosest decoder on the tightest encoder's keywords, against that encoder's own decoder",
        ours,
        ruling(holds),
    )


def _looser_is_more_robust(matrix: Matrix, constrained: list[Run]) -> Verdict:
    means = [(run, accuracy_on_other_keywords(matrix, run, constrained)) for run in constrained]
    known = [(run, mean) for run, mean in means if mean is not None]
    agreement = rank_correlation([run.parameter for run, _ in known], [mean for _, mean in known])
    return Verdict(
        ITEM,
        "Loose constraints are more robust",
        f"rank correlation {number(_agreement_in_paper())} in table 2",
        "rank correlation of ε with the mean exact match on the other Constr encoders' keywords, "
        f"at least {MIN_AGREEMENT}",
        f"{number(agreement)}: " + "; ".join(f"{run.label} {percent(mean)}" for run, mean in known)
        if agreement is not None
        else "fewer than three Constr decoders with all their pairs",
        ruling(None if agreement is None else agreement >= MIN_AGREEMENT),
    )


def _agreement_in_paper() -> float | None:
    schemes = [scheme for scheme in paper.DECODERS if scheme[0] == "constrained"]
    means = [
        np.mean([paper.exact_match(other, scheme) for other in schemes if other != scheme])
        for scheme in schemes
    ]
    return rank_correlation([epsilon for _, epsilon in schemes], means)


def section(
    sweep: Sweep, matrix: Matrix, runs: Sequence[Run], rising: Sequence[RisingRetention]
) -> Section:
    """Lay out the matrix on both subsets beside the paper's."""
    if not matrix.exact:
        return Section(TITLE, (Text("No pair of encoder and decoder was evaluated."),))
    blocks: list[Block] = [
        _matrix_table("matrix", matrix, runs, sweep.all_sentences.max_tokens),
        _paper_table(),
        _matrix_table("matrix-short", matrix, runs, sweep.short_sentences.max_tokens),
        _pair_table(matrix, runs),
        _rising_table(rising),
    ]
    if matrix.missing:
        reasons = "; ".join(f"{name}: {why}" for name, why in sorted(matrix.missing.items()))
        blocks.append(Text(f"Gaps in the table: {reasons}."))
    return Section(TITLE, tuple(blocks))


def _matrix_table(name: str, matrix: Matrix, runs: Sequence[Run], max_tokens: int) -> Table:
    """Show the matrix on those of its sentences that have at most `max_tokens` tokens."""
    inside = runs[0].outcomes.tokens[: matrix.sentences] <= max_tokens
    columns = (
        Column("encoder"),
        Column("kept_with_eos", "share"),
        Column("typed_fraction", "share"),
        *(Column(run.label, "share") for run in runs),
    )
    rows: list[Row] = []
    for encoder in runs:
        by_decoder = [matrix.bits(encoder, decoder) for decoder in runs]
        accuracies = [None if bits is None else float(bits[inside].mean()) for bits in by_decoder]
        rows.append((encoder.label, *_retention(encoder, inside), *accuracies))
    caption = (
        f"Exact match (greedy) of each decoder (columns) on each encoder's keywords (rows), for "
        f"the {inside.sum():,} sentences of at most {max_tokens} tokens among the first "
        f"{matrix.sentences:,} test sentences; retention on the same sentences"
    )
    return Table(name, caption, columns, rows)


def _retention(run: Run, inside: Bits) -> tuple[float, float]:
    """Return kept_with_eos and typed_fraction on some of the first sentences."""
    count = int(inside.sum())
    typed, tokens = (
        int(column[: len(inside)][inside].sum())
        for column in (run.outcomes.typed, run.outcomes.tokens)
    )
    return (typed + count) / (tokens + count), typed / tokens


def _paper_table() -> Table:
    labels = [f"{OBJECTIVES[kind].name}({parameter:g})" for kind, parameter in paper.DECODERS]
    columns = (
        Column("encoder"),
        Column("kept_with_eos", "share"),
        *(Column(label, "share") for label in labels),
    )
    rows: list[Row] = [
        (label, paper.KEPT_WITH_EOS[scheme], *paper.MATRIX[scheme])
        for label, scheme in zip(labels, paper.DECODERS, strict=True)
    ]
    return Table("matrix-paper", "The paper's table 2", columns, rows)


def _pair_table(matrix: Matrix, runs: Sequence[Run]) -> Table:
    columns = (
        Column("encoder"),
        Column("decoder"),
        Column("exact match", "share"),
        Column("95 %", "interval"),
        Column("paper", "share"),
    )
    rows: list[Row] = []
    for encoder, decoder in product(runs, runs):
        bits = matrix.bits(encoder, decoder)
        schemes = ((run.kind, run.parameter) for run in (encoder, decoder))
        rows.append(
            (
                encoder.label,
                decoder.label,
                matrix.accuracy(encoder, decoder),
                None if bits is None else difference_interval(bits, np.zeros_like(bits)),
                paper.exact_match(*schemes),
            )
        )
    caption = "Every pair with its 95 % interval over sentences, and the paper's number"
    return Table("matrix-cells", caption, columns, rows, is_shown=False)


def _rising_table(rising: Sequence[RisingRetention]) -> Table:
    columns = (
        Column("decoder"),
        Column("encoders, from few tokens to many"),
        Column("exact match"),
        Column("falls", "count"),
        Column("falls beyond the interval", "count"),
    )
    rows: list[Row] = [
        (
            row.decoder,
            " → ".join(row.encoders),
            " → ".join(f"{100 * accuracy:.2f}" for accuracy in row.accuracies),
            row.falls,
            row.clear_falls,
        )
        for row in rising
    ]
    caption = "Each decoder on encoders that keep more and more tokens"
    return Table("more-tokens", caption, columns, rows)
