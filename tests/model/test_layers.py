from dataclasses import dataclass
from typing import Any

import pytest
import torch

from tersely.errors import TerselyError
from tersely.game.layers.softmax import AdaptiveSoftmax, FullSoftmax
from tersely.model.layers import CommonShape, is_possible, lstm_tensors, softmax_tensors


@dataclass(frozen=True)
class Shape:
    vocabulary_size: Any = 30
    decoder_units: Any = 8
    softmax: Any = "full"
    adaptive_cutoffs: Any = ()
    adaptive_division: Any = 2.0


def shapes_of(module: torch.nn.Module, prefix: str) -> dict[str, tuple[int, ...]]:
    return {f"{prefix}.{name}": tuple(one.shape) for name, one in module.state_dict().items()}


def test_an_lstm_has_the_tensors_of_torchs_own() -> None:
    own = torch.nn.LSTM(5, 3, bidirectional=True)
    named = {**lstm_tensors("a.b", 5, 3), **lstm_tensors("a.b", 5, 3, "_reverse")}
    assert named == shapes_of(own, "a.b")


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (FullSoftmax, Shape()),
        (AdaptiveSoftmax, Shape(softmax="adaptive", adaptive_cutoffs=(10,))),
        (AdaptiveSoftmax, Shape(softmax="adaptive", adaptive_cutoffs=(3, 10, 20))),
        (
            AdaptiveSoftmax,
            Shape(softmax="adaptive", adaptive_cutoffs=(10, 20), adaptive_division=1.5),
        ),
    ],
)
def test_a_softmax_has_the_tensors_of_torchs_own(kind: type, shape: Shape) -> None:
    assert softmax_tensors(shape) == shapes_of(kind(shape), "decoder.softmax")


@pytest.mark.parametrize(
    "shape", [Shape(), Shape(softmax="adaptive", adaptive_cutoffs=(10, 29), adaptive_division=1)]
)
def test_a_shape_that_can_be_built_is_possible(shape: Shape) -> None:
    assert is_possible(shape, [30, 8, 1])


@pytest.mark.parametrize("size", [0, -1, 1 << 24, 8.0, True, "8", None])
def test_a_size_is_a_whole_number_within_reason(size: Any) -> None:
    assert not is_possible(Shape(), [30, size])


def adaptive(*cutoffs: Any, **changes: Any) -> Shape:
    return Shape(softmax="adaptive", adaptive_cutoffs=cutoffs, **changes)


IMPOSSIBLE = {
    "an unknown softmax": Shape(softmax="hierarchical"),
    "a softmax of another kind": Shape(softmax=["full"]),
    "adaptive without clusters": adaptive(),
    "clusters without adaptive": Shape(adaptive_cutoffs=(5,)),
    "falling cutoffs": adaptive(20, 10),
    "a cutoff twice": adaptive(10, 10),
    "a cutoff of nothing": adaptive(0, 10),
    "a cutoff of another kind": adaptive(10, "20"),
    "a nested cutoff": adaptive([10]),
    "a cutoff at the end": adaptive(10, 30),
    "too many cutoffs": adaptive(*range(1, 66), vocabulary_size=1000),
    "a division below one": adaptive(10, adaptive_division=0.5),
    "a division too large": adaptive(10, adaptive_division=1025),
    "a division of another kind": adaptive(10, adaptive_division="2"),
    "a division that is no number": adaptive(10, adaptive_division=float("nan")),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_a_softmax_that_cannot_be_built_is_impossible(case: str) -> None:
    assert not is_possible(IMPOSSIBLE[case], [30, 8])


@dataclass(frozen=True, kw_only=True)
class Whole(CommonShape):
    def check(self) -> None:
        if self.vocabulary_size > 100:
            raise TerselyError("no scheme can have it")


TABLE = {
    "vocabulary_size": 30,
    "embedding_units": 7,
    "reader_units_a_direction": 4,
    "decoder_units": 8,
    "softmax": "adaptive",
    "adaptive_cutoffs": [10, 20],
    "adaptive_division": 2.0,
}


def test_a_shape_is_read_from_the_settings_table() -> None:
    shape = Whole.from_settings({"shape": TABLE, "other": 1})
    assert shape.adaptive_cutoffs == (10, 20)
    assert shape.reader_units == 8
    assert shape.as_settings() == TABLE


def test_what_is_read_is_checked() -> None:
    with pytest.raises(TerselyError, match="no scheme"):
        Whole.from_settings({"shape": {**TABLE, "vocabulary_size": 101}})


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"shape": None},
        {"shape": [TABLE]},
        {"shape": {key: TABLE[key] for key in TABLE if key != "softmax"}},
        {"shape": {**TABLE, "extra": 1}},
        {"shape": {**TABLE, "adaptive_cutoffs": 10}},
        {"shape": {**TABLE, "adaptive_cutoffs": "10"}},
    ],
)
def test_settings_that_describe_no_shape_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(TerselyError, match="do not describe the shape"):
        Whole.from_settings(settings)
