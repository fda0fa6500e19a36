import numpy as np
import pytest

from tersely.completion.completer import Completer, Suggestion
from tersely.decoding.beam import BeamOptions
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize
from tersely.model.shapes import PaperShape
from tersely.text.alignment import align
from tersely_lab.benchmarks.paper_size import Softmax, random_paper_model, widen
from tests.game.small import SHAPES, small_scheme
from tests.runtime.test_paper import folder_of


def small_paper(softmax: Softmax) -> ModelFolder:
    return random_paper_model(softmax, units=8, vocabulary=40)


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_a_random_model_completes_numbered_words(softmax: Softmax) -> None:
    [first, *_] = Completer(small_paper(softmax)).complete("w3 w17")
    assert align(["w3", "w17"], first.tokens) is not None


def test_a_random_model_has_the_papers_size() -> None:
    model = random_paper_model("full")
    assert model.tensors["decoder.softmax.output.weight"].shape == (10_000, 300)
    assert model.tensors["decoder.lstm.weight_hh_l0"].shape == (1200, 300)
    assert len(model.vocabulary) == 10_000
    assert float(np.abs(dequantize(model.tensors["decoder.lstm.weight_hh_l0"])).max()) <= 0.1


def test_random_weights_are_reproducible() -> None:
    ours, theirs = small_paper("full").tensors, small_paper("full").tensors
    assert all(np.array_equal(dequantize(ours[name]), dequantize(theirs[name])) for name in ours)


KEYWORDS = [["w5", "w9"], ["w30"], [], ["w7", "new", "w7", "w20"]]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("units", [11, 24, 300])
def test_a_widened_model_gives_the_same_suggestions(name: str, units: int) -> None:
    model = folder_of(small_scheme(SHAPES[name]))
    large = widen(model, units)
    assert PaperShape.from_settings(large.settings).decoder_units >= units
    for ours, theirs in zip(*map(_answers, (large, model)), strict=True):
        assert [item.text for item in ours] == [item.text for item in theirs]
        assert [item.score for item in ours] == pytest.approx(
            [item.score for item in theirs], rel=1e-4
        )


def test_widening_adds_only_zeros() -> None:
    model = folder_of(small_scheme())
    large = widen(model, 3 * small_scheme().shape.decoder_units)
    for name, tensor in model.tensors.items():
        before, after = (
            np.abs(dequantize(tensor)).sum(),
            np.abs(dequantize(large.tensors[name])).sum(),
        )
        assert after == pytest.approx(before, rel=1e-5)
    assert large.tensors["decoder.lstm.weight_hh_l0"].size == 9 * (
        model.tensors["decoder.lstm.weight_hh_l0"].size
    )
    assert large.vocabulary is model.vocabulary


def test_a_large_enough_model_is_returned_unchanged() -> None:
    model = folder_of(small_scheme())
    assert widen(model, small_scheme().shape.decoder_units) is model


def _answers(model: ModelFolder) -> list[list[Suggestion]]:
    return Completer(model).beam_decode(KEYWORDS, BeamOptions(max_tokens=8))
