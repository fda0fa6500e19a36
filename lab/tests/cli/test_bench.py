import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lab.tests.benchmarks.frontier.test_benchmark import RUNS, small_bench
from lab.tests.benchmarks.frontier.test_tables import PNG, RESULTS
from lab.tests.benchmarks.test_specialists import some_figures
from tersely.cli.main import main
from tersely.corpus.dataset import PreparedCorpus
from tersely_lab.benchmarks import specialists
from tersely_lab.benchmarks.frontier import benchmark as frontier
from tersely_lab.benchmarks.frontier.benchmark import FrontierBench
from tersely_lab.benchmarks.measurement import Log
from tersely_lab.benchmarks.specialists import SpecialistsBench
from tersely_lab.cli.bench import BENCHMARKS
from tests.cli.invocation import invoke
from tests.game.small_monotone import monotone_folder_of, small_monotone


def test_bench_text_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "text", "--limit", "50", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert results["sentences"] == 50
    assert results["tokenising"]["tersely"]["restored"] == 50


def test_bench_text_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "text", "--limit", "50"]) == 0
    assert "sentences/s" in capsys.readouterr().out


def test_help_lists_the_benchmarks_without_importing_them() -> None:
    script = (
        "import sys; from tersely.cli.main import main\n"
        "try: main(['bench', '--help'])\n"
        "finally: print([name for name in sys.modules if 'tersely_lab.benchmarks' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert all(f"    {name}" in done.stdout for name in BENCHMARKS)
    assert done.stdout.splitlines()[-1] == "[]"


def test_every_benchmark_has_its_own_options_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    for name in BENCHMARKS:
        with pytest.raises(SystemExit) as stop:
            main(["bench", name, "--help"])
        assert stop.value.code == 0
        assert "--json" in capsys.readouterr().out


def test_bench_without_a_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["bench"])
    assert stop.value.code == 2
    assert "BENCH" in capsys.readouterr().err


@pytest.fixture
def options(tmp_path: Path) -> list[object]:
    """A sweep, a model and held-out sentences, as options."""
    bench = small_bench(tmp_path, sentences=9)
    (tmp_path / "test.txt").write_text("\n".join(bench.sentences) + "\n")
    return frontier_options(bench.sweep, bench.models[0], tmp_path / "test.txt")


def frontier_options(sweep: Path, model: Path, sentences: Path) -> list[object]:
    return ["bench", "frontier", "--sweep", sweep, "--model", model, "--sentences", sentences]


def unmeasured(tmp_path: Path) -> list[object]:
    """Options whose sweep and model do not exist."""
    (tmp_path / "test.txt").write_text("w5 w6\n\nw7\nw8 w9\n")
    return frontier_options(tmp_path / "sweep", tmp_path / "model", tmp_path / "test.txt")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[FrontierBench]:
    """The benchmarks requested; their results are made up."""
    benches: list[FrontierBench] = []

    def measure(bench: FrontierBench, log: Log) -> dict[str, Any]:
        benches.append(bench)
        log("measuring")
        return RESULTS

    monkeypatch.setattr(frontier, "measure", measure)
    return benches


def test_bench_frontier_prints_json(
    options: list[object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frontier, "BUDGETS", (0.2, 0.8))
    assert main([*map(str, options), "--limit", "7", "--others", "3", "--json"]) == 0
    output = capsys.readouterr()
    results = json.loads(output.out)
    assert results["sentences"] == 7
    assert [point["name"] for point in results["sweep"]] == list(RUNS)
    assert [point["budget"] for point in results["ours"]] == [0.2, 0.8]
    assert results["robustness"]["Unif(0.5)"]["ours"]["sentences"] == 3
    assert "first at 0.8" in output.err.splitlines()


def test_bench_frontier_prints_tables(
    tmp_path: Path, measured: list[FrontierBench], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*map(str, unmeasured(tmp_path))]) == 0
    output = capsys.readouterr()
    assert "| greedy | 0.35 | 50.0% | 20.0% | unif | 2.50 |" in output.out
    assert output.err == "measuring\n"
    assert not list(tmp_path.glob("*.png"))


