import os
import subprocess
import sys

import pytest

from tersely.kernels import chosen

WITHOUT = """
import sys
sys.modules["tersely.kernels.compiled"] = None  # as if it had not been built
import tersely
print([one.text for one in tersely.Completer.load().complete("10 minutes late")])
from tersely.kernels import chosen
print(chosen.KIND)
"""


def run(code: str, kernels: str = "") -> list[str]:
    environment = {**os.environ, "TERSELY_KERNELS": kernels}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_without_a_compiler_numpy_suggests_the_same() -> None:
    compiled = run("import tersely; " + WITHOUT.splitlines()[4])
    plain = run(WITHOUT)
    assert plain[-1] == "numpy"
    assert plain[0] == compiled[0]
    assert "10 minutes late" in plain[0]


def test_numpy_can_be_asked_for() -> None:
    assert run("from tersely.kernels import chosen; print(chosen.KIND)", "numpy") == ["numpy"]


def test_what_was_built_is_used() -> None:
    compiled = pytest.importorskip("tersely.kernels.compiled", reason="there was no compiler")
    if os.environ.get("TERSELY_KERNELS") != "numpy":
        assert chosen.KIND == compiled.INSTRUCTIONS
