"""The shape of a scheme with a monotone decoder and a surprisal encoder."""

from dataclasses import dataclass

from tersely.model.budget_features import DECODER_FEATURES, ENCODER_FEATURES
from tersely.model.layers import (
    CommonShape,
    impossible,
    is_possible,
    lstm_tensors,
    softmax_tensors,
)
from tersely.model.validation import TensorSpec

MONOTONE = "monotone"
"""What a model folder of this shape calls itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonotoneShape(CommonShape):
    """Sizes of encoder and decoder."""

    encoder_embedding_units: int
    encoder_units_a_direction: int

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
