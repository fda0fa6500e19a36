"""The compiled kernels agree with the NumPy ones, on every instruction set."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tersely.runtime.kernels.compiled", reason="no compiler at installation")

from tersely.model.quantization import QuantizedTensor, quantize
from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels import compiled, compiled_backend, numpy_backend, pruning
from tersely.runtime.kernels.numpy_backend import Overrides, TopK
from tests.runtime.kernels.test_pruning import END, LIMITS, random_candidates

RNG = np.random.default_rng(1)
SHAPES = [(1, 1), (3, 31), (7, 32), (5, 33), (64, 100), (256, 1024), (300, 1001), (700, 40)]


def normal(*shape: int, scale: float = 1.0) -> Floats:
    return RNG.normal(scale=scale, size=shape).astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES)
def test_products_of_float32_are_products(shape: tuple[int, int]) -> None:
    units, columns = shape
    weight = normal(columns, units)
    ours, theirs = compiled_backend.Matrix(weight), numpy_backend.Matrix(weight)
    assert not ours.is_int8
    assert_equal_products(ours, theirs, tolerance=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_products_of_int8_are_products_up_to_rounding(shape: tuple[int, int]) -> None:
    units, columns = shape
    weight = quantize(normal(columns, units))
    ours, theirs = compiled_backend.Matrix(weight), numpy_backend.Matrix(weight)
    assert ours.is_int8
    assert_equal_products(ours, theirs, tolerance=rounding_error(weight))


def assert_equal_products(
    ours: compiled_backend.Matrix, theirs: numpy_backend.Matrix, *, tolerance: float
) -> None:
    assert ours.shape == theirs.shape
    units, columns = ours.shape
    for count in (0, 1, 2, 5, 6, 7, 8, 9, 13, 160):
        rows, add_to = normal(count, units), normal(count, columns)
        np.testing.assert_allclose(
            ours.matmul(rows), theirs.matmul(rows), rtol=1e-4, atol=tolerance
        )
        np.testing.assert_allclose(
            ours.matmul(rows, add_to.copy()),
            theirs.matmul(rows, add_to.copy()),
            rtol=1e-4,
            atol=tolerance,
        )


def rounding_error(weight: QuantizedTensor, greatest: float = 5.0) -> float:
    """Bound the error from rows rounded to integers, for rows up to `greatest` in size."""
    units = weight.shape[1]
    step = greatest / min(32767, 2**31 / 128 / max(1, units))
    return 1e-4 + 3.0 * float(step * np.abs(weight.dequantized()).max() * np.sqrt(units))


def test_some_units_of_a_quantised_weight_keep_its_scales() -> None:
    weight = quantize(normal(40, 60))
    matrix, rows = compiled_backend.Matrix(weight, 20, 50), normal(3, 30)
    assert matrix.is_int8
    assert matrix.shape == (30, 40)
    expected = rows @ weight.dequantized()[:, 20:50].T
    np.testing.assert_allclose(matrix.matmul(rows), expected, atol=rounding_error(weight))


@pytest.mark.parametrize("units", [70, 71])
def test_the_product_of_a_row_does_not_depend_on_the_other_rows(units: int) -> None:
    for weight in (normal(100, units), quantize(normal(100, units))):
        matrix, rows, add_to = compiled_backend.Matrix(weight), normal(50, units), normal(50, 100)
        together, added = matrix.matmul(rows), matrix.matmul(rows, add_to.copy())
        for row in range(len(rows)):
            alone = slice(row, row + 1)
            assert np.array_equal(matrix.matmul(rows[alone])[0], together[row])
            assert np.array_equal(matrix.matmul(rows[alone], add_to[alone].copy())[0], added[row])


def test_columns_of_zeros_give_zeros() -> None:
    weight = quantize(np.concatenate([normal(3, 20), np.zeros((1, 20), np.float32)]))
    product = compiled_backend.Matrix(weight).matmul(normal(2, 20))
    assert not product[:, 3].any()
    assert product[:, :3].all()


@pytest.mark.parametrize("units", [1, 2, 511, 512, 513, 516, 1024])
@pytest.mark.parametrize("rows", [1, 20])
def test_the_greatest_int8_and_rows_do_not_overflow(units: int, rows: int) -> None:
    for value in (127, -128):
        weight = QuantizedTensor(np.full((33, units), value, np.int8), np.ones(33, np.float32))
        product = compiled_backend.Matrix(weight).matmul(np.full((rows, units), -3.0, np.float32))
        expected = np.full((rows, 33), -3.0 * value * units)
        np.testing.assert_allclose(product, expected, rtol=1e-6)


def test_the_padding_of_an_odd_number_of_units_does_not_count() -> None:
    panels = np.full((1, 3, 64), 1, np.int8)
    panels[:, 2, 1::2] = 99  # the sixth unit of five
    for rows in (1, 20):
        out = np.empty((rows, 32), np.float32)
        compiled.multiply_int8(
            rows=np.ones((rows, 5), np.float32),
            panels=panels,
            scales=np.ones(32, np.float32),
            out=out,
            accumulate=False,
        )
        assert out == pytest.approx(np.full((rows, 32), 5.0))


def test_a_quantised_weight_of_very_many_units_is_kept_in_float32() -> None:
    most = compiled.MAX_INT8_UNITS
    for units in (most, most + 1):
        matrix = compiled_backend.Matrix(quantize(np.full((3, units), 0.5, np.float32)))
        assert matrix.is_int8 == (units == most)
        product = matrix.matmul(np.ones((2, units), np.float32))
        assert product == pytest.approx(np.full((2, 3), units / 2), rel=1e-5)


@pytest.mark.parametrize("columns", [1, 15, 16, 17, 20, 31, 32, 33, 64, 65])
@pytest.mark.parametrize("rows", [1, 9])
def test_nothing_is_written_beside_a_product(columns: int, rows: int) -> None:
    around = np.full(rows * columns + 40, 7.0, np.float32)
    out = around[20:-20].reshape(rows, columns)
    panels = -(-columns // 32)
    compiled.multiply_int8(
        rows=normal(rows, 3),
        panels=np.zeros((panels, 2, 64), np.int8),
        scales=np.ones(panels * 32, np.float32),
        out=out,
        accumulate=False,
    )
    assert (out == 0).all()
    compiled.multiply_float32(
        rows=normal(rows, 3), panels=np.zeros((panels, 3, 32), np.float32), out=out, accumulate=True
    )
    assert (around[:20] == 7).all()
    assert (around[-20:] == 7).all()


def test_a_matrix_without_units_gives_zeros() -> None:
    for rows in (np.zeros((2, 0), np.float32), np.zeros((2, 3, 0), np.float32)):
        for weight in (normal(5, 4), quantize(normal(5, 4))):
            product = compiled_backend.Matrix(weight, 3, 3).matmul(rows)
            assert product.shape == (*rows.shape[:-1], 5)
            assert not product.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2e30, -2e30])
def test_a_row_that_cannot_be_rounded_gives_nan_and_the_others_their_products(
    value: float,
) -> None:
    matrix = compiled_backend.Matrix(quantize(normal(40, 37)))
    for place in (0, 16, 36):
        rows = normal(3, 37)
        rows[1, place] = value
        product = matrix.matmul(rows)
        assert np.isnan(product[1]).all()
        assert np.isfinite(product[[0, 2]]).all()


def test_tiny_rows_give_tiny_products() -> None:
    matrix = compiled_backend.Matrix(quantize(normal(40, 37)))
    for size in (0.0, 1e-44, 1e-31, 1.1e-30, 1e-20):
        product = matrix.matmul(np.full((2, 37), size, np.float32))
        assert np.abs(product).max() <= 1e3 * size


def test_tiny_weights_give_tiny_products() -> None:
    with np.errstate(all="raise", under="ignore"):
        matrix = compiled_backend.Matrix(np.full((3, 4), 1e-44, np.float32))
    assert matrix.matmul(normal(2, 4)) == pytest.approx(np.zeros((2, 3)), abs=1e-40)


PRINT_INT8_PRODUCTS = """
import numpy as np
from tersely.runtime.kernels import compiled
rng = np.random.default_rng(3)
print(compiled.INSTRUCTIONS)
for units, count, columns in ((301, 11, 100), (50, 5, 20), (7, 1, 33)):
    panels = rng.integers(-127, 128, (-(-columns // 32), -(-units // 2), 64)).astype(np.int8)
    rows = rng.normal(size=(count, units)).astype(np.float32)
    out = rng.normal(size=(count, columns)).astype(np.float32)
    scales = rng.random(32 * len(panels), np.float32)
    for accumulate in (True, False):
        compiled.multiply_int8(
            rows=rows, panels=panels, scales=scales, out=out, accumulate=accumulate
        )
        print(out.tobytes().hex())
"""


def run(code: str, kernels: str) -> list[str]:
    environment = {**os.environ, "TERSELY_KERNELS": kernels}
    command = [sys.executable, "-c", code]
    return subprocess.check_output(command, env=environment, text=True).splitlines()


def test_int8_products_are_equal_to_the_bit_on_avx2_and_avx512() -> None:
    narrow, *products = run(PRINT_INT8_PRODUCTS, "avx2")
    wide, *expected = run(PRINT_INT8_PRODUCTS, "avx512")
    if narrow == wide:
        pytest.skip("this processor has one of the instruction sets only")
    assert products == expected


def test_generic_int8_products_are_equal_up_to_rounding() -> None:
    products, expected = run(PRINT_INT8_PRODUCTS, "generic")[1:], run(PRINT_INT8_PRODUCTS, "")[1:]
    for ours, theirs in zip(products, expected, strict=True):
        left, right = (np.frombuffer(bytes.fromhex(text), np.float32) for text in (ours, theirs))
        np.testing.assert_allclose(left, right, rtol=1e-3, atol=0.05)


TIME_INT8_PRODUCTS = """
import time
import numpy as np
from tersely.model.quantization import quantize
from tersely.runtime.kernels.compiled_backend import BACKEND, Matrix
rng = np.random.default_rng(3)
print(BACKEND)
for columns in (1024, 1002):
    matrix = Matrix(quantize(rng.normal(size=(columns, 256)).astype(np.float32)))
    rows = rng.normal(size=(5, 256)).astype(np.float32)
    seconds = []
    for _ in range(300):
        start = time.perf_counter()
        matrix.matmul(rows)
        seconds.append(time.perf_counter() - start)
    print(min(seconds))
"""


def test_generic_int8_products_take_at_most_six_times_as_long_as_avx2() -> None:
    name, *expected = run(TIME_INT8_PRODUCTS, "avx2")
    if name != "avx2":
        pytest.skip("this processor has no AVX2")
    _, *generic = run(TIME_INT8_PRODUCTS, "generic")
    for ours, theirs in zip(generic, expected, strict=True):
        assert float(ours) < 6 * float(theirs)


@pytest.mark.parametrize("units", [1, 15, 16, 17, 256])
def test_lstm_cells_agree(units: int) -> None:
    gates, cell = normal(9, 4 * units, scale=6), normal(9, units)
    for ours, theirs in zip(
        compiled_backend.lstm_cell(gates, cell), numpy_backend.lstm_cell(gates, cell), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_gates_saturate() -> None:
    gates, cell = np.full((1, 8), 1e4, np.float32), np.ones((1, 2), np.float32)
    gates[:, 1::2] = -1e4
    next_hidden, next_cell = compiled_backend.lstm_cell(gates, cell)
    assert next_cell == pytest.approx(np.array([[2.0, 0.0]]), abs=1e-6)
    assert next_hidden == pytest.approx(np.array([[np.tanh(2.0), 0.0]]), abs=1e-6)


@pytest.mark.parametrize("columns", [1, 2, 15, 16, 17, 63, 64, 65, 1002, 6403])
def test_logsumexp_and_top_k_agree(columns: int) -> None:
    scores = normal(20, columns, scale=4)
    scores[3] = 7.0  # all equal
    before = scores.copy()
    np.testing.assert_allclose(
        compiled_backend.logsumexp(scores), numpy_backend.logsumexp(scores), rtol=1e-6, atol=1e-5
    )
    log_normalizer = normal(20)
    overrides = random_overrides(columns)
    for count in (1, 3, 13, 4000):
        for threshold in (-np.inf, 0.0, 1e6):
            for end in {columns, (columns + 1) // 2}:
                arguments = {
                    "columns": end,
                    "log_normalizer": log_normalizer,
                    "threshold": np.full(20, threshold, np.float32),
                    "overrides": overrides,
                }
                ours = compiled_backend.top_k_with_overrides(scores, count, **arguments)  # type: ignore[arg-type]
                theirs = numpy_backend.top_k_with_overrides(scores, count, **arguments)  # type: ignore[arg-type]
                assert_equal_values(ours, theirs, threshold)
                assert_values_are_at_ids(
                    ours, overridden(scores[:, :end], log_normalizer, overrides)
                )
    assert np.array_equal(scores, before)


def random_overrides(columns: int) -> Overrides:
    at: Ids = RNG.integers(-2, columns + 2, (20, 3))
    at[:, 2] = at[:, 1]  # the same column twice, with the same value
    values = normal(20, 3, scale=4)
    values[:, 2] = values[:, 1]
    values[::2, 0] = -np.inf
    return Overrides(at, values)


def overridden(scores: Floats, log_normalizer: Floats, overrides: Overrides) -> Floats:
    log_probabilities: Floats = scores + log_normalizer[:, None]
    for row, columns in enumerate(overrides.columns.tolist()):
        for place, column in enumerate(columns):
            if 0 <= column < scores.shape[1]:
                log_probabilities[row, column] = overrides.values[row, place]
    return log_probabilities


def assert_values_are_at_ids(top: TopK, log_probabilities: Floats) -> None:
    ids, values = top
    expected = np.take_along_axis(log_probabilities, ids, axis=1)
    is_possible = values > -np.inf
    assert values[is_possible] == pytest.approx(expected[is_possible], abs=1e-4)
    assert (ids[~is_possible] == 0).all()


def assert_equal_values(ours: TopK, theirs: TopK, threshold: float) -> None:
    for ids, values, expected in zip(*ours, theirs[1], strict=True):
        is_possible = values > -np.inf
        possible, above = values[is_possible], expected[expected > threshold]
        # Values close to the threshold may be rounded to either side of it.
        assert abs(len(possible) - len(above)) <= int((np.abs(above - threshold) < 1e-4).sum())
        count = min(len(possible), len(above))
        assert possible[:count] == pytest.approx(above[:count], abs=1e-4)
        assert len(set(ids[is_possible].tolist())) == len(possible)


def test_nan_stays_nan() -> None:
    for place in (0, 16, 64, 99):
        gates, cell = normal(2, 400), normal(2, 100)
        gates[0, place] = np.nan
        for ours, theirs in zip(
            compiled_backend.lstm_cell(gates, cell),
            numpy_backend.lstm_cell(gates, cell),
            strict=True,
        ):
            assert np.array_equal(np.isnan(ours), np.isnan(theirs))
        scores = normal(3, 100)
        scores[0, place], scores[1, place] = np.nan, np.inf
        scores[0, 3] = 500.0
        with np.errstate(invalid="ignore"):
            expected = numpy_backend.logsumexp(scores)
        assert np.array_equal(np.isnan(compiled_backend.logsumexp(scores)), np.isnan(expected))


def test_arrays_of_any_layout_are_accepted() -> None:
    scores = normal(4, 9)
    scores.flags.writeable = False
    assert np.array_equal(compiled_backend.top_k(scores, 2)[1], -np.sort(-scores, axis=1)[:, :2])
    assert compiled_backend.top_k(normal(9, 4).T, 4)[1].shape == (4, 4)
    matrix, rows, add_to = compiled_backend.Matrix(normal(5, 6)), normal(2, 3, 6), normal(2, 3, 5)
    expected = matrix.matmul(rows) + add_to
    np.testing.assert_allclose(matrix.matmul(rows, add_to.copy()), expected, rtol=1e-5, atol=1e-5)


def test_pruning_agrees() -> None:
    for seed in range(150):
        candidates = random_candidates(seed)
        for width, max_duplicates in LIMITS:
            limits = {"width": width, "max_duplicates": max_duplicates, "end_id": END}
            ours = compiled_backend.prune(candidates, **limits)
            theirs = pruning.prune(candidates, **limits)
            for name in ("sizes", "row", "token", "matched", "dedup_key", "ended_row"):
                assert np.array_equal(getattr(ours, name), getattr(theirs, name)), (seed, name)
            assert ours.score == pytest.approx(theirs.score)
            assert ours.ended_score == pytest.approx(theirs.ended_score)


COMPUTE_ALL = """
import json, numpy as np
from tersely.model.quantization import quantize
from tersely.runtime.kernels.backend import (
    BACKEND, Matrix, Overrides, logsumexp, lstm_cell, top_k_with_overrides
)
rng = np.random.default_rng(5)
weight = rng.normal(size=(70, 50)).astype(np.float32)
rows = rng.normal(size=(11, 50)).astype(np.float32)
scores = Matrix(weight).matmul(rows)
next_hidden, next_cell = lstm_cell(rng.normal(size=(11, 92)).astype(np.float32), rows[:, :23])
overrides = Overrides(np.zeros((11, 1), np.int64), np.zeros((11, 1), np.float32))
ids, values = top_k_with_overrides(
    scores, 6, columns=70, log_normalizer=rows[:, 1].copy(),
    threshold=rows[:, 0], overrides=overrides
)
int8 = Matrix(quantize(weight)).matmul(rows)
results = [scores, int8, next_hidden, next_cell, logsumexp(scores), ids, values]
results = [np.where(result > -1e9, result, 0).tolist() for result in results]
print(json.dumps({"backend": BACKEND, "results": results}))
"""


def test_all_instruction_sets_compute_the_same() -> None:
    expected = json.loads(run(COMPUTE_ALL, "")[0])["results"]
    for name in ("generic", "avx2", "numpy"):
        computed = json.loads(run(COMPUTE_ALL, name)[0])
        assert computed["backend"] in (name, "generic")
        for ours, theirs in zip(computed["results"], expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=2e-3)
