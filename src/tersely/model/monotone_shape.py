"""The shape of a scheme with a monotone decoder and a surprisal encoder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tersely.model.checks import TensorSpec
from tersely.model.hint import DECODER_FEATURES, ENCODER_FEATURES
from tersely.model.layers import (
    impossible,
    is_possible,
    lstm_tensors,
    read_shape,
    softmax_tensors,
)

MONOTONE = "monotone"
"""What a model folder of this shape calls itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonotoneShape:
    """Sizes of encoder and decoder."""

    vocabulary_size: int
    embedding_units: int
    encoder_embedding_units: int
    encoder_units_a_direction: int
    reader_units_a_direction: int
    decoder_units: int
    softmax: Literal["full", "adaptive"]
    adaptive_cutoffs: tuple[int, ...]
    """Where the softmax's clusters end, without the last; empty for the full one."""
    adaptive_division: float

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "MonotoneShape":
        """Read a shape from a model's settings; refuse what no scheme can have."""
        shape = read_shape(cls, settings)
        shape.check()
        return shape

    def check(self) -> None:
        """Refuse sizes and choices that make no scheme."""
        sizes = (
            self.vocabulary_size,
            self.embedding_units,
            self.encoder_embedding_units,
            self.encoder_units_a_direction,
            self.reader_units_a_direction,
            self.decoder_units,
        )
        if not is_possible(self, sizes):
            raise impossible()

    def as_settings(self) -> dict[str, Any]:
        """As plain values, for a model's settings."""
        return {**asdict(self), "adaptive_cutoffs": list(self.adaptive_cutoffs)}

    @property
    def reader_units(self) -> int:
        """Both directions of the reader together."""
        return 2 * self.reader_units_a_direction

    @property
    def encoder_inputs(self) -> int:
        """What the encoder reads at each token."""
        return self.encoder_embedding_units + ENCODER_FEATURES

    @property
    def decoder_inputs(self) -> int:
        """What the decoder reads at each step: last token, next keyword, hint."""
        return self.embedding_units + self.reader_units + DECODER_FEATURES

    def tensors(self) -> dict[str, TensorSpec]:
        """Name every tensor of such a scheme, with its shape."""
        encoder, reader = self.encoder_units_a_direction, self.reader_units_a_direction
        shapes: dict[str, tuple[int, ...]] = {
            "encoder.embedding.weight": (self.vocabulary_size, self.encoder_embedding_units),
            **lstm_tensors("encoder.lstm", self.encoder_inputs, encoder),
            **lstm_tensors("encoder.lstm", self.encoder_inputs, encoder, "_reverse"),
            "encoder.costs.weight": (2, 2 * encoder),
            "encoder.costs.bias": (2,),
            "decoder.embedding.weight": (self.vocabulary_size, self.embedding_units),
            **lstm_tensors("decoder.reader", self.embedding_units, reader),
            **lstm_tensors("decoder.reader", self.embedding_units, reader, "_reverse"),
            **lstm_tensors("decoder.lstm", self.decoder_inputs, self.decoder_units),
            "decoder.place.weight": (1, self.decoder_units),
            "decoder.place.bias": (1,),
            **softmax_tensors(self),
        }
        return {name: TensorSpec(shape, "F32") for name, shape in shapes.items()}
