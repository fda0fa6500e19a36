"""What all tests share: no network, a tiny model, and where real corpora may lie."""

import os
import shutil
import socket
from pathlib import Path
from typing import Any, Never

import pytest
from hypothesis import HealthCheck, settings

# Small tensors gain nothing from more threads, and busy ones starve each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The same examples each time: what fails here fails for whoever looks into it.
settings.register_profile(
    "tersely", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tersely")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise 24: everything works offline. Only sockets of this machine may connect."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family == socket.AF_UNIX or address[0] in ("127.0.0.1", "::1", "localhost"):
            connect(self, address)
        else:
            _refuse(address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def _refuse(address: object) -> Never:
    raise AssertionError(f"a test reached for the network: {address}")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Folder of real corpora beside the project; tests that need it are skipped without."""
    folder = Path(os.environ.get("TERSELY_CORPORA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no corpora beside the project (set TERSELY_CORPORA to their folder)")
    return folder


@pytest.fixture(scope="session")
def without_privileges() -> list[str]:
    """What to put before a command so that file permissions bind it, even under root."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may read and write everything, and there is no setpriv")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared corpus of a few hundred sentences."""
    from tests.training.small import small_corpus

    return small_corpus(tmp_path_factory.mktemp("corpus") / "data")


@pytest.fixture(scope="session")
def trained(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run over that corpus; it has learned next to nothing, but all of it is there."""
    from tests.training.small import small_config, small_run

    config = small_config(model={"initial_range": 0.5})
    return small_run(corpus, tmp_path_factory.mktemp("trained") / "run", config)
