import numpy as np
import pytest

from lab.tests.benchmarks.test_paper_sized import small_paper
from tersely.runtime.lstm import Lstm
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import PaperRuntime
from tersely_lab.benchmarks.work import counted
from tests.game.small_monotone import monotone_folder_of, small_monotone


def test_a_monotone_step_counts_its_products() -> None:
    runtime = MonotoneRuntime(monotone_folder_of(small_monotone()))
    shape = runtime.shape
    state = runtime.begin([["w7"]] * 3)
    with counted() as work:
        _, next_token = runtime.step(state, np.array([5, 6, 7]))
        next_token.softmax.head_scores(state.hidden)
    units, embedding = shape.decoder_units, shape.embedding_units
    head = next_token.softmax.head.shape[1]
    a_row = embedding * 4 * units + units * 4 * units + units + units * head
    assert work.multiply_adds == 3 * a_row
    assert work.as_dict()["steps"] == 1
    assert work.as_dict()["rows_a_step"] == 3


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_a_paper_sized_step_counts_attention_and_the_whole_softmax(softmax) -> None:
    runtime = PaperRuntime(small_paper(softmax))
    state = runtime.begin([["w1", "w2"]])
    with counted() as work:
        _, next_token = runtime.step(state, np.array([5]))
        next_token.log_probs()
    units, words = 8, 40
    lstm = 2 * units * 4 * units
    attention = units * units + 2 * units * units + 3 * units
    heads = {"full": units * words, "adaptive": units * (4 + 2) + 4 * (8 + 12) + 2 * (8 + 24)}
    assert work.multiply_adds == lstm + attention + heads[softmax]


def test_reading_counts_every_token_once() -> None:
    sizes = {"weight_ih": (8, 3), "weight_hh": (8, 2), "bias_ih": (8,), "bias_hh": (8,)}
    lstm = Lstm({f"x.{name}_l0": np.zeros(size, "f4") for name, size in sizes.items()}, "x")
    with counted() as work:
        lstm.run(np.zeros((2, 5, 3), "f4"), np.array([5, 5]))
    assert work.multiply_adds == 10 * (3 * 8 + 2 * 8)


def test_nothing_is_watched_afterwards() -> None:
    before = Lstm.step, PaperRuntime.step, MonotoneRuntime.step
    with pytest.raises(ZeroDivisionError), counted():
        assert Lstm.step is not before[0]
        1 / 0  # noqa: B018
    assert (Lstm.step, PaperRuntime.step, MonotoneRuntime.step) == before
