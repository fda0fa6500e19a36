import ast
import json
import sys
from pathlib import Path

import pytest

from tersely_lab.benchmarks import answers
from tersely_lab.benchmarks.answers import main, time_answers


def test_every_question_is_answered_once_after_the_warm_up() -> None:
    said: list[int] = []

    def answer(asked: dict[str, int]) -> int:
        said.append(asked["length"])
        return asked["length"]

    task = {"asked": [{"length": length} for length in (3, 4, 5)], "warm_up": 2}
    found = time_answers(task, answer)
    assert said == [3, 4, 3, 4, 5]
    assert found["lengths"] == [3, 4, 5]
    assert len(found["seconds"]) == len(found["processor_seconds"]) == 3
    assert all(value >= 0 for value in found["seconds"])


def test_a_peer_is_asked_as_the_task_says(monkeypatch, tmp_path: Path, capsys) -> None:
    def peer(task: dict[str, int]):
        return (lambda asked: asked["length"] + task["units"]), 77

    monkeypatch.setitem(answers.PEERS, "opennmt", peer)
    task = {"asked": [{"length": 4}], "warm_up": 0, "units": 5}
    (tmp_path / "task.json").write_text(json.dumps(task))
    assert main(["opennmt", str(tmp_path / "task.json")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["lengths"], found["parameters"]) == ([9], 77)


def test_the_script_imports_nothing_that_a_peer_has_not() -> None:
    """It runs in venvs where tersely is not installed."""
    tree = ast.parse(Path(answers.__file__).read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in top
    }
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    assert "tersely" not in {
        (node.module or "").split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }


def test_an_unknown_peer_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text("{}")
    with pytest.raises(KeyError):
        main(["marian", str(tmp_path / "task.json")])
