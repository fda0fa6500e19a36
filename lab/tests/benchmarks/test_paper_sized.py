import numpy as np
import pytest

from tersely.completion.completer import Completer
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dense
from tersely.text.alignment import align
from tersely_lab.benchmarks.paper_sized import Softmax, paper_sized


def small_paper(softmax: Softmax) -> ModelFolder:
    return paper_sized(softmax, units=8, vocabulary=40)


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_a_drawn_model_runs_and_knows_numbered_words(softmax) -> None:
    [first, *_] = Completer(small_paper(softmax)).complete("w3 w17")
    assert align(["w3", "w17"], first.tokens) is not None


def test_it_has_the_papers_size() -> None:
    model = paper_sized("full")
    assert model.tensors["decoder.softmax.output.weight"].shape == (10_000, 300)
    assert model.tensors["decoder.lstm.weight_hh_l0"].shape == (1200, 300)
    assert len(model.vocabulary) == 10_000
    assert float(np.abs(dense(model.tensors["decoder.lstm.weight_hh_l0"])).max()) <= 0.1


def test_weights_are_drawn_the_same_each_time() -> None:
    ours, theirs = small_paper("full").tensors, small_paper("full").tensors
    assert all(np.array_equal(dense(ours[name]), dense(theirs[name])) for name in ours)
