"""No array makes a kernel read or write beyond it."""

import itertools

import numpy as np
import pytest

compiled = pytest.importorskip("tersely.runtime.kernels.compiled", reason="there was no compiler")


def floats(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def ids(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int64)


def doubles(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float64)


def right() -> dict[str, list[object]]:
    """Arguments that fit, of each kernel."""
    bools = np.zeros
    return {
        "multiply": [floats(3, 5), floats(2, 5, 32), floats(3, 40), False],
        "multiply_bytes": [
            floats(3, 5),
            np.zeros((2, 3, 64), np.int8),
            floats(64),
            floats(3, 40),
            True,
        ],
        "remember": [floats(3, 8), floats(3, 2), floats(3, 2), floats(3, 2)],
        "log_sum": [floats(3, 7), floats(3)],
        "best": [
            floats(3, 9),
            floats(3),
            floats(3),
            ids(3, 2),
            floats(3, 2),
            ids(3, 4),
            floats(3, 4),
            9,
        ],
        "follow": [
            floats(3, 6),
            ids(3, 6),
            doubles(3),
            np.zeros(3, np.uint64),
            ids(3),
            ids(3),
            bools(3, np.bool_),
            bools(10, np.bool_),
            bools(10, np.bool_),
            np.array([0, 1, 3]),
            bools(2, np.bool_),
            ids(2),
            ids(8),
            ids(8),
            ids(8),
            doubles(8),
            np.zeros(8, np.uint64),
            ids(18),
            doubles(18),
            4,
            2,
            3,
        ],
    }


NAMES = ("multiply", "multiply_bytes", "remember", "log_sum", "best", "follow")


@pytest.mark.parametrize("name", NAMES)
def test_what_fits_is_taken(name: str) -> None:
    found = getattr(compiled, name)(*right()[name])
    assert found == ((4, 0) if name == "follow" else None)


def wrong(array: np.ndarray) -> list[object]:
    """The same with another type, length, number of axes or order; or no array at all."""
    longer = [
        np.zeros([size + (axis == other) for other, size in enumerate(array.shape)], array.dtype)
        for axis in range(array.ndim)
    ]
    shorter = [array.take(range(array.shape[axis] - 1), axis) for axis in range(array.ndim)]
    other = np.float64 if array.dtype != np.float64 else np.float32
    strided = np.zeros([2 * size for size in array.shape], array.dtype)
    return [
        array.astype(other),
        array[None],
        strided[tuple(slice(None, None, 2) for _ in array.shape)],
        *longer,
        *shorter,
        None,
        "no array",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_fit_is_refused(name: str) -> None:
    kernel, arguments = getattr(compiled, name), right()[name]
    refused = 0
    for place, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray):
            continue
        for instead in wrong(argument):
            given = [*arguments]
            given[place] = instead
            if is_meant(name, place, argument, instead):
                continue
            with pytest.raises((ValueError, TypeError, BufferError)):
                kernel(*given)
            refused += 1
    assert refused > 10
    for count in range(len(arguments)):
        with pytest.raises((ValueError, TypeError)):
            kernel(*arguments[:count])


def is_meant(name: str, place: int, argument: np.ndarray, instead: object) -> bool:
    """Some lengths are free: of scores beside those that count, of the last panel and pair."""
    if not isinstance(instead, np.ndarray) or instead.dtype != argument.dtype:
        return False
    if instead.ndim != argument.ndim or not instead.flags.c_contiguous:
        return False
    columns_differ = instead.shape[:1] == argument.shape[:1]
    if name == "multiply_bytes" and place == 0:
        return instead.shape == (3, 6)  # as many pairs of units as five are
    free = {
        "multiply": {2},
        "multiply_bytes": {3},
        "log_sum": {0},
        "best": {0} if instead.shape[-1] >= 9 else set(),
    }
    return columns_differ and place in free.get(name, set())


def test_what_is_written_must_be_writable() -> None:
    written = {
        "multiply": (2,),
        "multiply_bytes": (3,),
        "remember": (2, 3),
        "log_sum": (1,),
        "best": (0, 5, 6),
        "follow": tuple(range(11, 19)),
    }
    for name, place in ((name, place) for name, places in written.items() for place in places):
        arguments = right()[name]
        arguments[place].flags.writeable = False  # type: ignore[attr-defined]
        with pytest.raises((ValueError, BufferError)):
            getattr(compiled, name)(*arguments)


def test_starts_must_lie_within_the_rows() -> None:
    for starts in itertools.product((-1, 0, 1, 4), (0, 2, 99), (2, 3, 4)):
        arguments = right()["follow"]
        arguments[9] = np.array(starts)
        if starts == (0, 0, 3) or starts == (0, 2, 3):
            compiled.follow(*arguments)
        else:
            with pytest.raises(ValueError, match="do not fit"):
                compiled.follow(*arguments)


def test_what_is_written_may_be_the_memory_of_what_is_read() -> None:
    starts, rows = np.array([0, 2000, 4000]), 4000
    one_each = [ids(rows), ids(rows), np.zeros(rows, np.bool_)]
    tables = [np.zeros(10, np.bool_), np.zeros(10, np.bool_)]
    written = [starts[1:], ids(2), ids(2), ids(2), doubles(2), np.zeros(2, np.uint64)]
    going, ended = compiled.follow(
        floats(rows, 6),
        np.full((rows, 6), 7),
        doubles(rows),
        np.zeros(rows, np.uint64),
        *one_each,
        *tables,
        starts,
        np.zeros(2, np.bool_),
        *written,
        ids(6 * rows),
        doubles(6 * rows),
        1,
        1,
        3,
    )
    assert (going, ended) == (2, 0)


@pytest.mark.parametrize("width", [0, -1, 5, 1 << 40, (1 << 63) - 1])
def test_more_cannot_go_on_than_there_is_room_for(width: int) -> None:
    arguments = right()["follow"]
    arguments[19] = width
    with pytest.raises(ValueError, match="do not fit"):
        compiled.follow(*arguments)


def test_a_product_of_nothing_needs_no_room() -> None:
    nothing, scales = np.zeros((1, 0, 64), np.int8), floats(32)
    many = np.broadcast_to(np.float32(0), (1 << 50, 0)).copy()
    assert compiled.multiply_bytes(floats(0, 0), nothing, scales, floats(0, 7), False) is None
    assert compiled.multiply_bytes(many, nothing[:0], floats(0), many.copy(), False) is None
    found = floats(3, 7) + 1
    compiled.multiply_bytes(floats(3, 0), nothing, scales, found, False)
    assert not found.any(), "sums of no terms"


def test_more_units_than_bytes_are_good_for_are_refused() -> None:
    units = compiled.MOST_UNITS + 2
    panels = np.zeros((1, units // 2, 64), np.int8)
    with pytest.raises(ValueError, match="do not fit"):
        compiled.multiply_bytes(floats(1, units), panels, floats(32), floats(1, 7), False)


def test_words_beyond_the_tables_are_heard_and_may_come() -> None:
    arguments = right()["follow"]
    for word in (-5, 10, 1 << 40):
        arguments[1] = np.full((3, 6), word)
        going, ended = compiled.follow(*arguments)
        assert going > 0
        assert ended == 0


def test_the_instructions_are_told() -> None:
    assert compiled.INSTRUCTIONS in ("any", "avx2", "avx512")
