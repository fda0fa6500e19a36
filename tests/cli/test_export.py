"""`tersely export`: weight types, the card, calibration and errors."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tersely.cli.main import main
from tersely.completion.completer import Completer
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize
from tests.cli.broken_models import BROKEN_MODELS, broken_model
from tests.cli.invocation import file_contents, invoke, invoke_in_subprocess


def export(run: Path, out: Path, *options: str) -> int:
    return main(["export", str(run), "--out", str(out), *options])


def stored(folder: Path) -> set[str]:
    return {
        row["dtype"] for row in json.loads((folder / "config.json").read_text())["tensors"].values()
    }


@pytest.fixture
def wide(tmp_path: Path, trained: Path) -> Path:
    """A model with a matrix large enough to be compressed; the trained one has none."""
    model = ModelFolder.from_pretrained(trained)
    spare = np.random.default_rng(1).normal(size=(80, 64)).astype(np.float32)
    tensors = {**model.tensors, "spare": spare}
    replace(model, tensors=tensors).save_pretrained(tmp_path / "wide")
    return tmp_path / "wide"


@pytest.mark.parametrize(
    ("options", "kinds"),
    [([], {"F32", "F16"}), (["--int8"], {"F32", "I8"}), (["--float32"], {"F32"})],
)
def test_weights_are_stored_in_the_requested_type(
    options: list[str],
    kinds: set[str],
    wide: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert export(wide, tmp_path / "out", *options) == 0
    assert stored(tmp_path / "out") == kinds
    kind = options[0][2:] if options else "float16"
    assert f"as {kind}" in capsys.readouterr().out
    assert f"stored as {kind}" in (tmp_path / "out" / "README.md").read_text()


def test_an_exported_run_completes_as_the_run_does(trained: Path, tmp_path: Path) -> None:
    assert export(trained, tmp_path / "out", "--float32") == 0
    run, exported = Completer.load(trained), Completer.load(tmp_path / "out")
    assert run.complete("waiter friendly") == exported.complete("waiter friendly")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "README.md", "config.json", "model.safetensors", "vocab.txt",
    ]  # fmt: skip


def test_a_compact_model_can_be_exported_again(wide: Path, tmp_path: Path) -> None:
    assert export(wide, tmp_path / "a", "--int8") == 0
    assert export(tmp_path / "a", tmp_path / "b", "--int8") == 0
    first, second = (ModelFolder.from_pretrained(tmp_path / name).tensors for name in "ab")
    assert first.keys() == second.keys()
    assert np.array_equal(dequantize(first["spare"]), dequantize(second["spare"]))


def test_the_card_contains_the_given_text_and_facts(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "about.md").write_text("# Notes\n\nMine.\n")
    facts = ["--corpus", "my notes", "--attribution", "Ann", "--licence", "CC0"]
    assert export(trained, tmp_path / "out", "--card", str(tmp_path / "about.md"), *facts) == 0
    card = (tmp_path / "out" / "README.md").read_text()
    assert card.startswith(
        "# Notes\n\nMine.\n\n- Corpus: my notes\n- Attribution: Ann\n- Licence: CC0\n"
    )
    assert "Steps trained" in card


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN_MODELS)
def test_a_broken_model_is_a_one_line_error(
    kind: str, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = broken_model(kind, tmp_path, trained)
    assert invoke(capsys, "export", model, "--out", tmp_path / "out").is_one_line_error()
    assert not (tmp_path / "out").exists()


BAD_CARDS = {"missing": None, "empty": b" \n", "binary": bytes(range(256))}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD_CARDS)
def test_a_bad_card_is_a_one_line_error(
    case: str, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = tmp_path / "card.md"
    content = BAD_CARDS[case]
    if content is not None:
        card.write_bytes(content)
    result = invoke(capsys, "export", trained, "--out", tmp_path / "out", "--card", card)
    assert result.is_one_line_error(2)
    assert "card.md" in result.message
    assert not (tmp_path / "out").exists()


@pytest.mark.promise(25)
def test_a_folder_that_is_not_a_model_is_not_overwritten(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    assert invoke(capsys, "export", trained, "--out", tmp_path / "out").is_one_line_error(2)
    assert file_contents(tmp_path) == {str(tmp_path / "out" / "thesis.tex"): b"years of work"}


@pytest.mark.promise(25)
def test_a_run_is_not_exported_onto_itself(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = shutil.copytree(trained, tmp_path / "run")
    before = file_contents(run)
    for out in (run, run / "model", run / "." / "model"):
        assert invoke(capsys, "export", run, "--out", out).is_one_line_error(2)
    assert file_contents(run) == before


@pytest.mark.promise(25)
def test_two_weight_types_are_a_usage_error(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        export(trained, tmp_path / "out", "--int8", "--float16")
    assert exit_.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.promise(25)
def test_a_full_disk_leaves_the_existing_folder_unchanged(trained: Path, tmp_path: Path) -> None:
    assert export(trained, tmp_path / "out") == 0
    before = file_contents(tmp_path)
    commands = [["export", trained, "--out", tmp_path / "out", "--float32"]]
    [result] = invoke_in_subprocess(commands, max_file_bytes=1000)
    assert result.is_one_line_error(1)
    assert file_contents(tmp_path) == before


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_a_one_line_error(
    trained: Path, tmp_path: Path, without_privileges: list[str]
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    commands = [["export", trained, "--out", locked / "out"]]
    [result] = invoke_in_subprocess(commands, before=without_privileges)
    assert result.is_one_line_error(1)
    assert "ermission" in result.message


def test_scores_are_calibrated_on_held_out_sentences(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "dev.txt").write_text("The waiter was friendly.\nThe soup was cold.\n")
    assert export(trained, tmp_path / "out", "--calibrate", str(tmp_path / "dev.txt")) == 0
    settings = ModelFolder.from_pretrained(tmp_path / "out").settings
    assert set(settings["calibration"]) == {"slope", "behind", "offset"}
    plain, fitted = Completer.load(trained), Completer.load(tmp_path / "out")
    before, after = plain.complete("waiter")[0], fitted.complete("waiter")[0]
    assert before.score != pytest.approx(after.score, rel=1e-2)


def test_scores_can_be_calibrated_on_a_prepared_corpus(
    trained: Path, corpus: Path, tmp_path: Path
) -> None:
    assert export(trained, tmp_path / "out", "--calibrate", str(corpus)) == 0
    settings = ModelFolder.from_pretrained(tmp_path / "out").settings
    assert settings["calibration"]["slope"] > 0


def test_calibration_without_sentences_is_a_usage_error(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dev.txt").write_text("\n")
    result = invoke(
        capsys, "export", trained, "--out", tmp_path / "out", "--calibrate", tmp_path / "dev.txt"
    )
    assert result.is_one_line_error(2)
    assert not (tmp_path / "out").exists()
