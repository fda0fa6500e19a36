import pytest
import torch

from tersely.errors import UsageError
from tersely.model.shapes import SHAPES, CommonShape
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from tersely.training.tasks import TASKS, build_task, check_same_shape
from tests.training.small import MONOTONE_TABLES, small_config

LEXICON = Vocabulary([*SPECIAL_TOKENS, "the", "waiter", "."])


def shape(vocabulary_size: int = 200, **model: object) -> CommonShape:
    config = small_config(model=model)
    return TASKS["paper"].shape(config.model, vocabulary_size)


def test_every_architecture_can_be_trained() -> None:
    assert TASKS.keys() == SHAPES.keys()
    for architecture, task in TASKS.items():
        assert task.architecture == architecture


@pytest.mark.parametrize("tables", [{}, MONOTONE_TABLES], ids=["paper", "monotone"])
def test_a_task_is_built_for_the_configured_architecture(
    tables: dict[str, dict[str, object]],
) -> None:
    config = small_config(**tables)
    task = build_task(config, 50, LEXICON, torch.Generator().manual_seed(1))
    assert task.architecture == config.model.architecture
    assert isinstance(task.scheme.shape, SHAPES[config.model.architecture])
    assert task.scheme.shape.vocabulary_size == 50


def test_a_pretrained_shape_grows_by_its_vocabulary_only() -> None:
    config = small_config(model={"softmax": "adaptive", "adaptive_cutoffs": [50, 120]})
    pretrained = TASKS["paper"].shape(config.model, 100)
    task = build_task(config, 300, LEXICON, torch.Generator().manual_seed(1), pretrained=pretrained)
    assert task.scheme.shape.vocabulary_size == 300
    assert task.scheme.shape.adaptive_cutoffs == pretrained.adaptive_cutoffs == (50,)


def test_a_config_of_another_shape_is_refused() -> None:
    check_same_shape(shape(300), shape(200))
    with pytest.raises(UsageError, match="embedding_units = 8, the config 12"):
        check_same_shape(shape(), shape(embedding_units=8))
