from pathlib import Path

import pytest

from lab.tests.reproduction.synthetic import synthetic_run
from tersely_lab.reproduction.runs import read_results
from tersely_lab.reproduction.table1 import (
    Completion,
    Examples,
    make_examples,
    normalise,
    read_examples,
    write_examples,
)


def completion(*suggestions: str) -> Completion:
    return Completion("run", "Constr(0.6)", "Great find!", "over", "great find", suggestions)


def test_the_end_mark_and_capitals_do_not_count() -> None:
    assert normalise("Great find for casual dining!") == normalise(
        "great find for casual dining..."
    )
    assert normalise("Great find.") != normalise("A great find.")


def test_a_sentence_is_ranked_among_the_suggestions() -> None:
    assert completion("A find.", "great find.", "Great find!").rank == 2
    assert completion("A find.").rank is None


def test_models_complete_the_papers_keywords(sweep: Path) -> None:
    [run] = [run for run in read_results(sweep).runs if run.name == "constrained-0.8"]
    examples = make_examples([run], ["One of mine."])
    assert [one.keywords for one in examples.completed][:2] == ["wonderful", "she wonderful"]
    assert all(len(one.suggestions) == 3 for one in examples.completed)
    assert [one.sentence for one in examples.illustrations] == [
        "I will be 10 minutes late.",
        "One of mine.",
    ]


def test_examples_are_read_back_as_written(tmp_path: Path, sweep: Path) -> None:
    examples = make_examples(read_results(sweep).runs[:1], [])
    write_examples(examples, tmp_path / "examples.json")
    assert read_examples(tmp_path / "examples.json") == examples


def test_without_models_there_are_no_examples() -> None:
    assert make_examples([synthetic_run("constrained", 0.4, 0.5, 0.5)], []) == Examples((), ())


@pytest.mark.parametrize(
    "text", ["", "[]", '{"completed": [{}], "illustrations": []}', '{"completed": [7]}']
)
def test_malformed_examples_are_not_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    path.write_text(text)
    assert read_examples(path) is None
