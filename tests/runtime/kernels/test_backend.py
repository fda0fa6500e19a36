import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from tersely.runtime.arrays import Floats
from tersely.runtime.kernels import backend, numpy_backend
from tersely.runtime.kernels.numpy_backend import TopK

TopKFunction = Callable[[Floats, int], TopK]

COMPLETE = """
import sys
HIDE
import tersely
completer = tersely.Completer.load()
print([suggestion.text for suggestion in completer.complete("10 minutes late")])
print([suggestion.text for suggestion in completer.complete("!!!", 10)])
from tersely.runtime.kernels import backend
print(backend.BACKEND)
"""
PRINT_BACKEND = "from tersely.runtime.kernels import backend; print(backend.BACKEND)"


def run(code: str, kernels: str = "") -> list[str]:
    environment = {**os.environ, "TERSELY_KERNELS": kernels}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_without_a_compiler_numpy_suggests_the_same() -> None:
    compiled = run(COMPLETE.replace("HIDE", ""))
    hide = 'sys.modules["tersely.runtime.kernels.compiled"] = None'
    without = run(COMPLETE.replace("HIDE", hide))
    assert without[-1] == "numpy"
    assert without[:-1] == compiled[:-1]
    assert "10 minutes late" in without[0]


def test_the_environment_selects_a_backend() -> None:
    assert run(PRINT_BACKEND, "numpy") == ["numpy"]
    pytest.importorskip("tersely.runtime.kernels.compiled", reason="no compiler at installation")
    assert run(PRINT_BACKEND, "generic") == ["generic"]
    assert run(PRINT_BACKEND, "any") == ["generic"], "its older name"


def test_an_unknown_backend_is_refused() -> None:
    environment = {**os.environ, "TERSELY_KERNELS": "nunpy"}
    command = [sys.executable, "-m", "tersely", "complete", "late"]
    done = subprocess.run(command, env=environment, capture_output=True)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("tersely: TERSELY_KERNELS is 'nunpy'; it can be numpy")


def test_kernels_of_another_version_are_not_used() -> None:
    pytest.importorskip("tersely.runtime.kernels.compiled", reason="no compiler at installation")
    stale = "from tersely.runtime.kernels import compiled; compiled.INTERFACE = 0; "
    assert run(stale + PRINT_BACKEND) == ["numpy"]


def test_compiled_kernels_are_used() -> None:
    compiled = pytest.importorskip(
        "tersely.runtime.kernels.compiled", reason="no compiler at installation"
    )
    if os.environ.get("TERSELY_KERNELS") != "numpy":
        assert compiled.INSTRUCTIONS == backend.BACKEND


@pytest.mark.parametrize("top_k", [numpy_backend.top_k, backend.top_k], ids=["numpy", "in use"])
def test_top_k_is_best_first_and_of_equals_the_first(top_k: TopKFunction) -> None:
    rng = np.random.default_rng(2)
    for columns in (1, 2, 5, 33, 100, 1002):
        for distinct in (2, 5, 1000):  # few distinct values: many ties, also at the boundary
            scores = rng.integers(0, distinct, (7, columns)).astype(np.float32)
            scores[rng.random(scores.shape) < 0.1] = -np.inf
            scores[rng.random(scores.shape) < 0.05] = np.nan
            scores[3] = 1.0
            for count in (1, 4, 13, columns, columns + 1):
                ids, values = top_k(scores, count)
                expected_ids, expected_values = top_k_by_sorting(scores, count)
                assert np.array_equal(ids, expected_ids)
                assert np.array_equal(values, expected_values)


def top_k_by_sorting(scores: Floats, count: int) -> tuple[list[list[int]], list[list[float]]]:
    count = min(count, scores.shape[1])
    ids, values = [], []
    for row in scores.tolist():
        best = sorted((-score, at) for at, score in enumerate(row) if score > -np.inf)[:count]
        padding = count - len(best)
        ids.append([at for _, at in best] + [0] * padding)
        values.append([-score for score, _ in best] + [-np.inf] * padding)
    return ids, values


def test_top_k_of_no_columns_is_empty() -> None:
    for top_k in (numpy_backend.top_k, backend.top_k):
        ids, values = top_k(np.zeros((3, 0), np.float32), 2)
        assert ids.shape == values.shape == (3, 0)
