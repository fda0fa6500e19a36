"""`tersely evaluate` as a person meets it."""

import json
import shutil
from pathlib import Path

import pytest

from tersely.cli.evaluate import LABELS
from tersely.cli.main import main
from tersely.corpus.fixture import fixture_sentences
from tersely.evaluation.metrics import FIGURES
from tersely.evaluation.outcomes import from_json
from tests.cli.broken import BROKEN, broken_model
from tests.cli.calling import call, call_elsewhere

LONG = " ".join(["word"] * 30)


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "test.txt"
    path.write_text("\n".join([*fixture_sentences(60), "", LONG]) + "\n", encoding="utf-8")
    return path


def figures(capsys, *arguments: object) -> dict:
    assert main(["evaluate", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_person_gets_a_table_and_examples(trained: Path, sentences: Path, capsys) -> None:
    command = ["evaluate", "--model", trained, "--sentences", sentences, "--examples", 2]
    assert main(list(map(str, command))) == 0
    said = capsys.readouterr()
    assert all(label in said.out for label in LABELS.values())
    assert "1 longer ones left out" in said.out
    assert said.out.count("    1. ") == 2
    assert "sentence/s" in said.err  # the progress bar
    assert LABELS.keys() == FIGURES.keys()


def test_json_tells_every_figure_with_its_interval(trained: Path, sentences: Path, capsys) -> None:
    found = figures(capsys, "--model", trained, "--sentences", sentences, "--budget", 0.4)
    assert (found["sentences"], found["left_out_too_long"]) == (60, 1)
    for name in FIGURES:
        low, high = found["intervals"][name]
        assert low <= found[name] <= high
        assert name in found["length_matched"]
    assert found["length_matched"]["max_tokens"] <= 16
    assert 0.2 < found["typed_fraction"] < 0.6


def test_figures_can_be_recomputed_from_the_predictions(
    trained: Path, sentences: Path, tmp_path: Path, capsys
) -> None:
    out = tmp_path / "new" / "predictions.jsonl"
    found = figures(
        capsys, "--model", trained, "--sentences", sentences, "--budget", 0.4, "--predictions", out
    )
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["sentence"] for row in rows] == list(fixture_sentences(60))
    tokens, kept = sum(row["tokens"] for row in rows), sum(len(row["keywords"]) for row in rows)
    assert found["typed_fraction"] == pytest.approx(kept / tokens)
    assert found["kept_with_eos"] == pytest.approx((kept + 60) / (tokens + 60))
    assert found["exact_match"] == sum(row["exact"] for row in rows) / 60
    assert found["nll_per_token"] == pytest.approx(sum(row["nll"] for row in rows) / (tokens + 60))


def test_outcomes_hold_the_counts_and_no_sentence(
    trained: Path, sentences: Path, tmp_path: Path, capsys
) -> None:
    out, predictions = tmp_path / "outcomes.json", tmp_path / "predictions.jsonl"
    asked = ["--model", trained, "--sentences", sentences, "--budget", 0.4]
    figures(capsys, *asked, "--outcomes", out, "--predictions", predictions)
    found = from_json(json.loads(out.read_text(encoding="utf-8")))
    rows = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
    assert found.typed.tolist() == [len(row["keywords"]) for row in rows]
    assert found.exact.tolist() == [row["exact"] for row in rows]
    text = out.read_text(encoding="utf-8")
    assert not [row for row in rows if row["tokens"] > 5 and row["sentence"] in text]


def test_only_so_many_and_only_so_long(trained: Path, sentences: Path, capsys) -> None:
    asked = ["--model", trained, "--sentences", sentences]
    assert figures(capsys, *asked, "--limit", 7)["sentences"] == 7
    short = figures(capsys, *asked, "--max-tokens", 8)
    assert short["sentences"] + short["left_out_too_long"] == 61
    assert short["tokens_a_sentence"] <= 8
    assert figures(capsys, *asked, "--max-tokens", 40)["left_out_too_long"] == 0


BAD = {
    "missing file": ["--sentences", "no.txt"],
    "empty file": ["--sentences", "empty.txt"],
    "empty lines": ["--sentences", "blank.txt"],
    "binary file": ["--sentences", "binary.txt"],
    "a folder": ["--sentences", "."],
    "too long sentences": ["--sentences", "long.txt"],
    "no budget": ["--budget", "0"],
    "too large a budget": ["--budget", "7"],
    "no sentences": ["--limit", "0"],
    "no tokens": ["--max-tokens", "0"],
    "fewer than no examples": ["--examples", "-1"],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_loses_nothing(
    case: str, trained: Path, sentences: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(sentences.parent)
    Path("empty.txt").write_bytes(b"")
    Path("blank.txt").write_bytes(b"\n \n")
    Path("binary.txt").write_bytes(bytes(range(256)) * 20)
    Path("long.txt").write_text(LONG)
    Path("out.jsonl").write_text("precious")
    whole = ["evaluate", "--model", trained, "--sentences", "test.txt"]
    assert call(capsys, *whole, "--predictions", "out.jsonl", *BAD[case]).failed_plainly(2)
    assert Path("out.jsonl").read_text() == "precious"
    assert not [path for path in Path().iterdir() if path.name.startswith(".out")]


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_model_is_one_clear_line(
    kind: str, trained: Path, sentences: Path, tmp_path: Path, capsys
) -> None:
    model = broken_model(kind, tmp_path, trained)
    assert call(capsys, "evaluate", "--model", model, "--sentences", sentences).failed_plainly()


@pytest.mark.promise(25)
def test_predictions_that_cannot_be_written_are_one_clear_line(
    trained: Path, sentences: Path, tmp_path: Path, capsys
) -> None:
    (tmp_path / "folder").mkdir()
    command = ["evaluate", "--model", trained, "--sentences", sentences, "--limit", 2]
    for out in (tmp_path / "folder", sentences / "inside.jsonl"):
        for option in ("--predictions", "--outcomes"):
            assert call(capsys, *command, option, out).failed_plainly()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "test.txt"]


@pytest.mark.promise(25)
def test_a_full_disk_is_said_plainly_and_loses_nothing(
    trained: Path, sentences: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    command = ["evaluate", "--model", trained, "--sentences", sentences, "--predictions", out]
    [called] = call_elsewhere([command], largest_file=1000)
    assert called.failed_plainly(1)
    assert out.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "test.txt"]


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_said_plainly(
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
    for called in call_elsewhere(commands, before=without_privileges):
        assert called.failed_plainly()
        assert "ermission" in called.complaint
