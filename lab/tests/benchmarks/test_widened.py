import numpy as np
import pytest

from tersely.completion.completer import Completer, Suggestion
from tersely.decoding.beam import BeamOptions
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dense
from tersely.model.shapes import PaperShape
from tersely_lab.benchmarks.widened import widened
from tests.game.small import SHAPES, small_scheme
from tests.runtime.test_paper import folder_of

KEYWORDS = [["w5", "w9"], ["w30"], [], ["w7", "new", "w7", "w20"]]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("units", [11, 24, 300])
def test_a_larger_decoder_says_the_same(name: str, units: int) -> None:
    model = folder_of(small_scheme(SHAPES[name]))
    large = widened(model, units)
    assert PaperShape.from_settings(large.settings).decoder_units >= units
    for ours, theirs in zip(*map(_answers, (large, model)), strict=True):
        assert [one.text for one in ours] == [one.text for one in theirs]
        assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], rel=1e-4)


def test_what_is_added_is_nothing() -> None:
    model = folder_of(small_scheme())
    large = widened(model, 3 * small_scheme().shape.decoder_units)
    for name, tensor in model.tensors.items():
        before, after = np.abs(dense(tensor)).sum(), np.abs(dense(large.tensors[name])).sum()
        assert after == pytest.approx(before, rel=1e-5)
    assert large.tensors["decoder.lstm.weight_hh_l0"].size == 9 * (
        model.tensors["decoder.lstm.weight_hh_l0"].size
    )
    assert large.vocabulary is model.vocabulary


def test_what_is_large_enough_stays_as_it_is() -> None:
    model = folder_of(small_scheme())
    assert widened(model, small_scheme().shape.decoder_units) is model


def _answers(model: ModelFolder) -> list[list[Suggestion]]:
    return Completer(model).suggest(KEYWORDS, BeamOptions(max_tokens=8))
