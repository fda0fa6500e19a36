import json
import sys

import pytest

from tersely.errors import TerselyError, UsageError
from tersely_lab.benchmarks.contestant import run_contestant


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_the_last_line_is_the_outcome_and_memory_is_told() -> None:
    code = "x = bytearray(60 << 20); print('loading'); print('{\"seconds\": [1]}')"
    found = run_contestant(python(code), name="Ours", is_peer=False)
    assert found["seconds"] == [1]
    assert 60 < found["peak_mib"] < 1000


@pytest.mark.parametrize("is_peer", [True, False])
def test_one_thread_for_all_and_our_path_for_ours_alone(is_peer: bool, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/ours")
    code = (
        "import json, os; print(json.dumps({'path': os.environ.get('PYTHONPATH'),"
        "'threads': os.environ['OMP_NUM_THREADS'] + os.environ['OPENBLAS_NUM_THREADS']}))"
    )
    found = run_contestant(python(code), name="Some", is_peer=is_peer)
    assert found["threads"] == "11"
    assert found["path"] == (None if is_peer else "/ours")


def test_a_peer_that_fails_is_said_plainly() -> None:
    with pytest.raises(TerselyError, match=r"Peer failed \(No module named onmt\).*--no-peer"):
        run_contestant(
            python("raise SystemExit('No module named onmt')"), name="Peer", is_peer=True
        )
    with pytest.raises(TerselyError, match=r"Ours failed \(no output\)"):
        run_contestant(python("raise SystemExit(3)"), name="Ours", is_peer=False)


def test_an_error_told_in_json_is_passed_on() -> None:
    error = json.dumps({"error": "x: no such model folder."})
    with pytest.raises(UsageError, match=r"^x: no such model folder\.$"):
        run_contestant(python(f"print({error!r})"), name="Ours", is_peer=False)
