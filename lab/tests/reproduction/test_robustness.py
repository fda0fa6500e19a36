from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.tests.reproduction.made import made_results, made_run
from tersely.evaluation.outcomes import PredictionRecord
from tersely.text.tokens import tokenise
from tersely_lab.reproduction.robustness import (
    Matrix,
    decode,
    difference,
    evaluate_matrix,
    given_more_tokens,
    on_others_keywords,
    participants,
    read_matrix,
    write_matrix,
)
from tersely_lab.reproduction.runs import read_results
from tests.evaluation.test_metrics import SENTENCES, Parrot


def matrix(cells: dict[tuple[str, str], list[int]]) -> Matrix:
    bits = {cell: np.array(own, bool) for cell, own in cells.items()}
    return Matrix(len(next(iter(bits.values()))), bits, {}, {}, {})


def test_encoders_stand_in_the_papers_order() -> None:
    runs = [
        made_run("unif", 0.5, 0.5, 0.1),
        made_run("constrained", 0.2, 0.8, 0.1),
        made_run("constrained", 0.8, 0.2, 0.1),
        made_run("unif", 0.1, 0.1, 0.1),
        made_run("linear", 4.3, 0.1, 0.1),
    ]
    labels = [run.label for run in participants(made_results(*runs))]
    assert labels == ["Unif(0.1)", "Unif(0.5)", "Constr(0.8)", "Constr(0.2)"]


def test_a_sentence_counts_where_it_comes_back_whole(trained: Path) -> None:
    parrot = Parrot.load(trained)
    whole = [
        PredictionRecord(text, tokenise(text).tokens, False, False, False) for text in SENTENCES[:5]
    ]
    cut = [replace(one, keywords=one.keywords[1:]) for one in whole]
    assert decode(parrot, [*whole, *cut]).tolist() == [True] * 5 + [False] * 5


def test_pairs_are_decoded_once_and_again_only_if_something_changed(
    sweep: Path, tmp_path: Path
) -> None:
    runs = participants(read_results(sweep))[:2]
    said: list[str] = []
    kept = tmp_path / "matrix.json"
    first = evaluate_matrix(runs, None, sentences=5, keep=kept, say=said.append)
    assert len(said) == 2
    assert set(first.exact) == {(one.name, two.name) for one in runs for two in runs}
    again = evaluate_matrix(runs, read_matrix(kept), sentences=5, keep=kept, say=said.append)
    assert len(said) == 2
    assert {cell: bits.tolist() for cell, bits in again.exact.items()} == {
        cell: bits.tolist() for cell, bits in first.exact.items()
    }
    other = replace(runs[0], outcomes=replace(runs[0].outcomes, keywords_fingerprint="new"))
    evaluate_matrix([other, runs[1]], read_matrix(kept), sentences=5, keep=kept, say=said.append)
    assert len(said) == 3  # this encoder's keywords for the other decoder
    evaluate_matrix(runs, first, sentences=6, keep=kept, say=said.append)
    assert len(said) == 5


def test_other_weights_are_decoded_anew(sweep: Path, tmp_path: Path) -> None:
    runs = participants(read_results(sweep))[:2]
    said: list[str] = []
    first = evaluate_matrix(runs, None, sentences=3, keep=tmp_path / "m.json", say=said.append)
    stale = replace(first, weights={**first.weights, runs[0].name: "other"})
    evaluate_matrix(runs, stale, sentences=3, keep=tmp_path / "m.json", say=said.append)
    assert len(said) == 3


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"sentences": 9, "exact": {"a": {"b": "AA"}}}'])
def test_a_matrix_that_cannot_be_read_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(text)
    assert read_matrix(tmp_path / "m.json") is None
    assert read_matrix(tmp_path / "missing.json") is None


def test_a_matrix_survives_its_file(tmp_path: Path) -> None:
    found = matrix({("a", "b"): [1, 0, 1], ("b", "b"): [0, 0, 0]})
    write_matrix(found, tmp_path / "m.json")
    again = read_matrix(tmp_path / "m.json")
    assert again is not None
    assert again.accuracy("a", "b") == pytest.approx(2 / 3)
    assert again.accuracy("b", "a") is None
    assert again.exact.keys() == found.exact.keys()


def test_falls_are_counted_along_rising_retention() -> None:
    few, many = made_run("unif", 0.1, 0.1, 0.1), made_run("unif", 0.5, 0.5, 0.1)
    rising = matrix({(few.name, many.name): [0] * 100, (many.name, many.name): [1] * 100})
    [steps] = given_more_tokens(rising, [many, few])
    assert steps.encoders == ("Unif(0.1)", "Unif(0.5)")
    assert (steps.accuracies, steps.falls, steps.clear_falls) == ([0.0, 1.0], 0, 0)
    falling = matrix({(few.name, many.name): [1] * 100, (many.name, many.name): [0] * 100})
    [steps] = given_more_tokens(falling, [many, few])
    assert (steps.falls, steps.clear_falls) == (1, 1)
    hardly = matrix({(few.name, many.name): [1] + [0] * 99, (many.name, many.name): [0] * 100})
    [steps] = given_more_tokens(hardly, [many, few])
    assert (steps.falls, steps.clear_falls) == (1, 0)


def test_the_interval_of_a_difference_is_of_pairs() -> None:
    one = np.array([1] * 50 + [0] * 50, bool)
    assert difference(one, one) == (0.0, 0.0)
    low, high = difference(one, np.zeros(100, bool))
    assert low == pytest.approx(0.4, abs=0.03)
    assert high == pytest.approx(0.6, abs=0.03)


def test_the_mean_over_others_leaves_the_own_pair_out() -> None:
    one, two = made_run("constrained", 0.2, 0.8, 0.1), made_run("constrained", 0.8, 0.2, 0.1)
    found = matrix({(one.name, one.name): [1, 1], (two.name, one.name): [1, 0]})
    assert on_others_keywords(found, one, [one, two]) == 0.5
    assert on_others_keywords(found, two, [one, two]) is None
