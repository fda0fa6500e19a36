"""The shape of a scheme: all that must be known to build one, or to run one again."""

from dataclasses import dataclass
from typing import Literal

from tersely.model.layers import (
    CommonShape,
    impossible,
    is_possible,
    lstm_tensors,
    softmax_tensors,
)
from tersely.model.validation import TensorSpec

ARCHITECTURE = "paper"
"""What a model folder of this shape calls itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeShape(CommonShape):
    """Sizes and wiring of encoder and decoder."""

    encoder_units: int
    decoder_input: Literal["reader_state", "token_only"]
    decoder_start: Literal["reader_state", "zeros"]
    end_mark_in_keywords: bool

    def check(self) -> None:
        """Refuse sizes and choices that make no scheme."""
        sizes = (
            self.vocabulary_size,
            self.embedding_units,
            self.encoder_units,
            self.reader_units_a_direction,
            self.decoder_units,
        )
        if (
            not is_possible(self, sizes)
            or self.decoder_input not in ("reader_state", "token_only")
            or self.decoder_start not in ("reader_state", "zeros")
            or (self.decoder_start == "reader_state" and self.reader_units != self.decoder_units)
            or type(self.end_mark_in_keywords) is not bool
        ):
            raise impossible()

    @property
    def decoder_inputs(self) -> int:
        """What the decoder reads at each step."""
        fed = self.reader_units if self.decoder_input == "reader_state" else 0
        return self.embedding_units + fed

    def tensors(self) -> dict[str, TensorSpec]:
        """Name every tensor of such a scheme, with its shape."""
        units, reader, embedding = self.decoder_units, self.reader_units, self.embedding_units
        shapes: dict[str, tuple[int, ...]] = {
            "encoder.embedding.weight": (self.vocabulary_size, embedding),
            **lstm_tensors("encoder.lstm", embedding, self.encoder_units),
            "encoder.keep.weight": (1, self.encoder_units),
            "encoder.keep.bias": (1,),
            "decoder.embedding.weight": (self.vocabulary_size, embedding),
            **lstm_tensors("decoder.reader", embedding, self.reader_units_a_direction),
            **lstm_tensors("decoder.reader", embedding, self.reader_units_a_direction, "_reverse"),
            **lstm_tensors("decoder.lstm", self.decoder_inputs, units),
            "decoder.attend.weight": (reader, units),
            "decoder.combine.weight": (units, reader + units),
            "decoder.generate.weight": (1, reader + units + embedding),
            "decoder.generate.bias": (1,),
            **softmax_tensors(self),
        }
        return {name: TensorSpec(shape, "F32") for name, shape in shapes.items()}
