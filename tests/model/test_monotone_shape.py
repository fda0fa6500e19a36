from typing import Any

import pytest

from tersely.errors import TerselyError
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.model.monotone_shape import MonotoneShape
from tests.game.small_monotone import MONOTONE_SHAPES, small_monotone_shape


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_a_shape_names_the_tensors_that_training_makes(name: str) -> None:
    shape = MONOTONE_SHAPES[name]
    made = {key: tuple(tensor.shape) for key, tensor in MonotoneScheme(shape).state_dict().items()}
    assert {key: spec.shape for key, spec in shape.tensors().items()} == made
    assert {spec.dtype for spec in shape.tensors().values()} == {"F32"}


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_a_shape_survives_the_settings_of_a_model(name: str) -> None:
    settings = {"shape": MONOTONE_SHAPES[name].as_settings(), "other": 1}
    assert MonotoneShape.from_settings(settings) == MONOTONE_SHAPES[name]


def test_settings_without_a_shape_are_refused() -> None:
    whole = small_monotone_shape().as_settings()
    fewer = {key: value for key, value in whole.items() if key != "encoder_embedding_units"}
    for table in (None, [], "monotone", fewer, {**whole, "extra": 1}):
        with pytest.raises(TerselyError, match="do not describe the shape"):
            MonotoneShape.from_settings({"shape": table})


IMPOSSIBLE: dict[str, dict[str, Any]] = {
    "no words": {"vocabulary_size": 0},
    "no embedding": {"embedding_units": 0},
    "a negative encoder embedding": {"encoder_embedding_units": -5},
    "a fraction of an encoder": {"encoder_units_a_direction": 6.0},
    "a huge reader": {"reader_units_a_direction": 1 << 40},
    "a decoder of words": {"decoder_units": "8"},
    "an unknown softmax": {"softmax": "hierarchical"},
    "adaptive without clusters": {"softmax": "adaptive"},
    "a division of nothing": {"adaptive_division": 0.0},
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_a_shape_that_no_scheme_can_have_is_refused(case: str) -> None:
    table = {**small_monotone_shape().as_settings(), **IMPOSSIBLE[case]}
    with pytest.raises(TerselyError, match="no scheme can have"):
        MonotoneShape.from_settings({"shape": table})
