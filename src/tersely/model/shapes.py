"""Shapes: the sizes of an architecture, and the tensors that a model folder of it must hold.

A shape is stored in a model's settings. These may come from anyone, so every value is checked.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, Literal, Protocol, Self

import numpy as np

from tersely.errors import TerselyError
from tersely.model.budget_features import DECODER_FEATURES, ENCODER_FEATURES
from tersely.model.folder import ModelFolder
from tersely.model.quantization import QuantizedTensor
from tersely.model.validation import TensorSpec

PAPER, MONOTONE = "paper", "monotone"
"""The names of the architectures in a model folder."""
MAX_SIZE = (1 << 24) - 1
MAX_CUTOFFS = 64
MAX_DIVISION = 1024

TensorShapes = dict[str, tuple[int, ...]]


class SoftmaxShape(Protocol):
    """The part of a shape that the softmax depends on."""

    @property
    def vocabulary_size(self) -> int:
        """Return the number of tokens."""

    @property
    def decoder_units(self) -> int:
        """Return the size of the softmax's input."""

    @property
    def softmax(self) -> Literal["full", "adaptive"]:
        """Return the kind of softmax."""

    @property
    def adaptive_cutoffs(self) -> tuple[int, ...]:
        """Return the first id of each cluster; empty for the full softmax."""

    @property
    def adaptive_division(self) -> float:
        """Return by how much each further cluster divides its number of units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonShape(ABC):
    """The sizes that all architectures have."""

    vocabulary_size: int
    embedding_units: int
    reader_units_a_direction: int
    decoder_units: int
    softmax: Literal["full", "adaptive"]
    adaptive_cutoffs: tuple[int, ...]
    """The first id of each cluster of the softmax; empty for the full softmax."""
    adaptive_division: float

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Read a shape from a model's settings, and check it."""
        table = settings.get("shape")
        if not isinstance(table, dict):
            raise TerselyError("The model's settings have no table `shape`.")
        names = {item.name for item in fields(cls)}
        if set(table) != names:
            name = min(set(table) ^ names)
            problem = "is missing" if name in names else "is unknown"
            raise TerselyError(f"The model's settings: shape.{name:.80} {problem}.")
        if not isinstance(table["adaptive_cutoffs"], (list, tuple)):
            raise invalid("adaptive_cutoffs", table["adaptive_cutoffs"], "a list")
        shape = cls(**{**table, "adaptive_cutoffs": tuple(table["adaptive_cutoffs"])})
        shape.check()
        return shape

    @abstractmethod
    def check(self) -> None:
        """Refuse values that no model of the architecture can have."""

    @abstractmethod
    def tensors(self) -> dict[str, TensorSpec]:
        """Return the tensors of a model of this shape by name."""

    def as_settings(self) -> dict[str, Any]:
        """Return the shape as plain values for a model's settings."""
        return {**asdict(self), "adaptive_cutoffs": list(self.adaptive_cutoffs)}

    @property
    def reader_units(self) -> int:
        """Return the units of the reader's two directions together."""
        return 2 * self.reader_units_a_direction


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperShape(CommonShape):
    """Sizes and wiring of the paper's architecture."""

    encoder_units: int
    decoder_input: Literal["reader_state", "token_only"]
    decoder_start: Literal["reader_state", "zeros"]
    end_mark_in_keywords: bool

    def check(self) -> None:
        """Refuse values that no model of the architecture can have."""
        check_sizes(self, (*_COMMON_SIZES, "encoder_units"))
        check_softmax(self)
        _check_choice("decoder_input", self.decoder_input, ("reader_state", "token_only"))
        _check_choice("decoder_start", self.decoder_start, ("reader_state", "zeros"))
        if self.decoder_start == "reader_state" and self.reader_units != self.decoder_units:
            raise invalid(
                "decoder_units", self.decoder_units, f"{self.reader_units}, as the reader"
            )
        if type(self.end_mark_in_keywords) is not bool:
            raise invalid("end_mark_in_keywords", self.end_mark_in_keywords, "true or false")

    @property
    def decoder_inputs(self) -> int:
        """Return the size of the decoder's input: last token, and the reader's last state."""
        reader = self.reader_units if self.decoder_input == "reader_state" else 0
        return self.embedding_units + reader

    def tensors(self) -> dict[str, TensorSpec]:
        """Return the tensors of a model of this shape by name."""
        units, reader, embedding = self.decoder_units, self.reader_units, self.embedding_units
        return _float32_specs(
            {
                "encoder.embedding.weight": (self.vocabulary_size, embedding),
                **lstm_tensors("encoder.lstm", embedding, self.encoder_units),
                "encoder.keep.weight": (1, self.encoder_units),
                "encoder.keep.bias": (1,),
                "decoder.embedding.weight": (self.vocabulary_size, embedding),
                **bidirectional_lstm_tensors(
                    "decoder.reader", embedding, self.reader_units_a_direction
                ),
                **lstm_tensors("decoder.lstm", self.decoder_inputs, units),
                "decoder.attend.weight": (reader, units),
                "decoder.combine.weight": (units, reader + units),
                "decoder.generate.weight": (1, reader + units + embedding),
                "decoder.generate.bias": (1,),
                **softmax_tensors(self),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MonotoneShape(CommonShape):
    """Sizes of the architecture with a monotone decoder and a surprisal encoder."""

    encoder_embedding_units: int
    encoder_units_a_direction: int

    def check(self) -> None:
        """Refuse values that no model of the architecture can have."""
        check_sizes(self, (*_COMMON_SIZES, "encoder_embedding_units", "encoder_units_a_direction"))
        check_softmax(self)

    @property
    def encoder_inputs(self) -> int:
        """Return the size of the encoder's input: token and budget features."""
        return self.encoder_embedding_units + ENCODER_FEATURES

    @property
    def decoder_inputs(self) -> int:
        """Return the size of the decoder's input: last token, next keyword, budget features."""
        return self.embedding_units + self.reader_units + DECODER_FEATURES

    def tensors(self) -> dict[str, TensorSpec]:
        """Return the tensors of a model of this shape by name."""
        encoder, reader = self.encoder_units_a_direction, self.reader_units_a_direction
        return _float32_specs(
            {
                "encoder.embedding.weight": (self.vocabulary_size, self.encoder_embedding_units),
                **bidirectional_lstm_tensors("encoder.lstm", self.encoder_inputs, encoder),
                "encoder.costs.weight": (2, 2 * encoder),
                "encoder.costs.bias": (2,),
                "decoder.embedding.weight": (self.vocabulary_size, self.embedding_units),
                **bidirectional_lstm_tensors("decoder.reader", self.embedding_units, reader),
                **lstm_tensors("decoder.lstm", self.decoder_inputs, self.decoder_units),
                "decoder.place.weight": (1, self.decoder_units),
                "decoder.place.bias": (1,),
                **softmax_tensors(self),
            }
        )


_COMMON_SIZES = ("vocabulary_size", "embedding_units", "reader_units_a_direction", "decoder_units")


SHAPES: dict[str, type[CommonShape]] = {
    PAPER: PaperShape,
    MONOTONE: MonotoneShape,
}
"""The architectures: `model.architecture` of a config, `architecture` of a model folder → shape."""


def lstm_tensors(prefix: str, inputs: int, units: int, suffix: str = "") -> TensorShapes:
    """Return the tensors of one direction of an LSTM, with torch's names."""
    return {
        f"{prefix}.weight_ih_l0{suffix}": (4 * units, inputs),
        f"{prefix}.weight_hh_l0{suffix}": (4 * units, units),
        f"{prefix}.bias_ih_l0{suffix}": (4 * units,),
        f"{prefix}.bias_hh_l0{suffix}": (4 * units,),
    }


def bidirectional_lstm_tensors(prefix: str, inputs: int, units: int) -> TensorShapes:
    """Return the tensors of both directions of an LSTM, with torch's names."""
    forward = lstm_tensors(prefix, inputs, units)
    return {**forward, **lstm_tensors(prefix, inputs, units, "_reverse")}


def softmax_tensors(shape: SoftmaxShape) -> TensorShapes:
    """Return the tensors of the decoder's softmax, with torch's names."""
    prefix, units = "decoder.softmax.output", shape.decoder_units
    if shape.softmax == "full":
        return {
            f"{prefix}.weight": (shape.vocabulary_size, units),
            f"{prefix}.bias": (shape.vocabulary_size,),
        }
    ends = [*shape.adaptive_cutoffs, shape.vocabulary_size]
    shapes: TensorShapes = {f"{prefix}.head.weight": (ends[0] + len(ends) - 1, units)}
    for index, (start, end) in enumerate(pairwise(ends)):
        inner = int(units // shape.adaptive_division ** (index + 1))
        shapes[f"{prefix}.tail.{index}.0.weight"] = (inner, units)
        shapes[f"{prefix}.tail.{index}.1.weight"] = (end - start, inner)
    return shapes


def check_sizes(shape: object, names: Iterable[str]) -> None:
    """Raise TerselyError unless each named size is a whole number from 1 to MAX_SIZE."""
    for name in names:
        size = getattr(shape, name)
        if type(size) is not int or not 0 < size <= MAX_SIZE:
            raise invalid(name, size, f"a whole number from 1 to {MAX_SIZE:,}")


def check_softmax(shape: SoftmaxShape) -> None:
    """Raise TerselyError if the softmax, its clusters or its division are invalid."""
    cutoffs, division = shape.adaptive_cutoffs, shape.adaptive_division
    _check_choice("softmax", shape.softmax, ("full", "adaptive"))
    if (shape.softmax == "adaptive") != bool(cutoffs):
        raise invalid("adaptive_cutoffs", cutoffs, "empty if and only if softmax is full")
    is_whole = all(type(cutoff) is int for cutoff in cutoffs)
    if (
        len(cutoffs) > MAX_CUTOFFS
        or not is_whole
        or not all(low < high for low, high in pairwise([0, *cutoffs, shape.vocabulary_size]))
    ):
        rule = f"at most {MAX_CUTOFFS} whole numbers that rise, below vocabulary_size"
        raise invalid("adaptive_cutoffs", cutoffs, rule)
    if type(division) not in (int, float) or not 1 <= division <= MAX_DIVISION:
        raise invalid("adaptive_division", division, f"a number from 1 to {MAX_DIVISION:,}")


def check_tensors(model: ModelFolder, shape: CommonShape) -> None:
    """Raise TerselyError if the vocabulary or a tensor does not fit the shape in the settings."""
    if shape.vocabulary_size != len(model.vocabulary):
        raise TerselyError(
            f"The model's vocabulary has {len(model.vocabulary):,} tokens, "
            f"but its settings give {shape.vocabulary_size:,}."
        )
    for name, spec in shape.tensors().items():
        tensor = model.tensors.get(name)
        if tensor is None:
            raise TerselyError(f"The model's tensor {name} is missing.")
        is_float32 = isinstance(tensor, QuantizedTensor) or tensor.dtype == np.float32
        if tensor.shape != spec.shape or not is_float32:
            raise TerselyError(f"The model's tensor {name} is not {spec}.")


def invalid(name: str, value: object, rule: str) -> TerselyError:
    """Return the error for a value of a shape."""
    return TerselyError(f"The model's settings: shape.{name} is {value!r:.80}, must be {rule}.")


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise invalid(name, value, " or ".join(choices))


def _float32_specs(shapes: TensorShapes) -> dict[str, TensorSpec]:
    return {name: TensorSpec(shape, "F32") for name, shape in shapes.items()}
