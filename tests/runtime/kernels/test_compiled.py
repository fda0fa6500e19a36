"""No argument makes a compiled kernel read or write beyond an array."""

import itertools
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

compiled = pytest.importorskip(
    "tersely.runtime.kernels.compiled", reason="no compiler at installation"
)

Array = npt.NDArray[Any]
Arguments = dict[str, Any]
KERNELS = ("multiply_float32", "multiply_int8", "lstm_cell", "logsumexp", "top_k", "prune")


def floats(*shape: int) -> Array:
    return np.zeros(shape, np.float32)


def doubles(*shape: int) -> Array:
    return np.zeros(shape, np.float64)


def ids(*shape: int) -> Array:
    return np.zeros(shape, np.int64)


def keys(*shape: int) -> Array:
    return np.zeros(shape, np.uint64)


def bools(*shape: int) -> Array:
    return np.zeros(shape, np.bool_)


def valid_arguments(kernel: str) -> Arguments:
    arguments: dict[str, Arguments] = {
        "multiply_float32": {
            "rows": floats(3, 5),
            "panels": floats(2, 5, 32),
            "out": floats(3, 40),
            "accumulate": False,
        },
        "multiply_int8": {
            "rows": floats(3, 5),
            "panels": np.zeros((2, 3, 64), np.int8),
            "scales": floats(64),
            "out": floats(3, 40),
            "accumulate": True,
        },
        "lstm_cell": {
            "gates": floats(3, 8),
            "cell": floats(3, 2),
            "next_hidden": floats(3, 2),
            "next_cell": floats(3, 2),
        },
        "logsumexp": {"scores": floats(3, 7), "out": floats(3)},
        "top_k": {
            "scores": floats(3, 9),
            "log_normalizer": floats(3),
            "threshold": floats(3),
            "override_columns": ids(3, 2),
            "override_values": floats(3, 2),
            "ids": ids(3, 4),
            "values": floats(3, 4),
            "columns": 9,
        },
        "prune": {
            "scores": floats(3, 6),
            "tokens": ids(3, 6),
            "hypothesis_score": doubles(3),
            "dedup_key": keys(3),
            "matched": ids(3),
            "next_keyword": ids(3),
            "may_end": bools(3),
            "is_ignored": bools(10),
            "is_forbidden": bools(10),
            "starts": np.array([0, 1, 3]),
            "reserves_slot": bools(2),
            "out_sizes": ids(2),
            "out_row": ids(8),
            "out_token": ids(8),
            "out_matched": ids(8),
            "out_score": doubles(8),
            "out_dedup_key": keys(8),
            "out_ended_row": ids(18),
            "out_ended_score": doubles(18),
            "width": 4,
            "max_duplicates": 2,
            "end_id": 3,
        },
    }
    return arguments[kernel]


@pytest.mark.parametrize("kernel", KERNELS)
def test_valid_arguments_are_accepted_in_any_order(kernel: str) -> None:
    expected = (4, 0) if kernel == "prune" else None
    arguments = valid_arguments(kernel)
    assert getattr(compiled, kernel)(**arguments) == expected
    assert getattr(compiled, kernel)(**dict(reversed(arguments.items()))) == expected


def invalid_arrays(array: Array) -> list[object]:
    """The same with another type, length, number of axes or order; and no array at all."""
    longer = [
        np.zeros([size + (axis == other) for other, size in enumerate(array.shape)], array.dtype)
        for axis in range(array.ndim)
    ]
    shorter = [array.take(range(array.shape[axis] - 1), axis) for axis in range(array.ndim)]
    other_type = np.float64 if array.dtype != np.float64 else np.float32
    strided = np.zeros([2 * size for size in array.shape], array.dtype)
    return [
        array.astype(other_type),
        array.astype(array.dtype.newbyteorder(">")) if array.dtype.itemsize > 1 else None,
        array[None],
        strided[tuple(slice(None, None, 2) for _ in array.shape)],
        *longer,
        *shorter,
        None,
        "no array",
    ]


@pytest.mark.parametrize("kernel", KERNELS)
def test_invalid_arguments_are_refused(kernel: str) -> None:
    function, arguments = getattr(compiled, kernel), valid_arguments(kernel)
    refused = 0
    for name, argument in arguments.items():
        if not isinstance(argument, np.ndarray):
            with pytest.raises(ValueError, match=f"argument '{name}' must be an integer"):
                function(**{**arguments, name: "no integer"})
            continue
        for invalid in invalid_arrays(argument):
            if is_allowed(kernel, name, argument, invalid):
                continue
            with pytest.raises(ValueError, match=re.escape(f"{kernel}(): ")):
                function(**{**arguments, name: invalid})
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("kernel", KERNELS)
def test_missing_unknown_and_positional_arguments_are_refused(kernel: str) -> None:
    function, arguments = getattr(compiled, kernel), valid_arguments(kernel)
    for name in arguments:
        others = {other: value for other, value in arguments.items() if other != name}
        with pytest.raises(TypeError, match="all by keyword"):
            function(**others)
        with pytest.raises(TypeError, match=f"argument '{name}' is missing"):
            function(**others, unknown=arguments[name])
    with pytest.raises(TypeError, match="all by keyword"):
        function(*arguments.values())


