"""Fixtures of the lab's tests: those of the product's tests, and a small sweep."""

from pathlib import Path

import pytest

from tests.conftest import _no_network, corpora, corpus, trained, without_privileges

__all__ = ["_no_network", "corpora", "corpus", "trained", "without_privileges"]


@pytest.fixture(scope="session")
def sweep(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small sweep, complete; copy it before changing anything."""
    from lab.tests.reproduction.small_sweep import small_sweep

    return small_sweep(corpus, tmp_path_factory.mktemp("sweep") / "runs")
