"""Layers that every architecture is made of: what tensors they have, what sizes they can have."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, Literal, Protocol, Self

from tersely.errors import TerselyError

MAX_CUTOFFS, MAX_DIVISION = 64, 1024

Shapes = dict[str, tuple[int, ...]]


class SoftmaxShape(Protocol):
    """What the softmax needs to know of a scheme's shape."""

    @property
    def vocabulary_size(self) -> int:
        """Words there are."""

    @property
    def decoder_units(self) -> int:
        """Units it reads."""

    @property
    def softmax(self) -> Literal["full", "adaptive"]:
        """Which one."""

    @property
    def adaptive_cutoffs(self) -> tuple[int, ...]:
        """Where clusters end, without the last; empty for the full one."""

    @property
    def adaptive_division(self) -> float:
        """Each further cluster has this many times fewer units."""


def lstm_tensors(prefix: str, inputs: int, units: int, suffix: str = "") -> Shapes:
    """One direction of an LSTM, with torch's names."""
    return {
        f"{prefix}.weight_ih_l0{suffix}": (4 * units, inputs),
        f"{prefix}.weight_hh_l0{suffix}": (4 * units, units),
        f"{prefix}.bias_ih_l0{suffix}": (4 * units,),
        f"{prefix}.bias_hh_l0{suffix}": (4 * units,),
    }


def softmax_tensors(shape: SoftmaxShape) -> Shapes:
    """The decoder's softmax, full or adaptive, with torch's names."""
    prefix, units = "decoder.softmax.output", shape.decoder_units
    if shape.softmax == "full":
        return {
            f"{prefix}.weight": (shape.vocabulary_size, units),
            f"{prefix}.bias": (shape.vocabulary_size,),
        }
    ends = [*shape.adaptive_cutoffs, shape.vocabulary_size]
    found: Shapes = {f"{prefix}.head.weight": (ends[0] + len(ends) - 1, units)}
    for index, (start, end) in enumerate(pairwise(ends)):
        inner = int(units // shape.adaptive_division ** (index + 1))
        found[f"{prefix}.tail.{index}.0.weight"] = (inner, units)
        found[f"{prefix}.tail.{index}.1.weight"] = (end - start, inner)
    return found


def is_possible(shape: SoftmaxShape, sizes: Iterable[Any]) -> bool:
    """Whether a scheme can have these sizes and this softmax; they may come from a stranger."""
    cutoffs, division = shape.adaptive_cutoffs, shape.adaptive_division
    return (
        all(type(size) is int and 0 < size < 1 << 24 for size in (*sizes, *cutoffs))
        and list(cutoffs) == sorted(set(cutoffs))
        and len(cutoffs) <= MAX_CUTOFFS
        and all(cutoff < shape.vocabulary_size for cutoff in cutoffs)
        and shape.softmax in ("full", "adaptive")
        and (shape.softmax == "adaptive") == bool(cutoffs)
        and type(division) in (int, float)
        and 1 <= division <= MAX_DIVISION
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonShape(ABC):
    """What the shapes of all architectures have."""

    vocabulary_size: int
    embedding_units: int
    reader_units_a_direction: int
    decoder_units: int
    softmax: Literal["full", "adaptive"]
    adaptive_cutoffs: tuple[int, ...]
    """Where the softmax's clusters end, without the last; empty for the full one."""
    adaptive_division: float

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Read a shape from a model's settings; refuse what no scheme can have."""
        table = settings.get("shape")
        if (
            not isinstance(table, dict)
            or set(table) != {item.name for item in fields(cls)}
            or not isinstance(table["adaptive_cutoffs"], (list, tuple))
        ):
            raise TerselyError("The model's settings do not describe the shape of a scheme.")
        shape = cls(**{**table, "adaptive_cutoffs": tuple(table["adaptive_cutoffs"])})
        shape.check()
        return shape

    @abstractmethod
    def check(self) -> None:
        """Refuse sizes and choices that make no scheme; each architecture has its own."""

    def as_settings(self) -> dict[str, Any]:
        """As plain values, for a model's settings."""
        return {**asdict(self), "adaptive_cutoffs": list(self.adaptive_cutoffs)}

    @property
    def reader_units(self) -> int:
        """Both directions of the reader together."""
        return 2 * self.reader_units_a_direction


def impossible() -> TerselyError:
    """What to raise where `is_possible` says no."""
    return TerselyError("The model's settings describe a shape that no scheme can have.")
