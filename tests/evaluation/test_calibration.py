"""Scores held against what was meant; suggestions are made up where the truth must be known."""

from pathlib import Path

import numpy as np
import pytest

from tersely.completion.calibration import Calibration
from tersely.completion.completer import Completer
from tersely.errors import UsageError
from tersely.evaluation.calibration import BUDGETS, Judged, fit, judge, reliability, uncalibrated
from tersely.model.folder import ModelFolder
from tersely.text.tokens import tokenise


def drawn(truth: Calibration, count: int, seed: int = 1) -> list[Judged]:
    """Suggestions that are right as often as `truth` says of their chances."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        chances = np.sort(rng.dirichlet((1, 1, 1, 2))[:3])[::-1]
        right = rng.random(3) < truth.apply(chances.tolist())
        found.append(Judged(tuple(chances.tolist()), tuple(right.tolist())))
    return found


@pytest.mark.parametrize(
    "truth", [Calibration(), Calibration(1.2, 0.5, 1.0), Calibration(0.6, 0.0, -0.5)]
)
def test_the_fit_finds_the_curve_that_the_truth_follows(truth: Calibration) -> None:
    found = fit(drawn(truth, 20_000))
    assert found.slope == pytest.approx(truth.slope, abs=0.1)
    assert found.behind == pytest.approx(truth.behind, abs=0.1)
    assert found.offset == pytest.approx(truth.offset, abs=0.1)


def test_a_fit_never_changes_the_order() -> None:
    backwards = [Judged((0.6, 0.3, 0.1), (False, False, True))] * 50
    found = fit(backwards)
    scores = found.apply([0.6, 0.3, 0.1])
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("right", [True, False])
def test_where_all_are_right_or_none_the_fit_stays_finite(right: bool) -> None:
    found = fit([Judged((0.5, 0.2), (right, right))] * 20)
    assert np.isfinite([found.slope, found.behind, found.offset]).all()
    assert (found.apply([0.5])[0] > 0.5) == right


def test_nothing_cannot_be_fitted() -> None:
    with pytest.raises(UsageError, match="nothing to calibrate on"):
        fit([])


def test_the_error_is_the_mean_distance_of_score_and_truth() -> None:
    judged = [Judged((0.95,), (True,))] * 3 + [Judged((0.25,), (True,)), Judged((0.25,), (False,))]
    found = reliability(judged)
    assert found["suggestions"] == 5
    assert found["calibration_error"] == pytest.approx((3 * 0.05 + 2 * 0.25) / 5)
    assert found["bins"] == [
        {"suggestions": 2, "mean_score": 0.25, "share_right": 0.5},
        {"suggestions": 3, "mean_score": pytest.approx(0.95), "share_right": 1.0},
    ]


def test_first_suggestions_can_be_judged_alone() -> None:
    judged = [Judged((0.9, 0.1), (True, False))]
    assert reliability(judged, first_only=True)["suggestions"] == 1
    assert reliability(judged)["suggestions"] == 2


def test_every_sentence_is_judged_at_every_budget(trained: Path) -> None:
    completer = Completer.load(trained)
    sentences = ["The waiter was friendly.", "The soup was cold.", " ".join(["very"] * 30)]
    seen: list[int] = []
    found = judge(completer, sentences, progress=seen.append)
    assert len(found) == 2 * len(BUDGETS) == sum(seen)  # one is too long
    for budget, own in zip(BUDGETS, found[::2], strict=True):
        tokens = tokenise(sentences[0]).tokens
        [mask] = completer.selector.masks([tokens], budget)
        typed = [token for token, keep in zip(tokens, mask, strict=True) if keep]
        best = completer.complete(" ".join(typed)) if "<shift>" not in typed else None
        assert len(own.scores) == len(own.right)
        if best and sentences[0] == best[0].text:
            assert own.right[0]


def test_a_calibrated_model_serves_other_scores_in_the_same_order(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    model.settings["calibration"] = Calibration(1.1, 0.4, 1.0).as_settings()
    served = Completer(model).complete("waiter")
    plain = Completer(uncalibrated(model)).complete("waiter")
    assert [one.text for one in served] == [one.text for one in plain]
    assert [one.score for one in served] == pytest.approx(
        Calibration(1.1, 0.4, 1.0).apply([one.score for one in plain])
    )
    assert served[0].score != plain[0].score
