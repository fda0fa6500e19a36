"""`tersely keywords`: its output and its errors."""

import json
import shutil
from pathlib import Path

import pytest

from tersely.cli.main import main
from tersely.completion.completer import Completer
from tersely.text.tokens import detokenise
from tests.cli.broken_models import BROKEN_MODELS, broken_model
from tests.cli.invocation import invoke, invoke_in_subprocess

SENTENCE = "The waiter was friendly."


def test_each_token_has_a_line_and_typed_tokens_are_marked(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keywords", SENTENCE, "--model", str(trained), "--budget", "0.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    selected = Completer.load(trained).keywords(SENTENCE, 0.5)
    for line, token, kept in zip(lines, selected.tokens, selected.keep, strict=False):
        assert line.startswith(token)
        assert "%" in line
        assert line.endswith("typed") == kept
    assert lines[-3] == (" ".join(selected.keywords) or "(nothing)")
    assert lines[-2] == f"{sum(selected.keep)} of 6 tokens typed"
    typed = len(detokenise(selected.keywords))
    assert lines[-1] == f"{typed} of 24 characters typed, {1 - typed / 24:.0%} saved"


def test_json_contains_keywords_and_probabilities(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keywords", SENTENCE, "--model", str(trained), "--budget", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["keywords"] == ["<shift>", "the", "waiter", "was", "friendly", "."]
    assert [row["token"] for row in answer["tokens"]] == answer["keywords"]
    assert all(0 <= row["keep"] <= 1 for row in answer["tokens"])
    assert answer["typed_characters"] == answer["sentence_characters"] == len(SENTENCE)


@pytest.mark.parametrize("sentence", ["naïve 你好 🙂", "\u200b", "\x00", "word " * 50])
def test_any_text_is_accepted(
    sentence: str, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keywords", sentence, "--model", str(trained)]) == 0
    assert capsys.readouterr().out.strip().endswith("saved")


BAD = {
    "empty": [""],
    "white space": [" \n "],
    "not UTF-8": ["caf\udce9"],
    "zero budget": [SENTENCE, "--budget", "0"],
    "too large a budget": [SENTENCE, "--budget", "1.5"],
    "budget not a number": [SENTENCE, "--budget", "nan"],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_one_line_error(
    case: str, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(capsys, "keywords", *BAD[case], "--model", trained).is_one_line_error(2)


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN_MODELS)
def test_a_broken_model_is_a_one_line_error(
    kind: str, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = broken_model(kind, tmp_path, trained)
    assert invoke(capsys, "keywords", SENTENCE, "--model", model).is_one_line_error()


@pytest.mark.promise(25)
def test_a_missing_model_is_a_one_line_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, "keywords", SENTENCE, "--model", "nowhere").is_one_line_error(2)


def test_the_default_model_is_the_one_that_ships(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keywords", SENTENCE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["keywords"]


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_a_one_line_error(
    trained: Path, tmp_path: Path, without_privileges: list[str]
) -> None:
    model = shutil.copytree(trained / "model", tmp_path / "model")
    (model / "model.safetensors").chmod(0)
    commands = [["keywords", SENTENCE, "--model", model], ["complete", "late", "--model", model]]
    for result in invoke_in_subprocess(commands, before=without_privileges):
        assert result.is_one_line_error()
        assert "ermission" in result.message
