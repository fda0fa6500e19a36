from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.tests.reproduction.synthetic import synthetic_results, synthetic_run
from tersely.evaluation.outcomes import PredictionRecord
from tersely.text.tokens import tokenise
from tersely_lab.reproduction.cross_decoding import (
    Matrix,
    decode,
    evaluate_matrix,
    participants,
    read_matrix,
    write_matrix,
)
from tersely_lab.reproduction.runs import read_results
from tests.evaluation.test_metrics import SENTENCES, Parrot


def test_encoders_stand_in_the_papers_order() -> None:
    runs = [
        synthetic_run("unif", 0.5, 0.5, 0.1),
        synthetic_run("constrained", 0.2, 0.8, 0.1),
        synthetic_run("constrained", 0.8, 0.2, 0.1),
        synthetic_run("unif", 0.1, 0.1, 0.1),
        synthetic_run("linear", 4.3, 0.1, 0.1),
    ]
    labels = [run.label for run in participants(synthetic_results(*runs))]
    assert labels == ["Unif(0.1)", "Unif(0.5)", "Constr(0.8)", "Constr(0.2)"]


def test_a_sentence_is_exact_if_all_of_it_comes_back(trained: Path) -> None:
    parrot = Parrot.load(trained)
    whole = [
        PredictionRecord(text, tokenise(text).tokens, False, False, False) for text in SENTENCES[:5]
    ]
    cut = [replace(row, keywords=row.keywords[1:]) for row in whole]
    assert decode(parrot, [*whole, *cut]).tolist() == [True] * 5 + [False] * 5


def test_pairs_are_decoded_again_only_if_something_changed(sweep: Path, tmp_path: Path) -> None:
    runs = participants(read_results(sweep))[:2]
    messages: list[str] = []
    kept = tmp_path / "matrix.json"
    first = evaluate_matrix(runs, None, sentences=5, keep=kept, on_progress=messages.append)
    assert len(messages) == 2
    assert set(first.exact) == {(one.name, two.name) for one in runs for two in runs}
    again = evaluate_matrix(
        runs, read_matrix(kept), sentences=5, keep=kept, on_progress=messages.append
    )
    assert len(messages) == 2
    assert {cell: bits.tolist() for cell, bits in again.exact.items()} == {
        cell: bits.tolist() for cell, bits in first.exact.items()
    }
    other = replace(runs[0], outcomes=replace(runs[0].outcomes, keywords_fingerprint="new"))
    evaluate_matrix(
        [other, runs[1]], read_matrix(kept), sentences=5, keep=kept, on_progress=messages.append
    )
    assert len(messages) == 3  # this encoder's keywords for the other decoder
    evaluate_matrix(runs, first, sentences=6, keep=kept, on_progress=messages.append)
    assert len(messages) == 5


def test_a_decoder_with_other_weights_decodes_again(sweep: Path, tmp_path: Path) -> None:
    runs = participants(read_results(sweep))[:2]
    messages: list[str] = []
    first = evaluate_matrix(
        runs, None, sentences=3, keep=tmp_path / "m.json", on_progress=messages.append
    )
    stale = replace(first, weights={**first.weights, runs[0].name: "other"})
    evaluate_matrix(runs, stale, sentences=3, keep=tmp_path / "m.json", on_progress=messages.append)
    assert len(messages) == 3


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"sentences": 9, "exact": {"a": {"b": "AA"}}}'])
def test_a_malformed_matrix_is_not_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(text)
    assert read_matrix(tmp_path / "m.json") is None
    assert read_matrix(tmp_path / "missing.json") is None


def test_a_matrix_is_read_back_as_written(tmp_path: Path) -> None:
    first, second = synthetic_run("unif", 0.1, 0.1, 0.1), synthetic_run("unif", 0.5, 0.5, 0.1)
    matrix = Matrix(
        3,
        {
            (first.name, second.name): np.array([True, False, True]),
            (second.name, second.name): np.zeros(3, bool),
        },
        {},
        {},
        {},
    )
    write_matrix(matrix, tmp_path / "m.json")
    again = read_matrix(tmp_path / "m.json")
    assert again is not None
    assert again.accuracy(first, second) == pytest.approx(2 / 3)
    assert again.accuracy(second, first) is None
    assert again.exact.keys() == matrix.exact.keys()
