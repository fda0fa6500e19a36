"""The fixtures of the product's tests, for the lab's."""

from tests.conftest import _no_network, corpora, corpus, sweep, trained, without_privileges

__all__ = ["_no_network", "corpora", "corpus", "sweep", "trained", "without_privileges"]
