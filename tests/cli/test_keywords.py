"""`tersely keywords` as a person meets it."""

import json
import shutil
from pathlib import Path

import pytest

from tersely.cli.keywords import typed_characters
from tersely.cli.main import main
from tersely.completion.completer import Completer
from tersely.text.tokens import detokenise
from tests.cli.broken import BROKEN, broken_model
from tests.cli.calling import call, call_elsewhere

SENTENCE = "The waiter was friendly."


def test_each_token_has_its_line_and_what_is_typed_is_marked(trained: Path, capsys) -> None:
    assert main(["keywords", SENTENCE, "--model", str(trained), "--budget", "0.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    chosen = Completer.load(trained).keywords(SENTENCE, 0.5)
    for line, token, kept in zip(lines, chosen.tokens, chosen.keep, strict=False):
        assert line.startswith(token)
        assert "%" in line
        assert line.endswith("typed") == kept
    assert lines[-3] == (" ".join(chosen.keywords) or "(nothing)")
    assert lines[-2] == f"{sum(chosen.keep)} of 6 tokens typed"
    typed = len(detokenise(chosen.keywords))
    assert lines[-1] == f"{typed} of 24 characters typed, {1 - typed / 24:.0%} saved"


@pytest.mark.parametrize(
    ("keywords", "typed"),
    [([], 0), (["late"], 4), (["10", "late"], 7), (["<shift>", "paris", "."], 6)],
)
def test_blanks_are_typed_and_a_capital_is_one_key(keywords: list[str], typed: int) -> None:
    assert typed_characters(keywords) == typed


def test_json_tells_keywords_and_probabilities(trained: Path, capsys) -> None:
    assert main(["keywords", SENTENCE, "--model", str(trained), "--budget", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["keywords"] == ["<shift>", "the", "waiter", "was", "friendly", "."]
    assert [row["token"] for row in answer["tokens"]] == answer["keywords"]
    assert all(0 <= row["keep"] <= 1 for row in answer["tokens"])
    assert answer["typed_characters"] == answer["sentence_characters"] == len(SENTENCE)


@pytest.mark.parametrize("sentence", ["naïve 你好 🙂", "\u200b", "\x00", "word " * 50])
def test_any_sentence_will_do(sentence: str, trained: Path, capsys) -> None:
    assert main(["keywords", sentence, "--model", str(trained)]) == 0
    assert capsys.readouterr().out.strip().endswith("saved")


BAD = {
    "no sentence": [""],
    "white space": [" \n "],
    "no UTF-8": ["caf\udce9"],
    "no budget": [SENTENCE, "--budget", "0"],
    "too large a budget": [SENTENCE, "--budget", "1.5"],
    "a budget that is no number": [SENTENCE, "--budget", "nan"],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line(case: str, trained: Path, capsys) -> None:
    assert call(capsys, "keywords", *BAD[case], "--model", trained).failed_plainly(2)


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_model_is_one_clear_line(kind: str, trained: Path, tmp_path: Path, capsys) -> None:
    model = broken_model(kind, tmp_path, trained)
    assert call(capsys, "keywords", SENTENCE, "--model", model).failed_plainly()


@pytest.mark.promise(25)
def test_no_such_model_is_one_clear_line(capsys) -> None:
    assert call(capsys, "keywords", SENTENCE, "--model", "nowhere").failed_plainly(2)


def test_without_a_model_the_one_that_ships_chooses(capsys) -> None:
    assert main(["keywords", SENTENCE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["keywords"]


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_said_plainly(
    trained: Path, tmp_path: Path, without_privileges: list[str]
) -> None:
    model = shutil.copytree(trained / "model", tmp_path / "model")
    (model / "model.safetensors").chmod(0)
    commands = [["keywords", SENTENCE, "--model", model], ["complete", "late", "--model", model]]
    for called in call_elsewhere(commands, before=without_privileges):
        assert called.failed_plainly()
        assert "ermission" in called.complaint
