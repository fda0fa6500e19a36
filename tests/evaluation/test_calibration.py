"""Calibration of scores; suggestions are made up where the truth must be known."""

from pathlib import Path

import numpy as np
import pytest

from tersely.completion.calibration import Calibration
from tersely.completion.completer import Completer
from tersely.corpus.fixture import fixture_sentences
from tersely.errors import UsageError
from tersely.evaluation.calibration import (
    BUDGETS,
    CalibrationSample,
    calibrate,
    collect_samples,
    fit_calibration,
    reliability,
    remove_calibration,
)
from tersely.model.folder import ModelFolder
from tersely.selection.budget import MAX_STEP_TOKENS, refine_budget_rows
from tersely.text.tokens import tokenise
from tests.runtime.made_up import monotone_like


def draw_samples(truth: Calibration, count: int, seed: int = 1) -> list[CalibrationSample]:
    """Return suggestions that are correct as often as `truth` predicts."""
    rng = np.random.default_rng(seed)
    samples = []
    for _ in range(count):
        probabilities = np.sort(rng.dirichlet((1, 1, 1, 2))[:3])[::-1]
        correct = rng.random(3) < truth.apply(probabilities.tolist())
        samples.append(CalibrationSample(tuple(probabilities), tuple(correct.tolist())))
    return samples


@pytest.mark.parametrize(
    "truth", [Calibration(), Calibration(1.2, 0.5, 1.0), Calibration(0.6, 0.0, -0.5)]
)
def test_the_fit_finds_the_curve_that_the_truth_follows(truth: Calibration) -> None:
    found = fit_calibration(draw_samples(truth, 20_000))
    assert found.slope == pytest.approx(truth.slope, abs=0.1)
    assert found.behind == pytest.approx(truth.behind, abs=0.1)
    assert found.offset == pytest.approx(truth.offset, abs=0.1)


def test_a_fit_never_changes_the_order() -> None:
    backwards = [CalibrationSample((0.6, 0.3, 0.1), (False, False, True))] * 50
    found = fit_calibration(backwards)
    scores = found.apply([0.6, 0.3, 0.1])
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("is_correct", [True, False])
def test_where_all_are_correct_or_none_the_fit_stays_finite(is_correct: bool) -> None:
    found = fit_calibration([CalibrationSample((0.5, 0.2), (is_correct, is_correct))] * 20)
    assert np.isfinite([found.slope, found.behind, found.offset]).all()
    assert (found.apply([0.5])[0] > 0.5) == is_correct


def test_without_samples_there_is_no_fit() -> None:
    with pytest.raises(UsageError, match="nothing to calibrate on"):
        fit_calibration([])


def test_the_error_is_the_mean_distance_of_score_and_truth() -> None:
    samples = [CalibrationSample((0.95,), (True,))] * 3
    samples += [CalibrationSample((0.25,), (is_correct,)) for is_correct in (True, False)]
    found = reliability(samples)
    assert found["suggestions"] == 5
    assert found["calibration_error"] == pytest.approx((3 * 0.05 + 2 * 0.25) / 5)
    assert found["bins"] == [
        {"suggestions": 2, "mean_score": 0.25, "share_right": 0.5},
        {"suggestions": 3, "mean_score": pytest.approx(0.95), "share_right": 1.0},
    ]


def test_first_suggestions_can_be_measured_alone() -> None:
    samples = [CalibrationSample((0.9, 0.1), (True, False))]
    assert reliability(samples, first_only=True)["suggestions"] == 1
    assert reliability(samples)["suggestions"] == 2


def test_every_sentence_is_typed_at_every_budget(trained: Path) -> None:
    completer = Completer.load(trained)
    sentences = ["The waiter was friendly.", "The soup was cold.", " ".join(["very"] * 30)]
    seen: list[int] = []
    samples = collect_samples(completer, sentences, progress=seen.append)
    assert len(samples) == 2 * len(BUDGETS) == sum(seen)  # one is too long
    for budget, sample in zip(BUDGETS, samples[::2], strict=True):
        tokens = tokenise(sentences[0]).tokens
        [mask] = completer.selector.masks([tokens], budget)
        typed = [token for token, keep in zip(tokens, mask, strict=True) if keep]
        best = completer.complete(" ".join(typed)) if "<shift>" not in typed else None
        assert len(sample.scores) == len(sample.correct)
        if best and sentences[0] == best[0].text:
            assert sample.correct[0]


def test_a_calibrated_model_serves_other_scores_in_the_same_order(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    model.settings["calibration"] = Calibration(1.1, 0.4, 1.0).as_settings()
    served = Completer(model).complete("waiter")
    plain = Completer(remove_calibration(model)).complete("waiter")
    assert [suggestion.text for suggestion in served] == [suggestion.text for suggestion in plain]
    assert [suggestion.score for suggestion in served] == pytest.approx(
        Calibration(1.1, 0.4, 1.0).apply([suggestion.score for suggestion in plain])
    )
    assert served[0].score != plain[0].score


def test_calibrating_fits_scores_and_leaves_a_table_with_thresholds(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    sentences = [*fixture_sentences(20)]
    progress: list[int] = []
    calibrated = calibrate(model, sentences, progress=progress.append)
    expected = fit_calibration(collect_samples(Completer(remove_calibration(model)), sentences))
    assert calibrated.settings["calibration"] == expected.as_settings()
    assert calibrated.settings.get("budgets") == model.settings.get("budgets")
    assert sum(progress) > 0


@pytest.mark.parametrize("has_thresholds", [False, True])
def test_calibrating_measures_a_table_without_thresholds_again(
    trained: Path, has_thresholds: bool
) -> None:
    model = monotone_like(ModelFolder.from_pretrained(trained))
    rows: list[dict[str, float]] = [
        {"budget": budget, "typed_fraction": budget} for budget in (0.2, 0.8)
    ]
    if has_thresholds:
        rows = [{**row, "bar": 0.01} for row in rows]
    model.settings["budgets"] = rows
    sentences = [*fixture_sentences(20)]
    calibrated = calibrate(model, sentences)
    tokens = [tokenise(sentence).tokens for sentence in sentences]
    short = [row for row in tokens if len(row) <= MAX_STEP_TOKENS]
    expected = rows if has_thresholds else refine_budget_rows(rows, short)
    assert calibrated.settings["budgets"] == expected
