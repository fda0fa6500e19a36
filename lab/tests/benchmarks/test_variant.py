import pytest

from tersely.game.paper.step import PolicyGradientStep
from tersely.training.batches import Batches
from tersely.training.config import RunConfig
from tersely_lab.benchmarks.variant import KINDS, Variant
from tersely_lab.benchmarks.zipf import generate

VOCABULARY = 1_200


def small_variant(name: str) -> Variant:
    """One of the trainings at a size for tests, on 40 sentences in batches of 4."""
    batches = Batches(generate(40, vocabulary=VOCABULARY), batch_size=4, seed=1)
    return Variant.build(KINDS[name].config(units=8, batch=4), batches, vocabulary=VOCABULARY)


@pytest.mark.parametrize("name", KINDS)
def test_training_counts_target_tokens_with_end_marks(name: str) -> None:
    variant = small_variant(name)
    expected = sum(int((variant.batches.at(step).lengths + 1).sum()) for step in (1, 2))
    assert variant.train(range(1, 3)) == expected
    assert variant.train(range(1)) == int((variant.batches.at(0).lengths + 1).sum())


@pytest.mark.parametrize("name", KINDS)
def test_every_side_that_learns_is_updated_and_no_other(name: str) -> None:
    variant = small_variant(name)
    before = {key: value.clone() for key, value in variant.scheme.state_dict().items()}
    variant.train(range(1))
    moved = {
        key.split(".")[0]
        for key, value in variant.scheme.state_dict().items()
        if not value.equal(before[key])
    }
    is_whole = isinstance(variant.step, PolicyGradientStep)
    assert is_whole == KINDS[name].whole_game
    assert moved == ({"encoder", "decoder"} if is_whole else {"decoder"})
    assert variant.scheme.shape.softmax == KINDS[name].softmax


def test_the_whole_game_in_full_is_the_papers() -> None:
    config = KINDS["whole game, full softmax"].config(units=300, batch=128)
    assert config == RunConfig()
