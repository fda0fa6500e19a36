from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch

from tersely.errors import TerselyError
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.game.layers.softmax import AdaptiveSoftmax, FullSoftmax
from tersely.model.quantization import dequantize, quantize
from tersely.model.shapes import (
    CommonShape,
    MonotoneShape,
    PaperShape,
    bidirectional_lstm_tensors,
    check_sizes,
    check_softmax,
    check_tensors,
    softmax_tensors,
)
from tests.game.small import SHAPES, small_scheme, small_shape
from tests.game.small_monotone import (
    MONOTONE_SHAPES,
    monotone_folder_of,
    small_monotone,
    small_monotone_shape,
)


@dataclass(frozen=True)
class Softmax:
    """The part of a shape that the softmax depends on."""

    vocabulary_size: Any = 30
    decoder_units: Any = 8
    softmax: Any = "full"
    adaptive_cutoffs: Any = ()
    adaptive_division: Any = 2.0


def adaptive(*cutoffs: Any, **changes: Any) -> Softmax:
    return Softmax(softmax="adaptive", adaptive_cutoffs=cutoffs, **changes)


def tensor_shapes(tensors: Mapping[str, torch.Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


def test_an_lstm_has_the_tensors_of_torch() -> None:
    theirs = tensor_shapes(torch.nn.LSTM(5, 3, bidirectional=True).state_dict(prefix="a.b."))
    assert bidirectional_lstm_tensors("a.b", 5, 3) == theirs


@pytest.mark.parametrize(
    "shape",
    [Softmax(), adaptive(10), adaptive(3, 10, 20), adaptive(10, 20, adaptive_division=1.5)],
)
def test_a_softmax_has_the_tensors_of_torch(shape: Softmax) -> None:
    layer = (FullSoftmax if shape.softmax == "full" else AdaptiveSoftmax)(shape)
    assert softmax_tensors(shape) == tensor_shapes(layer.state_dict(prefix="decoder.softmax."))


def test_a_softmax_that_can_be_built_is_accepted() -> None:
    check_softmax(Softmax())
    check_softmax(adaptive(10, 29, adaptive_division=1))


@pytest.mark.parametrize("size", [0, -1, 1 << 24, 8.0, True, "8", None])
def test_a_size_is_a_whole_number_within_bounds(size: Any) -> None:
    check_sizes(Softmax(), ["decoder_units"])
    with pytest.raises(TerselyError, match=r"shape\.decoder_units is .*a whole number from 1 to"):
        check_sizes(Softmax(decoder_units=size), ["decoder_units"])


IMPOSSIBLE_SOFTMAX = {
    "unknown": (Softmax(softmax="hierarchical"), "softmax"),
    "of another type": (Softmax(softmax=["full"]), "softmax"),
    "adaptive without clusters": (adaptive(), "adaptive_cutoffs"),
    "full with clusters": (Softmax(adaptive_cutoffs=(5,)), "adaptive_cutoffs"),
    "falling cutoffs": (adaptive(20, 10), "adaptive_cutoffs"),
    "a cutoff twice": (adaptive(10, 10), "adaptive_cutoffs"),
    "a cutoff of 0": (adaptive(0, 10), "adaptive_cutoffs"),
    "a cutoff of another type": (adaptive(10, "20"), "adaptive_cutoffs"),
    "a nested cutoff": (adaptive([10]), "adaptive_cutoffs"),
    "a cutoff at the end": (adaptive(10, 30), "adaptive_cutoffs"),
    "too many cutoffs": (adaptive(*range(1, 66), vocabulary_size=1000), "adaptive_cutoffs"),
    "a division below 1": (adaptive(10, adaptive_division=0.5), "adaptive_division"),
    "a division too large": (adaptive(10, adaptive_division=1025), "adaptive_division"),
    "a division of another type": (adaptive(10, adaptive_division="2"), "adaptive_division"),
    "a division of NaN": (adaptive(10, adaptive_division=float("nan")), "adaptive_division"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE_SOFTMAX)
def test_a_softmax_that_cannot_be_built_is_refused_by_its_key(case: str) -> None:
    shape, key = IMPOSSIBLE_SOFTMAX[case]
    with pytest.raises(TerselyError, match=rf"shape\.{key} is .*, must be "):
        check_softmax(shape)


@pytest.mark.parametrize("name", SHAPES)
def test_the_papers_shape_has_the_tensors_that_training_makes(name: str) -> None:
    specs = SHAPES[name].tensors()
    made = tensor_shapes(small_scheme(SHAPES[name]).state_dict())
    assert {key: spec.shape for key, spec in specs.items()} == made
    assert {spec.dtype for spec in specs.values()} == {"F32"}


@pytest.mark.parametrize("name", MONOTONE_SHAPES)
def test_a_monotone_shape_has_the_tensors_that_training_makes(name: str) -> None:
    specs = MONOTONE_SHAPES[name].tensors()
    made = tensor_shapes(MonotoneScheme(MONOTONE_SHAPES[name]).state_dict())
    assert {key: spec.shape for key, spec in specs.items()} == made
    assert {spec.dtype for spec in specs.values()} == {"F32"}


@pytest.mark.parametrize("shape", [*SHAPES.values(), *MONOTONE_SHAPES.values()])
def test_a_shape_survives_the_settings_of_a_model(shape: CommonShape) -> None:
    settings: dict[str, Any] = {"shape": shape.as_settings(), "other": 1}
    assert type(shape).from_settings(settings) == shape
    assert isinstance(settings["shape"]["adaptive_cutoffs"], list)


@pytest.mark.parametrize("shape", [small_shape(), small_monotone_shape()])
def test_settings_without_a_complete_shape_are_refused(shape: CommonShape) -> None:
    table = shape.as_settings()
    for missing in (None, [], "paper", [table]):
        with pytest.raises(TerselyError, match="no table `shape`"):
            type(shape).from_settings({"shape": missing})
    with pytest.raises(TerselyError, match="no table `shape`"):
        type(shape).from_settings({})
    for key in table:
        fewer = {name: table[name] for name in table if name != key}
        with pytest.raises(TerselyError, match=rf"shape\.{key} is missing"):
            type(shape).from_settings({"shape": fewer})
    with pytest.raises(TerselyError, match=r"shape\.extra is unknown"):
        type(shape).from_settings({"shape": {**table, "extra": 1}})
    for cutoffs in (7, "10", None):
        with pytest.raises(TerselyError, match=r"shape\.adaptive_cutoffs is .* must be a list"):
            type(shape).from_settings({"shape": {**table, "adaptive_cutoffs": cutoffs}})


IMPOSSIBLE_PAPER: dict[str, dict[str, Any]] = {
    "no units": {"encoder_units": 0},
    "negative": {"decoder_units": -8},
    "huge": {"embedding_units": 1 << 40},
    "a fraction": {"decoder_units": 8.0},
    "a truth value": {"encoder_units": True},
    "text": {"vocabulary_size": "30"},
    "an unknown softmax": {"softmax": "hierarchical"},
    "an unknown input": {"decoder_input": ["reader_state"]},
    "an unknown start": {"decoder_start": None},
    "an end mark of another type": {"end_mark_in_keywords": 1},
    "nested cutoffs": {"softmax": "adaptive", "adaptive_cutoffs": [[10], [20]]},
    "a division too large": {"adaptive_division": 1e300},
    "a start that does not fit": {"reader_units_a_direction": 5},
}
IMPOSSIBLE_MONOTONE: dict[str, dict[str, Any]] = {
    "no words": {"vocabulary_size": 0},
    "no embedding": {"embedding_units": 0},
    "a negative encoder embedding": {"encoder_embedding_units": -5},
    "a fraction of an encoder": {"encoder_units_a_direction": 6.0},
    "a huge reader": {"reader_units_a_direction": 1 << 40},
    "a decoder of text": {"decoder_units": "8"},
    "adaptive without clusters": {"softmax": "adaptive"},
    "a division of 0": {"adaptive_division": 0.0},
}


@pytest.mark.parametrize("case", IMPOSSIBLE_PAPER)
def test_an_impossible_shape_of_the_paper_is_refused(case: str) -> None:
    table = {**small_shape().as_settings(), **IMPOSSIBLE_PAPER[case]}
    with pytest.raises(TerselyError, match=r"shape\.\w+ is .*, must be "):
        PaperShape.from_settings({"shape": table})


@pytest.mark.parametrize("case", IMPOSSIBLE_MONOTONE)
def test_an_impossible_monotone_shape_is_refused(case: str) -> None:
    table = {**small_monotone_shape().as_settings(), **IMPOSSIBLE_MONOTONE[case]}
    with pytest.raises(TerselyError, match=r"shape\.\w+ is .*, must be "):
        MonotoneShape.from_settings({"shape": table})


def test_tensors_must_fit_the_shape() -> None:
    model, shape = monotone_folder_of(small_monotone()), small_monotone_shape()
    check_tensors(model, shape)
    name = "decoder.embedding.weight"
    matrix = dequantize(model.tensors[name])
    check_tensors(replace(model, tensors={**model.tensors, name: quantize(matrix)}), shape)
    for other in (matrix[:, :-1], quantize(matrix[:-1]), matrix.astype("f8"), matrix.astype("i1")):
        with pytest.raises(TerselyError, match=rf"{name} is not F32 \[30, 7\]"):
            check_tensors(replace(model, tensors={**model.tensors, name: other}), shape)
    fewer = {key: model.tensors[key] for key in model.tensors if key != name}
    with pytest.raises(TerselyError, match=f"{name} is missing"):
        check_tensors(replace(model, tensors=fewer), shape)
    with pytest.raises(TerselyError, match="vocabulary has 30 tokens, but its settings give 29"):
        check_tensors(model, replace(shape, vocabulary_size=29))
