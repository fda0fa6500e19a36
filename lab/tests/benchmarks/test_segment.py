import json
from typing import Any

import pytest

from tersely.cli.main import main
from tersely_lab.benchmarks import segment
from tersely_lab.benchmarks.segment import Case, boundaries, measure, read_cases, render, score


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    return measure(names=("tersely", "sentencex"), seconds=0.05)


def test_there_are_enough_cases_in_two_equal_halves() -> None:
    cases = read_cases()
    halves = [sum(case.half == half for case in cases) for half in ("dev", "test")]
    assert len(cases) >= 120
    assert halves[0] == halves[1] == len(cases) / 2


def test_every_kind_of_difficulty_is_in_both_halves() -> None:
    kinds = {half: {c.kind for c in read_cases() if c.half == half} for half in ("dev", "test")}
    assert kinds["dev"] == kinds["test"]


def test_passages_are_distinct_and_have_no_empty_sentence() -> None:
    cases = read_cases()
    assert len({case.text for case in cases}) == len(cases)
    assert all(sentence.strip() for case in cases for sentence in case.sentences)


def test_boundaries_do_not_count_white_space_or_the_end() -> None:
    assert boundaries(["One. ", "\n Two.", "Three"]) == {4, 8}
    assert boundaries(["One."]) == boundaries([]) == set()


def test_the_gold_segmentation_has_an_f1_of_1() -> None:
    cases = read_cases()
    gold = {case.text: case.sentences for case in cases}
    scores = score(gold.__getitem__, cases)
    assert scores["f1"] == scores["precision"] == scores["recall"] == 1
    assert scores["exact"] == scores["passages"] == len(cases)


def test_missed_wrong_and_altered_boundaries_are_counted_separately() -> None:
    cases = [Case("dev", "plain", ("A b.", " C."))]
    assert score(lambda text: [text], cases)["recall"] == 0
    assert score(lambda text: ["A", " b.", " C."], cases)["precision"] == 0.5
    assert score(lambda text: ["A b.", " X."], cases)["altered"] == 1


def test_tersely_beats_the_library_it_builds_on(measured: dict[str, Any]) -> None:
    ours, theirs = measured["candidates"]["tersely"], measured["candidates"]["sentencex"]
    for half in ("dev", "test"):
        assert ours[half]["f1"] > theirs[half]["f1"] + 0.05
        assert ours[half]["f1"] > 0.95
        assert ours[half]["altered"] == 0


def test_tersely_segments_thousands_of_sentences_a_second(measured: dict[str, Any]) -> None:
    assert measured["candidates"]["tersely"]["sentences_per_second"] > 4_000


def test_a_library_that_is_absent_is_listed_as_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent() -> segment.Segmenter:
        raise ModuleNotFoundError("no such library")

    monkeypatch.setitem(segment.CANDIDATES, "absent", absent)
    table = render(measure(names=("absent",), seconds=0))
    assert "| absent | not installed |" in table


def test_the_tables_name_every_library_and_kind(measured: dict[str, Any]) -> None:
    table = render(measured)
    for case in read_cases():
        assert f"| {case.kind} |" in table
    widths = {line.count("|") for line in table.split("\n\n")[0].splitlines()}
    assert len(widths) == 1


def test_the_command_prints_a_table_or_json(
    measured: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(segment, "measure", lambda: measured)
    assert main(["bench", "segment"]) == 0
    assert capsys.readouterr().out.startswith("| library |")
    assert main(["bench", "segment", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == measured
