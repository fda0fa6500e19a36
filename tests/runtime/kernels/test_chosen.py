import os
import subprocess
import sys

import pytest

from tersely.runtime.kernels import chosen

WITHOUT = """
import sys
sys.modules["tersely.runtime.kernels.compiled"] = None  # as if it had not been built
import tersely
completer = tersely.Completer.load()
print([one.text for one in completer.complete("10 minutes late")])
print([one.text for one in completer.complete("!!!", 10)])
from tersely.runtime.kernels import chosen
print(chosen.KIND)
"""


def run(code: str, kernels: str = "") -> list[str]:
    environment = {**os.environ, "TERSELY_KERNELS": kernels}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_without_a_compiler_numpy_suggests_the_same() -> None:
    compiled = run(
        WITHOUT.replace('sys.modules["tersely.runtime.kernels.compiled"] = None', "pass")
    )
    plain = run(WITHOUT)
    assert plain[-1] == "numpy"
    assert plain[:-1] == compiled[:-1]
    assert "10 minutes late" in plain[0]


def test_numpy_can_be_asked_for() -> None:
    assert run("from tersely.runtime.kernels import chosen; print(chosen.KIND)", "numpy") == [
        "numpy"
    ]


def test_another_name_is_refused() -> None:
    environment = {**os.environ, "TERSELY_KERNELS": "nunpy"}
    command = [sys.executable, "-m", "tersely", "complete", "late"]
    done = subprocess.run(command, env=environment, capture_output=True)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("tersely: TERSELY_KERNELS is 'nunpy'; it can be numpy")


def test_kernels_of_another_version_are_not_used() -> None:
    pytest.importorskip("tersely.runtime.kernels.compiled", reason="there was no compiler")
    stale = "from tersely.runtime.kernels import compiled; compiled.INTERFACE = 0; "
    told = run(stale + "from tersely.runtime.kernels import chosen; print(chosen.KIND)")
    assert told == ["numpy"]


def test_what_was_built_is_used() -> None:
    compiled = pytest.importorskip(
        "tersely.runtime.kernels.compiled", reason="there was no compiler"
    )
    if os.environ.get("TERSELY_KERNELS") != "numpy":
        assert chosen.KIND == compiled.INSTRUCTIONS
