import json
from pathlib import Path

import pytest

from lab.tests.reproduction.made import made_run
from tersely_lab.reproduction.examples import (
    Completed,
    Examples,
    as_json,
    make_examples,
    plain,
    read_examples,
)
from tersely_lab.reproduction.runs import read_results


def completed(*suggestions: str) -> Completed:
    return Completed("run", "Constr(0.6)", "Great find!", "over", "great find", suggestions)


def test_the_end_mark_and_capitals_do_not_count() -> None:
    assert plain("Great find for casual dining!") == plain("great find for casual dining...")
    assert plain("Great find.") != plain("A great find.")


def test_the_place_of_a_sentence_is_told() -> None:
    assert completed("A find.", "great find.", "Great find!").place == 2
    assert completed("A find.").place is None


def test_models_complete_the_papers_keywords(sweep: Path) -> None:
    [run] = [run for run in read_results(sweep).runs if run.name == "constrained-0.8"]
    found = make_examples([run], ["One of mine."])
    assert [one.keywords for one in found.completed][:2] == ["wonderful", "she wonderful"]
    assert all(len(one.suggestions) == 3 for one in found.completed)
    assert [one.sentence for one in found.illustrations] == [
        "I will be 10 minutes late.",
        "One of mine.",
    ]


def test_examples_survive_their_file(tmp_path: Path, sweep: Path) -> None:
    found = make_examples(read_results(sweep).runs[:1], [])
    path = tmp_path / "examples.json"
    path.write_text(json.dumps(as_json(found)))
    assert read_examples(path) == found


def test_without_models_there_are_none() -> None:
    assert make_examples([made_run("constrained", 0.4, 0.5, 0.5)], []) == Examples((), ())


@pytest.mark.parametrize("text", ["", "[]", '{"completed": [{}], "illustrations": []}'])
def test_what_is_no_example_is_none(text: str, tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    path.write_text(text)
    assert read_examples(path) is None
