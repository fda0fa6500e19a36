import numpy as np
import pytest

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from tersely.runtime.kernels.backend import log_softmax  # noqa: E402
from tersely.runtime.monotone import MonotoneRuntime  # noqa: E402
from tersely_lab.benchmarks.onnx_step import OnnxStep, quantised, step_graph  # noqa: E402
from tests.game.small_monotone import (  # noqa: E402
    MONOTONE_SHAPES,
    monotone_folder_of,
    small_monotone,
)


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
        assert np.abs(place[:, 0] - next_token.place).max() < 1e-5
        assert (
            np.abs(words - log_softmax(next_token.softmax.head_scores(state.hidden))).max() < 1e-5
        )


def test_int8_weights_are_near_and_not_the_same() -> None:
    model = monotone_folder_of(small_monotone(width=0.8))
    graph = step_graph(model)
    state = MonotoneRuntime(model).begin([["w7"]] * 2)
    fed = np.ascontiguousarray(state.projected[:: state.keywords.shape[1]])
    given = np.array([5, 6]), fed, state.hidden, state.cell
    exact, small = OnnxStep(graph.SerializeToString())(*given), OnnxStep(quantised(graph))(*given)
    assert 0 < np.abs(exact[0] - small[0]).max() < 0.01
