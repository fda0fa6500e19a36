"""The page of a synthetic sweep: its summary, its sections, and the gaps they name."""

from lab.tests.reproduction.synthetic import synthetic_run, synthetic_sweep
from tersely.evaluation.tagging import accuracy, gold_lines
from tersely_lab.reproduction.document import Document, Table, Text
from tersely_lab.reproduction.report import make_document, reproduce
from tersely_lab.reproduction.runs import Gap, Run


def page_of(*runs: Run, gaps: tuple[Gap, ...] = ()) -> Document:
    sweep = synthetic_sweep(*runs, gaps=gaps, draws=100)
    return make_document(sweep, reproduce(sweep), "tersely report SWEEP --out DIR")


PAGE = page_of(
    synthetic_run("constrained", 0.4, 0.5, 0.5),
    synthetic_run("linear", 4.3, 0.5, 0.3, ending="step limit"),
    gaps=(Gap("unif-0.5", "not finished (no result.json)"),),
)
TEXT = " ".join(block.text for block in PAGE.blocks() if isinstance(block, Text))


def tables(page: Document) -> dict[str, Table]:
    return {block.name: block for block in page.blocks() if isinstance(block, Table)}


def test_every_item_of_the_paper_has_its_section() -> None:
    titles = " ".join(section.title for section in PAGE.sections)
    for item in ("figure 2", "figure 3", "Stability", "table 2", "figure 4", "table 3", "table 1"):
        assert item in titles
    assert "Restarts" in titles
    assert "appendix B" in titles


def test_the_summary_names_size_steps_and_command() -> None:
    first = PAGE.sections[0].blocks[0]
    assert isinstance(first, Text)
    for part in ("250,000 sentences", "600 to 600 steps", "1 of them stopped", "200 held-out"):
        assert part in first.text
    assert first.text.endswith("tersely report SWEEP --out DIR")


def test_gaps_are_named() -> None:
    assert tables(PAGE)["gaps"].rows == [("unif-0.5", "not finished (no result.json)")]
    assert "gaps" not in tables(page_of(synthetic_run("unif", 0.5, 0.5, 0.1)))


def test_a_single_run_is_enough_for_a_page() -> None:
    for kind, parameter in (("constrained", 0.4), ("linear", 4.3), ("unif", 0.5), ("stopword", 0)):
        page = tables(page_of(synthetic_run(kind, parameter, 0.5, 0.5)))
        for name in ("lead-over-linear", "lead-over-unif"):
            points = [column.title for column in page[name].columns].index("points")
            assert [row[points] for row in page[name].rows] == [None] * 4
        assert len(page["restarts"].rows) == 1  # the paper's
        assert len(page["epsilon"].rows) == (kind == "constrained")


def test_claims_are_counted_by_ruling() -> None:
    counts = [count for row in tables(PAGE)["claims"].rows for count in row[2:]]
    assert sum(count for count in counts if isinstance(count, int)) > 40
    assert sum(count for count in counts if isinstance(count, int)) == len(
        tables(PAGE)["verdicts"].rows
    )


def test_table_names_are_file_names_and_differ() -> None:
    named = [block for block in PAGE.blocks() if not isinstance(block, Text)]
    assert len({(type(block), block.name) for block in named}) == len(named)
    assert all(block.name.replace("-", "").isalnum() for block in named)


def test_the_taggers_accuracy_is_stated() -> None:
    assert f"{100 * accuracy(gold_lines()).share:.1f} %" in TEXT


def test_missing_data_are_named() -> None:
    assert "No pair of encoder and decoder was evaluated" in TEXT
    assert "No point has two finished seeds" in TEXT
    assert "No model was available" in TEXT
