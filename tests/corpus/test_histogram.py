import sys
from pathlib import Path

import pytest

from tersely.corpus.histogram import plot_histogram
from tests.corpus.test_prepare import documents, prepared


def test_without_matplotlib_there_is_no_picture_and_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary, _ = prepared(tmp_path / "out", documents(50))
    (tmp_path / "out" / "histogram.png").unlink()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert plot_histogram(tmp_path / "out", summary) is False
    assert not (tmp_path / "out" / "histogram.png").exists()


def test_the_picture_is_the_same_each_time(tmp_path: Path) -> None:
    summary, _ = prepared(tmp_path / "out", documents(50))
    first = (tmp_path / "out" / "histogram.png").read_bytes()
    assert plot_histogram(tmp_path / "out", summary)
    assert (tmp_path / "out" / "histogram.png").read_bytes() == first
