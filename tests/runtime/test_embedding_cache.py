import numpy as np
import pytest

from tersely.runtime import embedding_cache as projecting
from tersely.runtime.embedding_cache import FEW, ProjectedWords
from tersely.runtime.kernels.chosen import Matrix

RNG = np.random.default_rng(1)
EMBEDDING = RNG.normal(size=(50, 6)).astype(np.float32)
INPUTS = RNG.normal(size=(6, 8)).astype(np.float32)


@pytest.mark.parametrize("rows", [0, 1, FEW, FEW + 1, 40])
def test_kept_or_not_a_product_is_the_product(rows: int) -> None:
    words = RNG.integers(0, 50, rows)
    own = ProjectedWords(EMBEDDING, Matrix(INPUTS.T))
    for _ in range(2):
        onto = RNG.normal(size=(rows, 8)).astype(np.float32)
        expected = EMBEDDING[words] @ INPUTS + onto
        found = own.projected(words, onto)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        found += 1.0  # what was kept must not change


def test_no_more_is_kept_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projecting, "MOST_KEPT", 3)
    own = ProjectedWords(EMBEDDING, Matrix(INPUTS.T))
    for word in range(20):
        own.projected(np.array([word]), np.zeros((1, 8), np.float32))
    assert len(own._kept) == 3
