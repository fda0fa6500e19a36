from typing import Any

import pytest

from tersely.errors import TerselyError
from tersely.model.shape import SchemeShape
from tests.game.small import SHAPES, small_scheme, small_shape


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_names_the_tensors_that_training_makes(name: str) -> None:
    made = {
        key: tuple(tensor.shape) for key, tensor in small_scheme(SHAPES[name]).named_parameters()
    }
    assert {key: spec.shape for key, spec in SHAPES[name].tensors().items()} == made


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_survives_the_settings_of_a_model(name: str) -> None:
    settings = {"shape": SHAPES[name].as_settings(), "other": 1}
    assert SchemeShape.from_settings(settings) == SHAPES[name]


def test_settings_without_a_shape_are_refused() -> None:
    whole = small_shape().as_settings()
    fewer = {key: value for key, value in whole.items() if key != "softmax"}
    for table in (None, [], "paper", fewer, {**whole, "extra": 1}):
        with pytest.raises(TerselyError, match="do not describe the shape"):
            SchemeShape.from_settings({"shape": table})


IMPOSSIBLE: dict[str, dict[str, Any]] = {
    "no units": {"encoder_units": 0},
    "negative": {"decoder_units": -8},
    "huge": {"embedding_units": 1 << 40},
    "a fraction": {"decoder_units": 8.0},
    "a truth value": {"encoder_units": True},
    "words": {"vocabulary_size": "30"},
    "an unknown softmax": {"softmax": "hierarchical"},
    "an unknown input": {"decoder_input": ["reader_state"]},
    "an unknown start": {"decoder_start": None},
    "an end mark of another kind": {"end_mark_in_keywords": 1},
    "adaptive without clusters": {"softmax": "adaptive"},
    "clusters without adaptive": {"adaptive_cutoffs": [5]},
    "falling cutoffs": {"softmax": "adaptive", "adaptive_cutoffs": [20, 10]},
    "a cutoff twice": {"softmax": "adaptive", "adaptive_cutoffs": [10, 10]},
    "cutoffs of another kind": {"softmax": "adaptive", "adaptive_cutoffs": [10, "20"]},
    "nested cutoffs": {"softmax": "adaptive", "adaptive_cutoffs": [[10], [20]]},
    "a cutoff past the end": {"softmax": "adaptive", "adaptive_cutoffs": [30]},
    "too many cutoffs": {
        "vocabulary_size": 1000,
        "softmax": "adaptive",
        "adaptive_cutoffs": list(range(1, 200)),
    },
    "a division of nothing": {"adaptive_division": 0.0},
    "a division of another kind": {"adaptive_division": "2"},
    "a division too large": {"adaptive_division": 1e300},
    "a division that is no number": {"adaptive_division": float("nan")},
    "a start that does not fit": {"reader_units_a_direction": 5},
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_a_shape_that_no_scheme_can_have_is_refused(case: str) -> None:
    table = {**small_shape().as_settings(), **IMPOSSIBLE[case]}
    with pytest.raises(TerselyError, match="no scheme can have"):
        SchemeShape.from_settings({"shape": table})


def test_cutoffs_that_are_no_list_are_refused() -> None:
    table = {**small_shape().as_settings(), "adaptive_cutoffs": 7}
    with pytest.raises(TerselyError, match="do not describe"):
        SchemeShape.from_settings({"shape": table})
