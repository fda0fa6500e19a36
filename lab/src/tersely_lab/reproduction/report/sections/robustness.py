"""Table 2: encoders × decoders."""

from tersely.evaluation.outcomes import Bits
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.report.document import Block, Column, Section, Table, Text, Value
from tersely_lab.reproduction.robustness import Matrix, given_more_tokens
from tersely_lab.reproduction.runs import Run

TITLE = "Robustness (table 2)"


def section(analysis: Analysis) -> Section:
    """Lay it out."""
    matrix = analysis.matrix
    if matrix is None or not matrix.exact:
        return Section(TITLE, (Text("No pair of encoder and decoder was evaluated."),))
    blocks: list[Block] = [
        _ours(analysis, matrix, analysis.samples[0].max_tokens, "matrix"),
        _papers(),
        _ours(analysis, matrix, analysis.samples[1].max_tokens, "matrix-short"),
        _cells(analysis, matrix),
    ]
    blocks.append(_steps(analysis, matrix))
    if matrix.missing:
        told = "; ".join(f"{name}: {why}" for name, why in sorted(matrix.missing.items()))
        blocks.append(Text(f"Gaps in the table: {told}."))
    return Section(TITLE, tuple(blocks))


def _ours(analysis: Analysis, matrix: Matrix, max_tokens: int, name: str) -> Table:
    """On those of the matrix's sentences that have at most so many tokens."""
    lengths = analysis.paired[0].outcomes.tokens[: matrix.sentences]
    inside = lengths <= max_tokens
    columns = (
        Column("encoder"),
        Column("kept_with_eos", "share"),
        Column("typed_fraction", "share"),
        *(Column(run.label, "share") for run in analysis.paired),
    )
    rows: list[tuple[Value, ...]] = []
    for encoder in analysis.paired:
        kept, typed = _retention(encoder, inside)
        bits = (matrix.exact.get((encoder.name, decoder.name)) for decoder in analysis.paired)
        cells = (None if own is None else float(own[inside].mean()) for own in bits)
        rows.append((encoder.label, kept, typed, *cells))
    caption = (
        f"Exact match, greedy, of each decoder (columns) on each encoder's keywords (rows), on the "
        f"{inside.sum():,} of at most {max_tokens} tokens among the first {matrix.sentences:,} "
        "test sentences; retention on these"
    )
    return Table(name, caption, columns, rows)


def _retention(run: Run, inside: Bits) -> tuple[float, float]:
    own, count = run.outcomes, int(inside.sum())
    typed, tokens = (int(row[: len(inside)][inside].sum()) for row in (own.typed, own.tokens))
    return (typed + count) / (tokens + count), typed / tokens


def _name(scheme: paper.Scheme) -> str:
    return f"{'Unif' if scheme[0] == 'unif' else 'Constr'}({scheme[1]:g})"


def _papers() -> Table:
    columns = (
        Column("encoder"),
        Column("kept_with_eos", "share"),
        *(Column(_name(scheme), "share") for scheme in paper.DECODERS),
    )
    rows: list[tuple[Value, ...]] = [
        (_name(scheme), paper.KEPT_WITH_EOS[scheme], *paper.MATRIX[scheme])
        for scheme in paper.DECODERS
    ]
    return Table("matrix-paper", "The paper's table 2", columns, rows)


def _cells(analysis: Analysis, matrix: Matrix) -> Table:
    columns = (
        Column("encoder"),
        Column("decoder"),
        Column("exact match", "share"),
        Column("95 %", "interval"),
        Column("paper", "share"),
    )
    rows: list[tuple[Value, ...]] = []
    for encoder in analysis.paired:
        for decoder in analysis.paired:
            bits = matrix.exact.get((encoder.name, decoder.name))
            rows.append(
                (
                    encoder.label,
                    decoder.label,
                    None if bits is None else float(bits.mean()),
                    None if bits is None else matrix.interval(encoder.name, decoder.name),
                    paper.exact_match(
                        (encoder.kind, encoder.parameter), (decoder.kind, decoder.parameter)
                    ),
                )
            )
    caption = "Every pair with its interval over sentences, the paper's figure beside it"
    return Table("matrix-cells", caption, columns, rows, is_shown=False)


def _steps(analysis: Analysis, matrix: Matrix) -> Table:
    columns = (
        Column("decoder"),
        Column("encoders, from few tokens to many"),
        Column("exact match"),
        Column("falls", "count"),
        Column("falls beyond the interval", "count"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            one.decoder,
            " → ".join(one.encoders),
            " → ".join(f"{100 * value:.2f}" for value in one.accuracies),
            one.falls,
            one.clear_falls,
        )
        for one in given_more_tokens(matrix, analysis.paired)
    ]
    return Table("more-tokens", "Does a decoder gain from more tokens?", columns, rows)
