from pathlib import Path
from typing import Any

import pytest

from tersely.completion.completer import Completer
from tersely.model.folder import ModelFolder
from tersely_lab.benchmarks import calibration

SENTENCES = ["The waiter was friendly.", "The soup was cold."]


@pytest.fixture(scope="module")
def results(trained: Path) -> dict[str, object]:
    model = ModelFolder.from_pretrained(trained)
    model.settings["calibration"] = {"slope": 1.0, "behind": 0.0, "offset": 3.0}
    return calibration.measure(Completer(model), SENTENCES)


def test_calibrated_and_uncalibrated_scores_are_measured(results: dict[str, Any]) -> None:
    served, plain = results["as_served"]["all"], results["uncalibrated"]["all"]
    assert served["suggestions"] == plain["suggestions"] > 0
    assert served["calibration_error"] != plain["calibration_error"]


def test_the_table_shows_both_errors(results: dict[str, Any]) -> None:
    text = calibration.render(results)
    assert f"as served: {results['as_served']['first']['calibration_error']:.3f}" in text
    assert f"{results['uncalibrated']['all']['calibration_error']:.3f} of all three" in text


def test_the_plot_is_a_png(results: dict[str, Any], tmp_path: Path) -> None:
    calibration.plot(results, tmp_path / "reliability.png")
    assert (tmp_path / "reliability.png").read_bytes().startswith(b"\x89PNG")
