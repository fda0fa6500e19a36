import numpy as np
import pytest

from tersely.model.multiply import MOST, times


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 5, MOST, MOST + 1, 160])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (256, 1024), (300, 1001), (64, 9000)])
def test_a_product_in_parts_is_the_product(rows: int, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(rows)
    left = rng.normal(size=(rows, shape[0])).astype(np.float32)
    right = rng.normal(size=shape).astype(np.float32)
    found = times(left, right)
    assert found.dtype == np.float32
    assert found.shape == (rows, shape[1])
    np.testing.assert_allclose(found, left.astype(np.float64) @ right, rtol=1e-3, atol=1e-3)