def test_bench_frontier_draws_its_curves(
    tmp_path: Path, measured: list[FrontierBench], capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "frontier.png"
    assert main([*map(str, unmeasured(tmp_path)), "--plot", str(picture), "--json"]) == 0
    assert picture.read_bytes().startswith(PNG)
    assert json.loads(capsys.readouterr().out) == RESULTS


def test_bench_frontier_passes_its_options_on(
    tmp_path: Path, measured: list[FrontierBench]
) -> None:
    command = [*map(str, unmeasured(tmp_path)), "--model", str(tmp_path / "seed 2")]
    assert main([*command, "--limit", "2", "--others", "5"]) == 0
    assert main(command) == 0
    models = [tmp_path / "model", tmp_path / "seed 2"]
    assert measured == [
        FrontierBench(tmp_path / "sweep", models, ["w5 w6", "w7"], 5),
        FrontierBench(tmp_path / "sweep", models, ["w5 w6", "w7", "w8 w9"], 2000),
    ]


@pytest.mark.promise(25)
@pytest.mark.parametrize("is_there", [False, True])
def test_a_sweep_without_finished_runs_is_one_clear_line(
    is_there: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = unmeasured(tmp_path)
    if is_there:
        (tmp_path / "sweep" / "unif").mkdir(parents=True)
        (tmp_path / "sweep" / "unif" / "result.json").write_text("{}")
    result = invoke(capsys, *command)
    assert result.is_one_line_error(2)
    assert f"{tmp_path / 'sweep'}: no finished run" in result.message


@pytest.mark.promise(25)
@pytest.mark.parametrize("option", ["--limit", "--others"])
@pytest.mark.parametrize("number", [0, -3])
def test_numbers_below_one_are_refused(
    option: str,
    number: int,
    tmp_path: Path,
    measured: list[FrontierBench],
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = invoke(capsys, *unmeasured(tmp_path), option, number)
    assert result.is_one_line_error(2)
    assert f"{option} {number}: a number from 1 on." in result.message
    assert measured == []


@pytest.mark.promise(25)
@pytest.mark.parametrize("option", ["--model", "--sentences"])
def test_a_missing_path_is_named(
    option: str, options: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    options[options.index(option) + 1] = "nowhere"
    result = invoke(capsys, *options)
    assert result.is_one_line_error(2)
    assert "nowhere: " in result.message


def specialists_options(tmp_path: Path, corpus: Path) -> list[object]:
    places = {"--sweep": tmp_path / "sweep", "--model": tmp_path / "model", "--data": corpus}
    return ["bench", "specialists", *(part for pair in places.items() for part in pair)]


def test_bench_specialists_reads_the_test_sentences_of_the_corpus(
    tmp_path: Path,
    corpus: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    benches: list[SpecialistsBench] = []

    def measure(bench: SpecialistsBench, log: Log) -> dict[str, Any]:
        benches.append(bench)
        log("measuring")
        return some_figures()

    monkeypatch.setattr(specialists, "measure", measure)
    command = specialists_options(tmp_path, corpus)
    assert main([*map(str, command), "--limit", "7", "--json"]) == 0
    output = capsys.readouterr()
    assert json.loads(output.out)["sentences"] == 9031
    assert output.err == "measuring\n"
    assert main([*map(str, command)]) == 0
    assert "| Unif(0.3) | 0.30 | greedy | 20.0% |" in capsys.readouterr().out
    sentences = [*PreparedCorpus.open(corpus).sentences("test")]
    model = [tmp_path / "model"]
    assert benches == [
        SpecialistsBench(tmp_path / "sweep", model, sentences, limit) for limit in (7, None)
    ]


@pytest.mark.promise(25)
def test_bench_specialists_refuses_another_corpus(
    sweep: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monotone_folder_of(small_monotone()).save_pretrained(tmp_path / "model")
    command = specialists_options(tmp_path, corpus)
    command[command.index("--sweep") + 1] = sweep
    result = invoke(capsys, *command)
    assert result.is_one_line_error(2)
    assert "evaluated on other sentences" in result.message


@pytest.mark.promise(25)
@pytest.mark.parametrize("option", ["--sweep", "--model", "--data"])
def test_bench_specialists_names_a_missing_path(
    option: str, sweep: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monotone_folder_of(small_monotone()).save_pretrained(tmp_path / "model")
    command = specialists_options(tmp_path, corpus)
    command[command.index("--sweep") + 1] = sweep
    command[command.index(option) + 1] = "nowhere"
    result = invoke(capsys, *command)
    assert result.is_one_line_error(2)
    assert "nowhere: " in result.message
