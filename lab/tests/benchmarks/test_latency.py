import json
import stat
import sys
from pathlib import Path

import pytest

from tersely.cli.main import main
from tersely.corpus.fixture import fixture_sentences
from tersely.errors import TerselyError, UsageError
from tersely_lab.benchmarks import latency
from tersely_lab.benchmarks.latency import (
    ADAPTIVE,
    FULL,
    MODEL,
    OPENNMT,
    SERVED,
    T5,
    LatencyBench,
    measure,
    percentile,
    summarise,
    targets,
)
from tersely_lab.benchmarks.latency_tables import render
from tests.game.small_monotone import monotone_folder_of, small_monotone

PEER = """
import json, pathlib, sys
task = json.loads(pathlib.Path(sys.argv[3]).read_text())
lengths = [one["length"] + EXTRA for one in task["asked"]]
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
def bench(tmp_path_factory) -> LatencyBench:
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
def found(bench):
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(latency, "_install_peers", lambda *_: None)
        results = measure(bench, say=said.append)
    assert f"round 2 of 2: {T5}" in said
    return results


def test_everyone_is_measured_at_the_same_lengths(found) -> None:
    rows = found["contestants"]
    assert list(rows) == [SERVED, MODEL, FULL, ADAPTIVE, OPENNMT, T5]
    assert len({rows[name]["tokens"] for name in list(rows)[1:]}) == 1
    for row in rows.values():
        times = row["processor_ms"]
        assert 0 < times["p50"] <= times["p95"] <= times["p99"]
        assert row["peak_mib"] > 5
        assert row["multiply_adds_a_row"] > 0
    assert rows[OPENNMT]["processor_ms"]["p50"] == 400
    assert (rows[OPENNMT]["parameters"], rows[T5]["parameters"]) == (7, 9)


def test_targets_are_ratios_within_the_run(found) -> None:
    by_name = {row["name"]: row for row in found["targets"]}
    ratio = by_name["the model, times faster than the T5-small-sized"]
    assert ratio["measured"] == pytest.approx(
        400 / found["contestants"][MODEL]["processor_ms"]["p50"]
    )
    assert by_name["complete_batch, share of the rate of multiplying"]["measured"] == pytest.approx(
        found["batch"]["ideal_seconds"] / found["batch"]["processor_seconds"]
    )
    assert len(by_name) == 7  # the install was not weighed


def test_the_figures_are_json_and_print_as_tables(found) -> None:
    text = render(json.loads(json.dumps(found)))
    assert OPENNMT in text
    assert "`complete_batch` of 64" in text
    assert "The install was not weighed." in text
    assert "wanted ≥ 40" in text


def test_answers_of_another_length_are_no_contest(bench, tmp_path: Path, monkeypatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(latency, "_install_peers", lambda *_: None)
    cheating = replace(bench, peers=fake_peers(tmp_path, extra=-1))
    with pytest.raises(TerselyError, match=r"OpenNMT-py.*did not answer with as many tokens"):
        measure(cheating)


def made_up(served: float, t5: float, **changes) -> dict:
    rows = {SERVED: served, MODEL: 10.0, FULL: 20.0, ADAPTIVE: 10.0, OPENNMT: 40.0, T5: t5}
    return {
        "contestants": {name: {"processor_ms": {"p50": value}} for name, value in rows.items()},
        "batch": {"share_of_rate": 0.5},
        "cold_start": {"processor_seconds": {"ratio": 5.9}, "peak_mib": 150.0},
        "install": {"wheels_mb": 80.0},
        **changes,
    }


def test_targets_missed_are_said_to_be() -> None:
    reached = [row["reached"] for row in targets(made_up(served=9.9, t5=400.0))]
    assert reached == [True, False, True, True, False, True, True, False]
    assert not targets(made_up(served=10.0, t5=399.0))[0]["reached"]
    assert not targets(made_up(served=10.0, t5=399.0))[3]["reached"]
    fewer = made_up(served=1, t5=1, install=None)
    for name in (OPENNMT, T5):
        del fewer["contestants"][name]
    assert len(targets(fewer)) == 4


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(value) for value in range(1, 101)]
    assert [percentile(values, share) for share in (0.5, 0.95, 0.99)] == [50, 95, 99]
    assert percentile([7.0], 0.99) == 7
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
    found = summarise(rounds)
    assert found["peak_mib"] == 9
    assert found["processor_ms"] == {"p50": 2.0, "p95": 3.0, "p99": 3.0}


def test_a_model_that_is_not_there_is_said_plainly(bench, tmp_path: Path) -> None:
    from dataclasses import replace

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
def test_options_that_make_no_sense_are_refused(options, complaint, capsys) -> None:
    assert main(["bench", "latency", *options]) == 2
    assert complaint in capsys.readouterr().err


def test_the_command_prints_json(bench, monkeypatch, capsys, tmp_path: Path) -> None:
    asked: list[LatencyBench] = []

    def made(given: LatencyBench, say) -> dict:
        asked.append(given)
        return {"sets": given.count}

    monkeypatch.setattr(latency, "measure", made)
    command = [
        "bench",
        "latency",
        "--model",
        str(bench.model),
        "--sets",
        "6",
        "--no-peer",
        "--json",
    ]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == {"sets": 6}
    assert (asked[0].model, asked[0].peers, asked[0].rounds) == (bench.model, None, 3)
