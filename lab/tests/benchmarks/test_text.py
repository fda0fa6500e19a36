from pathlib import Path

import pytest

from tersely.errors import UsageError
from tersely_lab.benchmarks.command import sentences_or_fixture
from tersely_lab.benchmarks.text import measure, render


def test_the_benchmark_measures_all_three_and_loses_nothing() -> None:
    sentences = sentences_or_fixture(None, 300)
    results = measure(sentences, rounds=1)
    assert results["tokenising"].keys() == {"tersely", "spaCy", "sacremoses"}
    assert results["tokenising"]["tersely"]["restored"] == len(sentences) == 300
    assert results["tokenising"]["sacremoses"]["restored"] < 300
    assert all(rate > 0 for rate in results["prepare"].values())
    assert "tersely's tokeniser" in render(results)


def test_sentences_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("One.\nTwo.\nThree.\n")
    assert sentences_or_fixture(path, 2) == ["One.", "Two."]
    path.write_text("")
    with pytest.raises(UsageError, match="empty"):
        sentences_or_fixture(path, 2)
    with pytest.raises(UsageError, match="cannot be read"):
        sentences_or_fixture(tmp_path / "no.txt", 2)
