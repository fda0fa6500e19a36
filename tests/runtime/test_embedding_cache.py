import numpy as np
import pytest

from tersely.model.quantization import quantize
from tersely.runtime import embedding_cache
from tersely.runtime.embedding_cache import MAX_CACHED_ROWS, Embedding, ProjectedEmbeddings
from tersely.runtime.kernels.backend import Matrix

RNG = np.random.default_rng(1)
WEIGHT = RNG.normal(size=(50, 6)).astype(np.float32)
INPUTS = RNG.normal(size=(6, 8)).astype(np.float32)


@pytest.mark.parametrize("rows", [0, 1, MAX_CACHED_ROWS, MAX_CACHED_ROWS + 1, 40])
def test_a_cached_product_equals_the_product(rows: int) -> None:
    ids = RNG.integers(0, 50, rows)
    projected = ProjectedEmbeddings(Embedding(WEIGHT), Matrix(INPUTS.T))
    for _ in range(2):
        add_to = RNG.normal(size=(rows, 8)).astype(np.float32)
        expected = WEIGHT[ids] @ INPUTS + add_to
        product = projected.project(ids, add_to)
        np.testing.assert_allclose(product, expected, rtol=1e-5, atol=1e-5)
        product += 1.0  # must not change the cache


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_cache, "MAX_CACHED_TOKENS", 3)
    projected = ProjectedEmbeddings(Embedding(WEIGHT), Matrix(INPUTS.T))
    for token in range(20):
        projected.project(np.array([token]), np.zeros((1, 8), np.float32))
    assert len(projected._cache) == 3


@pytest.mark.parametrize("shape", [(0,), (7,), (3, 4)])
def test_a_quantised_embedding_is_looked_up_as_if_it_were_dequantised(
    shape: tuple[int, ...],
) -> None:
    quantized = quantize(WEIGHT)
    ids = RNG.integers(0, 50, shape)
    vectors = Embedding(quantized).lookup(ids)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, quantized.dequantized()[ids])
    assert np.array_equal(Embedding(WEIGHT).lookup(ids), WEIGHT[ids])
