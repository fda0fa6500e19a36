"""What is compiled says what plain.py says, with every kind of instruction."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tersely.runtime.kernels.compiled", reason="there was no compiler")

from tersely.model.quantization import compress, expand
from tersely.runtime.kernels import beam, fast, plain
from tests.runtime.kernels.test_beam import END, some_field

RNG = np.random.default_rng(1)
SHAPES = [(1, 1), (3, 31), (7, 32), (5, 33), (64, 100), (256, 1024), (300, 1001), (700, 40)]


def numbers(*shape: int, scale: float = 1.0) -> np.ndarray:
    return RNG.normal(scale=scale, size=shape).astype(np.float32)


@pytest.mark.parametrize("rows", [0, 1, 2, 5, 6, 7, 8, 9, 13, 160])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_products_are_products(rows: int, shape: tuple[int, int], kind: str) -> None:
    units, columns = shape
    weight, left = numbers(columns, units), numbers(rows, units)
    if kind == "int8":
        weight = in_bytes(weight)
    ours, theirs = fast.Matrix(weight), plain.Matrix(weight)
    is_whole = kind == "int8" or units == 1
    assert (ours._bytes is not None) == (is_whole and fast.KIND != "any")
    assert ours.shape == theirs.shape
    onto = numbers(rows, columns)
    for more in (None, onto):
        found = ours.times(left, None if more is None else more.copy())
        expected = theirs.times(left, None if more is None else more.copy())
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=rounding(kind, left, weight))


def rounding(kind: str, left: np.ndarray, weight: np.ndarray) -> float:
    """What products may be off by; rows that meet bytes are rounded to whole steps."""
    if kind == "float32" or not left.size:
        return 1e-4
    units = left.shape[1]
    step = np.abs(left).max() / min(32767, 2**31 / 127 / units)
    return 1e-4 + 3.0 * float(step * np.abs(weight).max() * np.sqrt(units))


def in_bytes(weight: np.ndarray) -> np.ndarray:
    """As a model stored in bytes is when it is loaded again."""
    stored = compress({"x": np.resize(weight, (len(weight), max(4096, weight.shape[1])))}, "int8")
    widened: np.ndarray = expand(stored)["x"][:, : weight.shape[1]]
    widened[:, 0] = stored["x.scales"] * 127
    return widened


def test_some_units_of_a_matrix_in_bytes_keep_its_steps() -> None:
    weight = in_bytes(numbers(40, 60))
    ours, left = fast.Matrix(weight, 20, 50), numbers(3, 30)
    assert (ours._bytes is not None) == (fast.KIND != "any")
    expected = left @ weight[:, 20:50].T
    np.testing.assert_allclose(ours.times(left), expected, atol=rounding("int8", left, weight))


@pytest.mark.parametrize("units", [70, 71])
def test_a_row_comes_out_the_same_in_any_company(units: int) -> None:
    for weight in (numbers(100, units), in_bytes(numbers(100, units))):
        matrix, rows, onto = fast.Matrix(weight), numbers(50, units), numbers(50, 100)
        together, added = matrix.times(rows), matrix.times(rows, onto.copy())
        for row in range(len(rows)):
            alone = slice(row, row + 1)
            assert np.array_equal(matrix.times(rows[alone])[0], together[row])
            assert np.array_equal(matrix.times(rows[alone], onto[alone].copy())[0], added[row])


def test_columns_of_nothing_but_zeros_are_no_trouble() -> None:
    weight = in_bytes(numbers(10, 20))
    weight[3] = 0
    left = numbers(2, 20)
    found = fast.Matrix(weight).times(left)
    np.testing.assert_allclose(found, left @ weight.T, atol=rounding("int8", left, weight))
    assert fast.in_steps(np.zeros((0, 5), np.float32)) is None


@pytest.mark.parametrize("units", [1, 2, 511, 512, 513, 516, 1024])
@pytest.mark.parametrize("rows", [1, 20])
def test_the_greatest_bytes_and_rows_do_not_overflow(units: int, rows: int) -> None:
    for weight in (127, -128):
        panels = np.full((2, (units + 1) // 2, 64), weight, np.int8)
        found = np.empty((rows, 33), np.float32)
        left = np.full((rows, units), -3.0, np.float32)
        fast.compiled.multiply_bytes(left, panels, np.ones(64, np.float32), found, False)
        expected = np.full((rows, 33), -3.0 * weight * units)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_what_stands_behind_an_odd_number_of_units_counts_nothing() -> None:
    panels = np.full((1, 3, 64), 1, np.int8)
    panels[:, 2, 1::2] = 99  # the sixth unit of five
    for rows in (1, 20):
        left, found = np.ones((rows, 5), np.float32), np.empty((rows, 32), np.float32)
        fast.compiled.multiply_bytes(left, panels, np.ones(32, np.float32), found, False)
        assert found == pytest.approx(np.full((rows, 32), 5.0))


def test_a_matrix_of_very_many_units_is_kept_in_floats() -> None:
    most = fast.compiled.MOST_UNITS
    for units, may in ((most, fast.KIND != "any"), (most + 1, False)):
        matrix = fast.Matrix(np.full((3, units), 0.5, np.float32))
        assert (matrix._bytes is not None) == may
        assert matrix.times(np.ones((2, units), np.float32)) == pytest.approx(
            np.full((2, 3), units / 2), rel=1e-5
        )


@pytest.mark.parametrize("columns", [1, 15, 16, 17, 20, 31, 32, 33, 64, 65])
@pytest.mark.parametrize("rows", [1, 9])
def test_nothing_is_written_beside_a_product(columns: int, rows: int) -> None:
    around = np.full(rows * columns + 40, 7.0, np.float32)
    out = around[20:-20].reshape(rows, columns)
    panels = -(-columns // 32)
    arguments = (np.zeros((panels, 2, 64), np.int8), np.ones(panels * 32, np.float32), out, False)
    fast.compiled.multiply_bytes(numbers(rows, 3), *arguments)
    assert (out == 0).all()
    fast.compiled.multiply(numbers(rows, 3), np.zeros((panels, 3, 32), np.float32), out, True)
    assert (around[:20] == 7).all()
    assert (around[-20:] == 7).all()


def test_a_matrix_without_units_gives_nothing() -> None:
    for rows in (np.zeros((2, 0), np.float32), np.zeros((2, 3, 0), np.float32)):
        found = fast.Matrix(numbers(5, 4), 3, 3).times(rows)
        assert found.shape == (*rows.shape[:-1], 5)
        assert not found.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2e30, -2e30])
def test_a_row_that_holds_no_number_has_no_products_and_the_others_have_theirs(
    value: float,
) -> None:
    weight = in_bytes(numbers(40, 37))
    matrix = fast.Matrix(weight)
    for place in (0, 16, 36):
        left = numbers(3, 37)
        left[1, place] = value
        found = matrix.times(left)
        assert matrix._bytes is None or np.isnan(found[1]).all()
        assert np.isfinite(found[[0, 2]]).all()


def test_rows_of_next_to_nothing_give_next_to_nothing() -> None:
    matrix = fast.Matrix(in_bytes(numbers(40, 37)))
    for size in (0.0, 1e-44, 1e-31, 1.1e-30, 1e-20):
        found = matrix.times(np.full((2, 37), size, np.float32))
        assert np.abs(found).max() <= 1e3 * size


PRODUCTS_OF_BYTES = """
import numpy as np
from tersely.runtime.kernels import compiled
rng = np.random.default_rng(3)
print(compiled.INSTRUCTIONS)
for units, rows, columns in ((301, 11, 100), (50, 5, 20), (7, 1, 33)):
    panels = rng.integers(-127, 128, (-(-columns // 32), -(-units // 2), 64)).astype(np.int8)
    left, out = rng.normal(size=(rows, units)), rng.normal(size=(rows, columns))
    out, scales = out.astype(np.float32), rng.random(32 * len(panels), np.float32)
    for adds in (True, False):
        compiled.multiply_bytes(left.astype(np.float32), panels, scales, out, adds)
        print(out.tobytes().hex())
"""


def products_of_bytes(kind: str) -> list[str]:
    environment = {**os.environ, "TERSELY_KERNELS": kind}
    command = [sys.executable, "-c", PRODUCTS_OF_BYTES]
    return subprocess.check_output(command, env=environment, text=True).splitlines()


def test_bytes_give_the_same_to_the_bit_with_wide_and_wider_instructions() -> None:
    wide, *products = products_of_bytes("avx2")
    wider, *others = products_of_bytes("avx512")
    if wide == wider:
        pytest.skip("this processor has one of them only")
    assert products == others


def test_bytes_give_the_same_with_no_wide_instructions_up_to_rounding() -> None:
    for ours, theirs in zip(products_of_bytes("any")[1:], products_of_bytes("")[1:], strict=True):
        found, expected = (np.frombuffer(bytes.fromhex(one), np.float32) for one in (ours, theirs))
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=0.05)


@pytest.mark.parametrize("units", [1, 15, 16, 17, 256])
def test_gates_are_gates(units: int) -> None:
    gates, before = numbers(9, 4 * units, scale=6), numbers(9, units)
    for ours, theirs in zip(
        fast.remember(gates, before), plain.remember(gates, before), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_gates_far_out_are_shut_or_open() -> None:
    gates, before = np.full((1, 8), 1e4, np.float32), np.ones((1, 2), np.float32)
    gates[:, 1::2] = -1e4
    hidden, cell = fast.remember(gates, before)
    assert cell == pytest.approx(np.array([[2.0, 0.0]]), abs=1e-6)
    assert hidden == pytest.approx(np.array([[np.tanh(2.0), 0.0]]), abs=1e-6)


@pytest.mark.parametrize("columns", [1, 2, 15, 16, 17, 63, 64, 65, 1002, 6403])
def test_sums_and_the_best_are_the_same(columns: int) -> None:
    scores = numbers(20, columns, scale=4)
    scores[3] = 7.0  # all alike
    before = scores.copy()
    np.testing.assert_allclose(fast.log_sum(scores), plain.log_sum(scores), rtol=1e-6, atol=1e-5)
    shift = numbers(20)
    at = RNG.integers(-2, columns + 2, (20, 3))
    at[:, 2] = at[:, 1]  # twice the same: the same instead of it
    instead = numbers(20, 3, scale=4)
    instead[:, 2] = instead[:, 1]
    instead[::2, 0] = -np.inf
    for count in (1, 3, 13, 4000):
        for above in (-np.inf, 0.0, 1e6):
            floor = np.full(20, above, np.float32)
            changed = plain.Changed(at, instead, floor)
            for end in {columns, (columns + 1) // 2}:
                ours = fast.best(count, scores, end, shift, changed)
                theirs = plain.best(count, scores, end, shift, changed)
                assert_same_best(ours, theirs, above)
                told = changed_scores(scores, shift, at, instead, end)
                assert_where_they_are(ours, told)
    assert np.array_equal(scores, before)


def changed_scores(
    scores: np.ndarray, shift: np.ndarray, at: np.ndarray, instead: np.ndarray, end: int
) -> np.ndarray:
    found = scores[:, :end] + shift[:, None]
    for row, places in enumerate(at):
        for place, column in enumerate(places):
            if 0 <= column < end:
                found[row, column] = instead[row, place]
    return found


def assert_where_they_are(found: plain.Best, scores: np.ndarray) -> None:
    ids, values = found
    there = np.take_along_axis(scores, ids, axis=1)
    possible = values > -np.inf
    assert values[possible] == pytest.approx(there[possible], abs=1e-4)
    assert (ids[~possible] == 0).all()


def assert_same_best(ours: plain.Best, theirs: plain.Best, above: float) -> None:
    for ids, found, expected in zip(*ours, theirs[1], strict=True):
        wanted = np.sort(expected[expected > above])[::-1]
        possible = found[found > -np.inf]
        # What is hardly above the floor may fall either way.
        assert abs(len(possible) - len(wanted)) <= int((np.abs(wanted - above) < 1e-4).sum())
        count = min(len(possible), len(wanted))
        assert possible[:count] == pytest.approx(wanted[:count], abs=1e-4)
        assert len(set(ids[: len(possible)].tolist())) == len(possible)


def test_what_is_no_number_stays_none() -> None:
    for place in (0, 16, 64, 99):
        gates, before = numbers(2, 400), numbers(2, 100)
        gates[0, place] = np.nan
        for ours, theirs in zip(
            fast.remember(gates, before), plain.remember(gates, before), strict=True
        ):
            assert np.array_equal(np.isnan(ours), np.isnan(theirs))
        scores = numbers(3, 100)
        scores[0, place], scores[1, place] = np.nan, np.inf
        scores[0, 3] = 500.0
        with np.errstate(invalid="ignore"):
            expected = plain.log_sum(scores)
        assert np.array_equal(np.isnan(fast.log_sum(scores)), np.isnan(expected))


def test_the_best_pass_over_what_is_no_number() -> None:
    scores = numbers(1, 200)
    scores[0, 5], scores[0, 21], scores[0, 69] = 9.0, np.nan, np.nan
    ids, found = fast.top(scores, 3)
    assert ids[0, 0] == 5
    assert not np.isnan(found).any()


def test_arrays_of_any_kind_are_taken() -> None:
    scores = numbers(4, 9)
    scores.flags.writeable = False
    assert np.array_equal(fast.top(scores, 2)[1], -np.sort(-scores, axis=1)[:, :2])
    assert np.array_equal(fast.top(numbers(9, 4).T, 4)[1].shape, (4, 4))
    assert fast.top(numbers(3, 0), 2)[0].shape == (3, 0)
    matrix, rows, onto = fast.Matrix(numbers(5, 6)), numbers(2, 3, 6), numbers(2, 3, 5)
    expected = matrix.times(rows) + onto
    np.testing.assert_allclose(matrix.times(rows, onto.copy()), expected, rtol=1e-5, atol=1e-5)


def test_weights_next_to_nothing_are_no_trouble() -> None:
    with np.errstate(all="raise", under="ignore"):
        matrix = fast.Matrix(np.full((3, 4), 1e-44, np.float32))
    assert matrix.times(numbers(2, 4)) == pytest.approx(np.zeros((2, 3)), abs=1e-40)


def test_of_equals_the_first_come_first() -> None:
    ids, found = fast.top(np.zeros((1, 100), np.float32), 5)
    assert ids.tolist() == [[0, 1, 2, 3, 4]]
    assert found.tolist() == [[0.0] * 5]


@pytest.mark.parametrize("seed", range(150))
def test_the_same_is_followed(seed: int) -> None:
    field = some_field(seed)
    for width, alike in ((1, 1), (3, 2), (5, 1), (50, 50)):
        ours = fast.follow(field, width=width, alike=alike, end=END)
        theirs = beam.follow(field, width=width, alike=alike, end=END)
        for name in ("sizes", "row", "word", "placed", "heard", "ended_row"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
        assert ours.score == pytest.approx(theirs.score)
        assert ours.ended_score == pytest.approx(theirs.ended_score)


COMPUTED = """
import json, numpy as np
from tersely.runtime.kernels.chosen import KIND, Changed, Matrix, best, log_sum, remember
from tersely.runtime.kernels import compiled
rng = np.random.default_rng(5)
weight = rng.normal(size=(70, 50)).astype(np.float32)
whole = np.rint(weight * 20).clip(-127, 127)
whole[:, 0] = 127
rows = rng.normal(size=(11, 50)).astype(np.float32)
scores = Matrix(weight).times(rows)
padded = np.zeros((96, 50), np.int8)
padded[:70] = whole
panels = np.ascontiguousarray(padded.reshape(3, 32, 25, 2).transpose(0, 2, 1, 3)).reshape(3, 25, 64)
bytes_ = np.zeros((11, 70), np.float32)
compiled.multiply_bytes(rows, panels, np.full(96, 0.01, np.float32), bytes_, False)
assert np.allclose(bytes_, rows @ (whole * 0.01).T.astype(np.float32), atol=1e-3)
hidden, cell = remember(rng.normal(size=(11, 92)).astype(np.float32), rows[:, :23])
changed = Changed(np.zeros((11, 1), np.int64), np.zeros((11, 1), np.float32), rows[:, 0])
ids, found = best(6, scores, 70, rows[:, 1].copy(), changed)
both = [scores, bytes_, hidden, cell, log_sum(scores), np.sort(found, axis=1)]
print(json.dumps({"kind": KIND, "all": [np.where(one > -1e9, one, 0).tolist() for one in both]}))
"""


def computed(kind: str) -> tuple[str, list[np.ndarray]]:
    environment = {**os.environ, "TERSELY_KERNELS": kind}
    done = subprocess.run(
        [sys.executable, "-c", COMPUTED], env=environment, check=True, capture_output=True
    )
    found = json.loads(done.stdout)
    return found["kind"], [np.array(one) for one in found["all"]]


def test_narrower_instructions_compute_the_same() -> None:
    _, expected = computed("")
    for asked in ("any", "avx2", "numpy"):
        kind, found = computed(asked)
        assert kind in (asked, "any")
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)