def is_allowed(kernel: str, name: str, argument: Array, other: object) -> bool:
    """Some lengths are free: unused columns of scores, and those of the last panel and pair."""
    if not isinstance(other, np.ndarray) or other.dtype != argument.dtype:
        return False
    if other.ndim != argument.ndim or not other.flags.c_contiguous:
        return False
    if kernel == "multiply_int8" and name == "rows":
        return bool(other.shape == (3, 6))  # as many pairs of units as five are
    if other.shape[:1] != argument.shape[:1]:
        return False
    if (kernel, name) == ("top_k", "scores"):
        return bool(other.shape[-1] >= 9)
    free = (("multiply_float32", "out"), ("multiply_int8", "out"), ("logsumexp", "scores"))
    return (kernel, name) in free


def test_errors_name_the_argument_and_what_it_must_be() -> None:
    arguments = valid_arguments("lstm_cell")
    with pytest.raises(
        ValueError, match=re.escape("lstm_cell(): argument 'cell' must be a C-cont")
    ):
        compiled.lstm_cell(**{**arguments, "cell": doubles(3, 2)})
    message = "lstm_cell(): argument 'next_cell' has size 4 on axis 0 (rows); expected 3"
    with pytest.raises(ValueError, match=re.escape(message)):
        compiled.lstm_cell(**{**arguments, "next_cell": floats(4, 2)})
    with pytest.raises(ValueError, match="gates must have four times the units of cell"):
        compiled.lstm_cell(**{**arguments, "gates": floats(3, 9)})


def test_arrays_that_are_written_must_be_writable() -> None:
    written = {
        "multiply_float32": ("out",),
        "multiply_int8": ("out",),
        "lstm_cell": ("next_hidden", "next_cell"),
        "logsumexp": ("out",),
        "top_k": ("scores", "ids", "values"),
        "prune": tuple(name for name in valid_arguments("prune") if name.startswith("out_")),
    }
    for kernel, names in written.items():
        for name in names:
            arguments = valid_arguments(kernel)
            arguments[name].flags.writeable = False
            with pytest.raises(ValueError, match=f"'{name}' must be a writable"):
                getattr(compiled, kernel)(**arguments)


def test_starts_must_lie_within_the_rows() -> None:
    for starts in itertools.product((-1, 0, 1, 4), (0, 2, 99), (2, 3, 4)):
        arguments = {**valid_arguments("prune"), "starts": np.array(starts)}
        if starts in ((0, 0, 3), (0, 2, 3)):
            compiled.prune(**arguments)
        else:
            with pytest.raises(ValueError, match="starts must ascend"):
                compiled.prune(**arguments)


def test_a_written_array_may_share_memory_with_one_that_is_read() -> None:
    starts, rows = np.array([0, 2000, 4000]), 4000
    arguments = {
        **valid_arguments("prune"),
        "scores": floats(rows, 6),
        "tokens": np.full((rows, 6), 7),
        "hypothesis_score": doubles(rows),
        "dedup_key": keys(rows),
        "matched": ids(rows),
        "next_keyword": ids(rows),
        "may_end": bools(rows),
        "starts": starts,
        "out_sizes": starts[1:],
        "out_row": ids(2),
        "out_token": ids(2),
        "out_matched": ids(2),
        "out_score": doubles(2),
        "out_dedup_key": keys(2),
        "out_ended_row": ids(6 * rows),
        "out_ended_score": doubles(6 * rows),
        "width": 1,
        "max_duplicates": 1,
    }
    assert compiled.prune(**arguments) == (2, 0)


def test_columns_to_override_may_be_overwritten_by_the_result() -> None:
    shared = ids(3, 4)
    arguments = {
        **valid_arguments("top_k"),
        "override_columns": shared,
        "override_values": floats(3, 4),
        "ids": shared,
    }
    compiled.top_k(**arguments)


@pytest.mark.parametrize("width", [0, -1, 5, 1 << 40, (1 << 63) - 1])
def test_the_width_must_fit_the_result(width: int) -> None:
    with pytest.raises(ValueError, match="width"):
        compiled.prune(**{**valid_arguments("prune"), "width": width})


def test_a_product_without_units_or_columns_needs_no_memory() -> None:
    panels, scales = np.zeros((1, 0, 64), np.int8), floats(32)

    def multiply(rows: Array, panels: Array, scales: Array, out: Array) -> None:
        compiled.multiply_int8(rows=rows, panels=panels, scales=scales, out=out, accumulate=False)

    many = np.broadcast_to(np.float32(0), (1 << 50, 0)).copy()
    multiply(floats(0, 0), panels, scales, floats(0, 7))
    multiply(many, panels[:0], floats(0), many.copy())
    out = floats(3, 7) + 1
    multiply(floats(3, 0), panels, scales, out)
    assert not out.any(), "sums of no terms"


def test_more_units_than_int8_products_allow_are_refused() -> None:
    units = compiled.MAX_INT8_UNITS + 2
    panels = np.zeros((1, units // 2, 64), np.int8)
    with pytest.raises(ValueError, match="too many units"):
        compiled.multiply_int8(
            rows=floats(1, units), panels=panels, scales=floats(32), out=floats(1, 7), accumulate=0
        )


def test_tokens_beyond_the_tables_are_allowed() -> None:
    for token in (-5, 10, 1 << 40):
        arguments = {**valid_arguments("prune"), "tokens": np.full((3, 6), token)}
        continuing, ended = compiled.prune(**arguments)
        assert continuing > 0
        assert ended == 0


def test_the_instruction_set_has_a_name() -> None:
    assert compiled.INSTRUCTIONS in ("generic", "avx2", "avx512")
