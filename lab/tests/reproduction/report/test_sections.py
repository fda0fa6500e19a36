from lab.tests.reproduction.made import made_results, made_run
from tersely_lab.reproduction.analysis import analyse
from tersely_lab.reproduction.report.document import Table, Text
from tersely_lab.reproduction.report.sections import document
from tersely_lab.reproduction.runs import Gap

FOUND = analyse(
    made_results(
        made_run("constrained", 0.4, 0.5, 0.5),
        made_run("linear", 4.3, 0.5, 0.3, ending="step limit"),
        gaps=[Gap("unif-0.5", "not finished (no result.json)")],
    ),
    draws=100,
)
PAGE = document(FOUND, "tersely report SWEEP --out DIR")


def tables() -> dict[str, Table]:
    return {block.name: block for block in PAGE.blocks() if isinstance(block, Table)}


def test_every_item_of_the_paper_has_its_section() -> None:
    titles = " ".join(section.title for section in PAGE.sections)
    for word in ("figure 2", "figure 3", "Stability", "table 2", "figure 4", "table 3", "table 1"):
        assert word in titles
    assert "Restarts" in titles
    assert "appendix B" in titles


def test_the_opening_tells_size_steps_and_command() -> None:
    told = PAGE.sections[0].blocks[0]
    assert isinstance(told, Text)
    for part in ("250,000 sentences", "600 to 600 steps", "1 of them stopped", "200 held-out"):
        assert part in told.text
    assert told.text.endswith("tersely report SWEEP --out DIR")


def test_gaps_are_named() -> None:
    assert tables()["gaps"].rows == [("unif-0.5", "not finished (no result.json)")]
    complete = document(analyse(made_results(made_run("unif", 0.5, 0.5, 0.1)), draws=100), "")
    assert "gaps" not in {block.name for block in complete.blocks() if isinstance(block, Table)}


def test_claims_are_counted_by_verdict() -> None:
    counted = sum(sum(row[2:]) for row in tables()["claims"].rows)
    assert counted == len(tables()["verdicts"].rows) > 40


def test_table_names_are_file_names_and_differ() -> None:
    names = [block.name for block in PAGE.blocks() if not isinstance(block, Text)]
    kinds = [(type(block), block.name) for block in PAGE.blocks() if not isinstance(block, Text)]
    assert len(set(kinds)) == len(kinds)
    assert all(name.replace("-", "").isalnum() for name in names)


def test_the_taggers_accuracy_is_stated() -> None:
    told = " ".join(block.text for block in PAGE.blocks() if isinstance(block, Text))
    assert f"{100 * FOUND.tagger.share:.1f} %" in told


def test_what_is_missing_is_said_not_left_out() -> None:
    told = " ".join(block.text for block in PAGE.blocks() if isinstance(block, Text))
    assert "No pair of encoder and decoder was evaluated" in told
    assert "No setting has two finished seeds" in told
    assert "No model was at hand" in told
