import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

import numpy as np
import pytest

from tersely.cli.main import main
from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely_lab.benchmarks.runtimes import RuntimesBench, installed_bytes, measure, render
from tests.game.small_monotone import monotone_folder_of, small_monotone

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from tersely.runtime.kernels.backend import log_softmax  # noqa: E402
from tersely.runtime.monotone import MonotoneRuntime  # noqa: E402
from tersely_lab.benchmarks.runtimes import OnnxStep, quantise, step_graph  # noqa: E402
from tests.game.small_monotone import (  # noqa: E402
    MONOTONE_SHAPES,
)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    model = monotone_folder_of(small_monotone(width=0.8))
    return measure(RuntimesBench(model=model, rows=3, steps=4, rounds=2, imports=1))


def test_all_runtimes_take_turns_and_agree(results: dict[str, Any]) -> None:
    assert list(results["runtimes"]) == ["tersely", "onnxruntime", "onnxruntime, int8"]
    for row in results["runtimes"].values():
        assert len(row["rounds_microseconds"]) == 2
        assert row["microseconds_a_step"] > 0
    assert results["runtimes"]["tersely"]["greatest_difference"] == 0
    assert 0 < results["runtimes"]["onnxruntime"]["greatest_difference"] < 1e-5


def test_results_are_json_and_render_as_tables(results: dict[str, Any]) -> None:
    assert json.loads(json.dumps(results))["rows"] == 3
    text = render(results)
    assert "| tersely |" in text
    assert "| NumPy |" in text
    assert "1.00" in text
    assert "installed, MB" in text


def test_only_an_installed_package_has_a_size() -> None:
    assert installed_bytes("numpy") > 10_000_000
    assert installed_bytes("no-such-package-anywhere") == 0


def test_another_architecture_is_refused(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match=r'"paper"; a "monotone" one is needed'):
        measure(RuntimesBench(model=ModelFolder.from_pretrained(trained)))
    assert main(["bench", "runtimes", "--model", str(trained)]) == 2


def test_the_command_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monotone_folder_of(small_monotone(width=0.8)).save_pretrained(tmp_path / "m")
    command = ["bench", "runtimes", "--model", str(tmp_path / "m"), "--steps", "2", "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 2
    assert main([*command, "--rows", "0"]) == 2
    assert "--rows 0" in capsys.readouterr().err


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_a_step_in_onnxruntime_is_the_step_in_numpy(name: str) -> None:
    model = monotone_folder_of(small_monotone(MONOTONE_SHAPES[name], width=0.8))
    runtime = MonotoneRuntime(model)
    step = OnnxStep(step_graph(model).SerializeToString())
    state = runtime.begin([["w7", "w9"]] * 3)
    fed = np.ascontiguousarray(state.projected[:: state.keywords.shape[1]])
    hidden, cell = state.hidden, state.cell
    for last in ([5, 6, 8], [10, 10, 11]):
        state, next_token = runtime.step(state, np.array(last))
        hidden, cell, place, words = step(np.array(last), fed, hidden, cell)
        assert np.abs(hidden - state.hidden).max() < 1e-5
        assert np.abs(cell - state.cell).max() < 1e-5
        assert np.abs(place[:, 0] - next_token.place_logit).max() < 1e-5
        assert (
            np.abs(words - log_softmax(next_token.softmax.head_scores(state.hidden))).max() < 1e-5
        )


def test_int8_weights_give_similar_outputs() -> None:
    model = monotone_folder_of(small_monotone(width=0.8))
    graph = step_graph(model)
    state = MonotoneRuntime(model).begin([["w7"]] * 2)
    fed = np.ascontiguousarray(state.projected[:: state.keywords.shape[1]])
    inputs = np.array([5, 6]), fed, state.hidden, state.cell
    exact, small = OnnxStep(graph.SerializeToString())(*inputs), OnnxStep(quantise(graph))(*inputs)
    assert 0 < np.abs(exact[0] - small[0]).max() < 0.01
