"""The shape of a scheme: all that must be known to build one, or to run one again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, Literal

from tersely.errors import TerselyError
from tersely.model.checks import TensorSpec

ARCHITECTURE = "paper"
"""What a model folder of this shape calls itself."""
MAX_CUTOFFS, MAX_DIVISION = 64, 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeShape:
    """Sizes and wiring of encoder and decoder."""

    vocabulary_size: int
    embedding_units: int
    encoder_units: int
    reader_units_a_direction: int
    decoder_units: int
    decoder_input: Literal["reader_state", "token_only"]
    decoder_start: Literal["reader_state", "zeros"]
    end_mark_in_keywords: bool
    softmax: Literal["full", "adaptive"]
    adaptive_cutoffs: tuple[int, ...]
    """Where the softmax's clusters end, without the last; empty for the full one."""
    adaptive_division: float

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "SchemeShape":
        """Read a shape from a model's settings; refuse what no scheme can have."""
        table = settings.get("shape")
        names = {item.name for item in fields(cls)}
        if (
            not isinstance(table, dict)
            or set(table) != names
            or not isinstance(table["adaptive_cutoffs"], (list, tuple))
        ):
            raise TerselyError("The model's settings do not describe the shape of a scheme.")
        shape = cls(**{**table, "adaptive_cutoffs": tuple(table["adaptive_cutoffs"])})
        shape.check()
        return shape

    def check(self) -> None:
        """Refuse sizes and choices that make no scheme."""
        sizes = (
            self.vocabulary_size,
            self.embedding_units,
            self.encoder_units,
            self.reader_units_a_direction,
            self.decoder_units,
        )
        cutoffs, division = self.adaptive_cutoffs, self.adaptive_division
        if (
            not all(type(size) is int and 0 < size < 1 << 24 for size in (*sizes, *cutoffs))
            or list(cutoffs) != sorted(set(cutoffs))
            or len(cutoffs) > MAX_CUTOFFS
            or any(cutoff >= self.vocabulary_size for cutoff in cutoffs)
            or (self.softmax == "adaptive") != bool(cutoffs)
            or self.softmax not in ("full", "adaptive")
            or self.decoder_input not in ("reader_state", "token_only")
            or self.decoder_start not in ("reader_state", "zeros")
            or (self.decoder_start == "reader_state" and self.reader_units != self.decoder_units)
            or type(self.end_mark_in_keywords) is not bool
            or type(division) not in (int, float)
            or not 1 <= division <= MAX_DIVISION
        ):
            raise TerselyError("The model's settings describe a shape that no scheme can have.")

    def as_settings(self) -> dict[str, Any]:
        """As plain values, for a model's settings."""
        return {**asdict(self), "adaptive_cutoffs": list(self.adaptive_cutoffs)}

    @property
    def reader_units(self) -> int:
        """Both directions of the reader together."""
        return 2 * self.reader_units_a_direction

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
            **_lstm("encoder.lstm", embedding, self.encoder_units),
            "encoder.keep.weight": (1, self.encoder_units),
            "encoder.keep.bias": (1,),
            "decoder.embedding.weight": (self.vocabulary_size, embedding),
            **_lstm("decoder.reader", embedding, self.reader_units_a_direction),
            **_lstm("decoder.reader", embedding, self.reader_units_a_direction, "_reverse"),
            **_lstm("decoder.lstm", self.decoder_inputs, units),
            "decoder.attend.weight": (reader, units),
            "decoder.combine.weight": (units, reader + units),
            "decoder.generate.weight": (1, reader + units + embedding),
            "decoder.generate.bias": (1,),
            **self._softmax(),
        }
        return {name: TensorSpec(shape, "F32") for name, shape in shapes.items()}

    def _softmax(self) -> dict[str, tuple[int, ...]]:
        prefix, units = "decoder.softmax.output", self.decoder_units
        if self.softmax == "full":
            return {
                f"{prefix}.weight": (self.vocabulary_size, units),
                f"{prefix}.bias": (self.vocabulary_size,),
            }
        ends = [*self.adaptive_cutoffs, self.vocabulary_size]
        found: dict[str, tuple[int, ...]] = {
            f"{prefix}.head.weight": (ends[0] + len(ends) - 1, units)
        }
        for index, (start, end) in enumerate(pairwise(ends)):
            inner = int(units // self.adaptive_division ** (index + 1))
            found[f"{prefix}.tail.{index}.0.weight"] = (inner, units)
            found[f"{prefix}.tail.{index}.1.weight"] = (end - start, inner)
        return found


def _lstm(prefix: str, inputs: int, units: int, suffix: str = "") -> dict[str, tuple[int, ...]]:
    return {
        f"{prefix}.weight_ih_l0{suffix}": (4 * units, inputs),
        f"{prefix}.weight_hh_l0{suffix}": (4 * units, units),
        f"{prefix}.bias_ih_l0{suffix}": (4 * units,),
        f"{prefix}.bias_hh_l0{suffix}": (4 * units,),
    }
