"""`tersely evaluate`: metrics, output files and errors."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tersely.cli.evaluate import LABELS
from tersely.cli.main import main
from tersely.corpus.fixture import fixture_sentences
from tersely.evaluation.metrics import METRICS
from tersely.evaluation.outcomes import from_json
from tests.cli.broken_models import BROKEN_MODELS, broken_model
from tests.cli.invocation import invoke, invoke_in_subprocess

LONG = " ".join(["word"] * 30)


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "test.txt"
    path.write_text("\n".join([*fixture_sentences(60), "", LONG]) + "\n", encoding="utf-8")
    return path


def evaluate(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["evaluate", *map(str, arguments), "--json"]) == 0
    metrics: dict[str, Any] = json.loads(capsys.readouterr().out)
    return metrics


def test_metrics_are_printed_as_a_table_with_examples(
    trained: Path, sentences: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", "--model", trained, "--sentences", sentences, "--examples", 2]
    assert main(list(map(str, command))) == 0
    output = capsys.readouterr()
    assert all(label in output.out for label in LABELS.values())
    assert "1 longer ones left out" in output.out
    assert output.out.count("    1. ") == 2
    assert output.err == ""  # no progress bar in a pipe
    assert LABELS.keys() == METRICS.keys()


def test_json_contains_every_metric_with_its_interval(
    trained: Path, sentences: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = evaluate(capsys, "--model", trained, "--sentences", sentences, "--budget", 0.4)
    assert (metrics["sentences"], metrics["left_out_too_long"]) == (60, 1)
    for name in METRICS:
        low, high = metrics["intervals"][name]
        assert low <= metrics[name] <= high
        assert name in metrics["length_matched"]
    assert metrics["length_matched"]["max_tokens"] <= 16
    assert 0.2 < metrics["typed_fraction"] < 0.6


def test_metrics_can_be_recomputed_from_the_predictions(
    trained: Path, sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "predictions.jsonl"
    metrics = evaluate(
        capsys, "--model", trained, "--sentences", sentences, "--budget", 0.4, "--predictions", out
    )
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["sentence"] for row in rows] == list(fixture_sentences(60))
    tokens, kept = sum(row["tokens"] for row in rows), sum(len(row["keywords"]) for row in rows)
    assert metrics["typed_fraction"] == pytest.approx(kept / tokens)
    assert metrics["kept_with_eos"] == pytest.approx((kept + 60) / (tokens + 60))
    assert metrics["exact_match"] == sum(row["exact"] for row in rows) / 60
    assert metrics["nll_per_token"] == pytest.approx(
        sum(row["nll"] for row in rows) / (tokens + 60)
    )


def test_outcomes_contain_counts_and_no_sentence(
    trained: Path, sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, predictions = tmp_path / "outcomes.json", tmp_path / "predictions.jsonl"
    arguments = ["--model", trained, "--sentences", sentences, "--budget", 0.4]
    evaluate(capsys, *arguments, "--outcomes", out, "--predictions", predictions)
    outcomes = from_json(json.loads(out.read_text(encoding="utf-8")))
    rows = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
    assert outcomes.typed.tolist() == [len(row["keywords"]) for row in rows]
    assert outcomes.exact.tolist() == [row["exact"] for row in rows]
    text = out.read_text(encoding="utf-8")
    assert not [row for row in rows if row["tokens"] > 5 and row["sentence"] in text]


def test_the_number_and_the_length_of_sentences_can_be_limited(
    trained: Path, sentences: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--model", trained, "--sentences", sentences]
    assert evaluate(capsys, *arguments, "--limit", 7)["sentences"] == 7
    short = evaluate(capsys, *arguments, "--max-tokens", 8)
    assert short["sentences"] + short["left_out_too_long"] == 61
    assert short["tokens_a_sentence"] <= 8
    assert evaluate(capsys, *arguments, "--max-tokens", 40)["left_out_too_long"] == 0


BAD = {
    "missing file": ["--sentences", "no.txt"],
    "empty file": ["--sentences", "empty.txt"],
    "empty lines": ["--sentences", "blank.txt"],
    "binary file": ["--sentences", "binary.txt"],
    "a folder": ["--sentences", "."],
    "too long sentences": ["--sentences", "long.txt"],
    "zero budget": ["--budget", "0"],
    "too large a budget": ["--budget", "7"],
    "zero limit": ["--limit", "0"],
    "zero tokens": ["--max-tokens", "0"],
    "negative examples": ["--examples", "-1"],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_one_line_error_and_changes_no_file(
    case: str,
    trained: Path,
    sentences: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(sentences.parent)
    Path("empty.txt").write_bytes(b"")
    Path("blank.txt").write_bytes(b"\n \n")
    Path("binary.txt").write_bytes(bytes(range(256)) * 20)
    Path("long.txt").write_text(LONG)
    Path("out.jsonl").write_text("precious")
    whole = ["evaluate", "--model", trained, "--sentences", "test.txt"]
    assert invoke(capsys, *whole, "--predictions", "out.jsonl", *BAD[case]).is_one_line_error(2)
    assert Path("out.jsonl").read_text() == "precious"
    assert not [path for path in Path().iterdir() if path.name.startswith(".out")]


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN_MODELS)
def test_a_broken_model_is_a_one_line_error(
    kind: str, trained: Path, sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = broken_model(kind, tmp_path, trained)
    assert invoke(
        capsys, "evaluate", "--model", model, "--sentences", sentences
    ).is_one_line_error()


@pytest.mark.promise(25)
def test_an_output_that_cannot_be_written_is_a_one_line_error(
    trained: Path, sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    command = ["evaluate", "--model", trained, "--sentences", sentences, "--limit", 2]
    for out in (tmp_path / "folder", sentences / "inside.jsonl"):
        for option in ("--predictions", "--outcomes"):
            assert invoke(capsys, *command, option, out).is_one_line_error()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "test.txt"]


@pytest.mark.promise(25)
def test_a_full_disk_is_a_one_line_error_and_changes_no_file(
    trained: Path, sentences: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    command = ["evaluate", "--model", trained, "--sentences", sentences, "--predictions", out]
    [result] = invoke_in_subprocess([command], max_file_bytes=1000)
    assert result.is_one_line_error(1)
    assert out.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "test.txt"]


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_a_one_line_error(
    trained: Path, sentences: Path, tmp_path: Path, without_privileges: list[str]
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    secret = Path(shutil.copy(sentences, tmp_path / "secret.txt"))
    secret.chmod(0)
    commands = [
        ["evaluate", "--model", trained, "--sentences", secret],
        ["evaluate", "--model", trained, "--sentences", sentences, "--predictions", locked / "p"],
    ]
    for result in invoke_in_subprocess(commands, before=without_privileges):
        assert result.is_one_line_error()
        assert "ermission" in result.message
