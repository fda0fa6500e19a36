import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tersely_lab.benchmarks.latency import peer
from tersely_lab.benchmarks.latency.peer import main, time_queries


def test_every_query_is_completed_once_after_the_warm_up() -> None:
    completed: list[int] = []

    def complete(query: dict[str, int]) -> int:
        completed.append(query["length"])
        return query["length"]

    task = {"queries": [{"length": length} for length in (3, 4, 5)], "warm_up": 2}
    outcome = time_queries(task, complete)
    assert completed == [3, 4, 3, 4, 5]
    assert outcome["lengths"] == [3, 4, 5]
    assert len(outcome["seconds"]) == len(outcome["processor_seconds"]) == 3
    assert all(value >= 0 for value in outcome["seconds"])


def test_a_peer_gets_the_queries_of_the_task(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fake_peer(task: dict[str, Any]) -> tuple[peer.Complete, int]:
        return (lambda query: query["length"] + task["units"]), 77

    monkeypatch.setitem(peer.PEERS, "opennmt", fake_peer)
    task = {"queries": [{"length": 4}], "warm_up": 0, "units": 5}
    (tmp_path / "task.json").write_text(json.dumps(task))
    assert main(["opennmt", str(tmp_path / "task.json")]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["lengths"], outcome["parameters"]) == ([9], 77)


def test_the_script_imports_only_the_standard_library_and_peers() -> None:
    """It runs in venvs where tersely is not installed."""
    tree = ast.parse(Path(peer.__file__).read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in top
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
