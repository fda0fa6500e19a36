import subprocess
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tersely.errors import TerselyError
from tersely_lab.benchmarks.latency import footprint
from tersely_lab.benchmarks.latency.footprint import cold_start, light_install, requirements_of


def test_a_start_is_compared_with_an_import_of_numpy(trained: Path) -> None:
    results = cold_start(trained, times=1)
    for clock in ("seconds", "processor_seconds"):
        row = results[clock]
        assert row["ratio"] == pytest.approx(row["tersely"] / row["numpy"])
        assert row["ratio"] > 0
    assert results["processor_seconds"]["ratio"] > 1
    assert 20 < results["peak_mib"] < 2000


def test_a_failed_start_is_reported_with_its_error(tmp_path: Path) -> None:
    with pytest.raises(TerselyError, match="no such model folder"):
        cold_start(tmp_path / "none", times=1)


def test_requirements_are_collected_without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    tree: dict[str, list[str] | None] = {
        "tersely": ["numpy>=2.0", "Big_One[x]>=1", "torch>=2; extra == 'train'"],
        "big-one": ["numpy", "small"],
        "small": None,
    }

    def requires(name: str) -> list[str] | None:
        if name not in tree:
            raise PackageNotFoundError(name)
        return tree[name]

    monkeypatch.setattr(footprint, "requires", requires)
    assert requirements_of("tersely") == ["big-one", "numpy", "small"]


def test_the_size_of_wheels_includes_our_files(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        words.extend(command)
        folder = Path(command[command.index("--dest") + 1])
        (folder / "numpy.whl").write_bytes(bytes(3_000_000))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    results = light_install()
    assert any(word.startswith("numpy==") for word in words)
    assert "torch" not in results["packages"]
    assert results["wheels_mb"] == pytest.approx(3 + results["own_mb"])
    assert results["own_mb"] > 0.2


def test_without_a_package_index_the_size_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(subprocess, "run", run)
    assert light_install()["wheels_mb"] is None
