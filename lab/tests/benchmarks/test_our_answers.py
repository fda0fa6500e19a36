import json
from pathlib import Path
from typing import Any

import pytest

from tersely.corpus.fixture import fixture_sentences
from tersely_lab.benchmarks.asked import ask
from tersely_lab.benchmarks.our_answers import main

ASKED = ask(list(fixture_sentences(200)), 8)


@pytest.fixture
def outcome(tmp_path: Path, trained: Path, capsys):
    def run(kind: str, **changes: Any) -> tuple[int, dict[str, Any]]:
        task = {
            "asked": [one.as_dict() for one in ASKED],
            "width": 5,
            "count": 3,
            "warm_up": 1,
            "units": 8,
            "vocabulary": 200,
            "model": str(trained),
            **changes,
        }
        (tmp_path / "task.json").write_text(json.dumps(task))
        code = main([kind, str(tmp_path / "task.json")])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize("kind", ["model", "full", "adaptive"])
def test_answers_have_the_lengths_asked(kind: str, outcome) -> None:
    code, found = outcome(kind)
    assert code == 0
    assert found["lengths"] == [one.length for one in ASKED]
    assert found["parameters"] > 0
    # One step a word and one for the end.
    assert found["work"]["steps"] == sum(one.length + 1 for one in ASKED)
    assert found["work"]["multiply_adds"] > 0


def test_as_served_an_answer_is_as_long_as_it_gets(outcome) -> None:
    code, found = outcome("served")
    assert code == 0
    assert len(found["lengths"]) == len(ASKED)
    assert all(
        length >= len(one.keywords) for length, one in zip(found["lengths"], ASKED, strict=True)
    )


def test_a_batch_tells_its_time_and_its_products(outcome) -> None:
    code, found = outcome("batch")
    assert code == 0
    assert found["answers"] == 8
    assert found["processor_seconds"] > 0
    assert {"rows", "k", "n", "calls"} == set(found["work"]["products"][0])


def test_a_model_that_is_not_there_is_said_plainly(outcome, tmp_path: Path) -> None:
    code, found = outcome("served", model=str(tmp_path / "none"))
    assert code == 2
    assert "no such model folder" in found["error"]
