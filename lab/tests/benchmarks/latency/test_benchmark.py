import json
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tersely.cli.main import main
from tersely.corpus.fixture import fixture_sentences
from tersely.errors import TerselyError, UsageError
from tersely_lab.benchmarks.latency import benchmark
from tersely_lab.benchmarks.latency.benchmark import (
    ADAPTIVE,
    FULL,
    MODEL,
    OPENNMT,
    SERVED,
    T5,
    LatencyBench,
    measure,
    summarise,
    targets,
)
from tersely_lab.benchmarks.latency.tables import render
from tersely_lab.benchmarks.measurement import Log
from tests.game.small_monotone import monotone_folder_of, small_monotone

PEER = """
import json, pathlib, sys
task = json.loads(pathlib.Path(sys.argv[3]).read_text())
lengths = [query["length"] + EXTRA for query in task["queries"]]
print("a warning")
print(json.dumps({"seconds": [0.5] * len(lengths), "processor_seconds": [0.4] * len(lengths),
                  "lengths": lengths, "parameters": 9 if sys.argv[2] == "t5" else 7}))
"""


def fake_peers(folder: Path, extra: int = 0) -> Path:
    """Venvs whose Python is a script of ours that answers at once."""
    for venv in ("opennmt", "transformers"):
        program = folder / venv / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!{sys.executable}\n{PEER.replace('EXTRA', str(extra))}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> LatencyBench:
    folder = tmp_path_factory.mktemp("latency")
    monotone_folder_of(small_monotone(width=0.8)).save_pretrained(folder / "model")
    return LatencyBench(
        sentences=list(fixture_sentences(200)),
        model=folder / "model",
        count=6,
        rounds=2,
        warm_up=1,
        units=8,
        vocabulary=200,
        peers=fake_peers(folder / "peers"),
        starts=1,
        weigh_install=False,
    )


@pytest.fixture(scope="module")
def results(bench: LatencyBench) -> dict[str, Any]:
    messages: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(benchmark, "_install_peers", lambda *_: None)
        results = measure(bench, log=messages.append)
    assert f"round 2 of 2: {T5}" in messages
    return results


def test_all_candidates_are_measured_at_the_same_lengths(results: dict[str, Any]) -> None:
    rows = results["contestants"]
    assert list(rows) == [SERVED, MODEL, FULL, ADAPTIVE, OPENNMT, T5]
    assert len({rows[name]["tokens"] for name in list(rows)[1:]}) == 1
    for row in rows.values():
        times = row["processor_ms"]
        assert 0 < times["p50"] <= times["p95"] <= times["p99"]
        assert row["peak_mib"] > 5
        assert row["multiply_adds_a_row"] > 0
    assert rows[OPENNMT]["processor_ms"]["p50"] == 400
    assert (rows[OPENNMT]["parameters"], rows[T5]["parameters"]) == (7, 9)


def test_targets_are_ratios_within_the_run(results: dict[str, Any]) -> None:
    by_name = {row["name"]: row for row in results["targets"]}
    ratio = by_name["the model, times faster than the T5-small-sized"]
    assert ratio["measured"] == pytest.approx(
        400 / results["contestants"][MODEL]["processor_ms"]["p50"]
    )
    assert by_name["complete_batch, share of the rate of multiplying"]["measured"] == pytest.approx(
        results["batch"]["ideal_seconds"] / results["batch"]["processor_seconds"]
    )
    assert len(by_name) == 7  # the install was not weighed


def test_results_are_json_and_render_as_tables(results: dict[str, Any]) -> None:
    text = render(json.loads(json.dumps(results)))
    assert OPENNMT in text
    assert "`complete_batch` of 64" in text
    assert "The size of the install was not measured." in text
    assert "target ≥ 40" in text


def test_suggestions_of_another_length_are_refused(
    bench: LatencyBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "_install_peers", lambda *_: None)
    cheating = replace(bench, peers=fake_peers(tmp_path, extra=-1))
    with pytest.raises(TerselyError, match=r"OpenNMT-py.*do not have the lengths"):
        measure(cheating)


def made_up(served: float, t5: float, **changes: Any) -> dict[str, Any]:
    rows = {SERVED: served, MODEL: 10.0, FULL: 20.0, ADAPTIVE: 10.0, OPENNMT: 40.0, T5: t5}
    return {
        "contestants": {name: {"processor_ms": {"p50": value}} for name, value in rows.items()},
        "batch": {"share_of_rate": 0.5},
        "cold_start": {"processor_seconds": {"ratio": 5.9}, "peak_mib": 150.0},
        "install": {"wheels_mb": 80.0},
        **changes,
    }


def test_missed_targets_are_reported() -> None:
    reached = [row["reached"] for row in targets(made_up(served=9.9, t5=400.0))]
    assert reached == [True, False, True, True, False, True, True, False]
    assert not targets(made_up(served=10.0, t5=399.0))[0]["reached"]
    assert not targets(made_up(served=10.0, t5=399.0))[3]["reached"]
    fewer = made_up(served=1, t5=1, install=None)
    for name in (OPENNMT, T5):
        del fewer["contestants"][name]
    assert len(targets(fewer)) == 4


def test_percentiles_are_taken_over_all_rounds() -> None:
    rounds = [
        {
            "parameters": 1,
            "peak_mib": peak,
            "lengths": [4],
            "seconds": [2.0],
            "processor_seconds": [s],
        }
        for peak, s in ((5, 0.001), (9, 0.003), (8, 0.002))
    ]
    results = summarise(rounds)
    assert results["peak_mib"] == 9
    assert results["processor_ms"] == {"p50": 2.0, "p95": 3.0, "p99": 3.0}


def test_a_missing_model_is_one_clear_error(bench: LatencyBench, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such model folder"):
        measure(replace(bench, model=tmp_path / "none", peers=None))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--sets", "0"], "--sets 0"),
        (["--rounds", "-1"], "--rounds -1"),
        (["--peers", "x", "--no-peer"], "exclude each other"),
        (["--sentences", "none.txt"], "none.txt"),
    ],
)
def test_invalid_options_are_refused(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "latency", *options]) == 2
    assert complaint in capsys.readouterr().err


def test_the_command_prints_json(
    bench: LatencyBench,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    benches: list[LatencyBench] = []

    def fake_measure(requested: LatencyBench, log: Log) -> dict[str, Any]:
        benches.append(requested)
        return {"sets": requested.count}

    monkeypatch.setattr(benchmark, "measure", fake_measure)
    command = ["bench", "latency", "--model", str(bench.model), "--sets", "6", "--no-peer"]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"sets": 6}
    assert (benches[0].model, benches[0].peers, benches[0].rounds) == (bench.model, None, 3)
