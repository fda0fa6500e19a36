import json
from pathlib import Path
from typing import Any

import pytest

from tersely.cli.main import main
from tersely_lab.benchmarks.measurement import Log
from tersely_lab.benchmarks.serve import benchmark
from tersely_lab.benchmarks.serve.benchmark import ServeBench, distinct_keywords, measure, render


def test_all_sets_of_keywords_are_distinct() -> None:
    keywords = distinct_keywords(3000)
    assert len(keywords) == len(set(keywords)) == 3000
    assert all(2 <= len(words.split()) <= 4 for words in keywords)
    assert keywords == distinct_keywords(3000)
    assert keywords != distinct_keywords(3000, seed=2)


@pytest.fixture(scope="module")
def measured(trained: Path) -> dict[str, Any]:
    return measure(ServeBench(str(trained), requests=20, rounds=1), log=lambda line: None)


def test_both_services_are_measured_at_every_number_of_clients(measured: dict[str, Any]) -> None:
    for rows in measured["loops"].values():
        assert [row["clients"] for row in rows] == [1, 16, 64]
        for row in rows:
            assert row["answers"] == 20
            assert row["per_second"] > 0
            assert row["p50_milliseconds"] <= row["p95_milliseconds"] <= row["p99_milliseconds"]
    single = measured["one_client"]
    parts = single["library_p95_milliseconds"] + single["empty_route_p95_milliseconds"]
    expected = single["service_p95_milliseconds"] / parts
    assert single["times_library_and_empty_route"] == pytest.approx(expected, abs=0.01)


def test_results_are_shown_as_tables(measured: dict[str, Any]) -> None:
    shown = render(measured)
    assert "| tersely | 64 |" in shown
    assert "| plain route | 1 |" in shown
    assert f"{measured['times_the_throughput_at_64']} times the plain route" in shown


def test_the_command_prints_json(
    measured: dict[str, Any],
    trained: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    benches: list[ServeBench] = []

    def fake_measure(bench: ServeBench, log: Log) -> dict[str, Any]:
        benches.append(bench)
        return measured

    monkeypatch.setattr(benchmark, "measure", fake_measure)
    options = ["--model", str(trained), "--requests", "7", "--workers", "2"]
    assert main(["bench", "serve", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == measured
    assert benches == [ServeBench(str(trained), requests=7, workers=2)]
    assert main(["bench", "serve", "--model", str(trained), "--requests", "0"]) == 2
    assert main(["bench", "serve", "--model", "nowhere"]) == 2
