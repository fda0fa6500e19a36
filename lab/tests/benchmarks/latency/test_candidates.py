import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.benchmarks.test_paper_size import small_paper
from tersely.corpus.fixture import fixture_sentences
from tersely.runtime.lstm import Lstm
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import PaperRuntime
from tersely_lab.benchmarks.latency.candidates import count_multiply_adds, main
from tersely_lab.benchmarks.latency.queries import draw_queries
from tersely_lab.benchmarks.paper_size import Softmax
from tests.game.small_monotone import monotone_folder_of, small_monotone

Run = Callable[..., tuple[int, dict[str, Any]]]
QUERIES = draw_queries(list(fixture_sentences(200)), 8)


@pytest.fixture
def run(tmp_path: Path, trained: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(kind: str, **changes: Any) -> tuple[int, dict[str, Any]]:
        task = {
            "queries": [query.as_dict() for query in QUERIES],
            "width": 5,
            "count": 3,
            "warm_up": 1,
            "units": 8,
            "vocabulary": 200,
            "model": str(trained),
            **changes,
        }
        (tmp_path / "task.json").write_text(json.dumps(task))
        code = main([kind, str(tmp_path / "task.json")])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize("kind", ["model", "full", "adaptive"])
def test_suggestions_have_the_lengths_of_the_queries(kind: str, run: Run) -> None:
    code, outcome = run(kind)
    assert code == 0
    assert outcome["lengths"] == [query.length for query in QUERIES]
    assert outcome["parameters"] > 0
    # A step for each word, and one for EOS.
    assert outcome["work"]["steps"] == sum(query.length + 1 for query in QUERIES)
    assert outcome["work"]["multiply_adds"] > 0


def test_as_served_suggestions_have_any_length(run: Run) -> None:
    code, outcome = run("served")
    assert code == 0
    assert len(outcome["lengths"]) == len(QUERIES)
    assert all(
        length >= len(query.keywords)
        for length, query in zip(outcome["lengths"], QUERIES, strict=True)
    )


def test_a_batch_reports_its_time_and_its_products(run: Run) -> None:
    code, outcome = run("batch")
    assert code == 0
    assert outcome["answers"] == 8
    assert outcome["processor_seconds"] > 0
    assert {"rows", "k", "n", "calls"} == set(outcome["work"]["products"][0])


def test_a_missing_model_is_an_error_in_json(run: Run, tmp_path: Path) -> None:
    code, outcome = run("served", model=str(tmp_path / "none"))
    assert code == 2
    assert "no such model folder" in outcome["error"]


def test_a_monotone_step_counts_its_products() -> None:
    runtime = MonotoneRuntime(monotone_folder_of(small_monotone()))
    shape = runtime.shape
    state = runtime.begin([["w7"]] * 3)
    with count_multiply_adds() as work:
        _, next_token = runtime.step(state, np.array([5, 6, 7]))
        next_token.softmax.head_scores(state.hidden)
    units, embedding = shape.decoder_units, shape.embedding_units
    head = next_token.softmax.head.shape[1]
    a_row = embedding * 4 * units + units * 4 * units + units + units * head
    assert work.multiply_adds == 3 * a_row
    assert work.as_dict()["steps"] == 1
    assert work.as_dict()["rows_a_step"] == 3


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_a_paper_sized_step_counts_attention_and_the_whole_softmax(softmax: Softmax) -> None:
    runtime = PaperRuntime(small_paper(softmax))
    state = runtime.begin([["w1", "w2"]])
    with count_multiply_adds() as work:
        _, next_token = runtime.step(state, np.array([5]))
        next_token.log_probs()
    units, words = 8, 40
    lstm = 2 * units * 4 * units
    attention = units * units + 2 * units * units + 3 * units
    heads = {"full": units * words, "adaptive": units * (4 + 2) + 4 * (8 + 12) + 2 * (8 + 24)}
    assert work.multiply_adds == lstm + attention + heads[softmax]


def test_an_lstm_run_counts_every_token_once() -> None:
    sizes = {"weight_ih": (8, 3), "weight_hh": (8, 2), "bias_ih": (8,), "bias_hh": (8,)}
    lstm = Lstm({f"x.{name}_l0": np.zeros(size, "f4") for name, size in sizes.items()}, "x")
    with count_multiply_adds() as work:
        lstm.run(np.zeros((2, 5, 3), "f4"), np.array([5, 5]))
    assert work.multiply_adds == 10 * (3 * 8 + 2 * 8)


def test_methods_are_restored_afterwards() -> None:
    before = Lstm.step, PaperRuntime.step, MonotoneRuntime.step
    with pytest.raises(ZeroDivisionError), count_multiply_adds():
        assert Lstm.step is not before[0]
        1 / 0  # noqa: B018
    assert (Lstm.step, PaperRuntime.step, MonotoneRuntime.step) == before
