import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lab.tests.reproduction.small_sweep import SENTENCES
from tersely.completion.completer import Completer
from tersely.errors import UsageError
from tersely.evaluation.metrics import Prediction, predict
from tersely.evaluation.outcomes import as_text, count_outcomes, read_predictions
from tersely_lab.benchmarks.quality import MASK_SELECTORS, METRICS
from tersely_lab.benchmarks.specialists import (
    OUTCOME_FIELDS,
    SpecialistsBench,
    compare,
    evaluated_sentences,
    measure,
    render,
    trained_on,
)
from tersely_lab.reproduction.runs import read_results
from tests.game.small_monotone import monotone_folder_of, small_monotone

KNOWN = {"Unif(0.3)": "unif-0.3", "Stopword(0)": "stopword-0"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two seeds, in folders of the same name."""
    folder = tmp_path_factory.mktemp("ours")
    paths = [folder / f"seed{seed}" / "model" for seed in (1, 2)]
    for seed, path in enumerate(paths, 1):
        monotone_folder_of(small_monotone(seed=seed)).save_pretrained(path)
    return paths


@pytest.fixture
def small_results(sweep: Path, tmp_path: Path) -> Path:
    """The small results of a sweep: neither weights nor predictions."""
    without = shutil.ignore_patterns("model", "checkpoints", "predictions.jsonl")
    folder = shutil.copytree(sweep, tmp_path / "sweep", ignore=without)
    for predictions in sweep.glob("*/predictions.jsonl"):
        outcomes = count_outcomes(read_predictions(predictions))
        (folder / predictions.parent.name / "outcomes.json").write_text(as_text(outcomes))
    return folder


def quiet(line: str) -> None:
    assert line


def test_runs_trained_on_a_rule_are_recognised_by_their_keywords(small_results: Path) -> None:
    results = read_results(small_results)
    trained = {
        name: trained_on(choose, results, SENTENCES) for name, choose in MASK_SELECTORS.items()
    }
    assert {name: [run.name for run in runs] for name, runs in trained.items() if runs} == {
        name: [run] for name, run in KNOWN.items()
    }


@pytest.mark.parametrize("limit", [None, 25])
def test_ours_are_evaluated_on_the_sentences_and_keywords_of_the_specialists(
    small_results: Path, sweep: Path, models: list[Path], limit: int | None
) -> None:
    messages: list[str] = []
    results = measure(SpecialistsBench(small_results, models, SENTENCES, limit), messages.append)
    assert (results["sentences"], results["models"]) == (limit or len(SENTENCES), 2)
    assert results["rules"].keys() == KNOWN.keys()
    assert results["without_specialist"] == ["Unif(0.5)", "content words"]
    assert results["gaps"] == {}
    assert messages == [f"{name}, decoded by {path}" for name in KNOWN for path in models]
    for name, row in results["rules"].items():
        evaluated = read_predictions(sweep / KNOWN[name] / "predictions.jsonl")[:limit]
        losses = row["ours"]["seeds"]["nll_per_token"]
        for path, loss in zip(models, losses, strict=True):
            predictions = predict(
                Completer.load(path), SENTENCES[:limit], choose=MASK_SELECTORS[name]
            )
            assert [prediction.keywords for prediction in predictions] == [
                prediction.keywords for prediction in evaluated
            ]
            tokens = sum(prediction.tokens + 1 for prediction in predictions)
            assert loss == pytest.approx(sum(prediction.nll for prediction in predictions) / tokens)
        for measure_name, key in OUTCOME_FIELDS.items():
            theirs = np.mean([getattr(prediction, key) for prediction in evaluated])
            assert row["specialists"] == {KNOWN[name]: row["specialists"][KNOWN[name]]}
            assert row["specialists"][KNOWN[name]][measure_name] == pytest.approx(theirs)


def some_predictions(right: str) -> list[Prediction]:
    """Ours, right where there is a 1; among three also where there is a 3."""
    blank = Prediction("w5 w6", 2, ["w5"], "", [], 1.0, 2, exact=False, served=False, in_top3=False)
    return [
        replace(blank, exact=mark == "1", served=mark == "1", in_top3=mark in "13")
        for mark in right
    ]


def a_run(name: str, right: str) -> Any:
    """A specialist that was evaluated on more sentences than ours."""
    first, three = (np.array([mark in marks for mark in right]) for marks in ("1", "13"))
    outcomes = SimpleNamespace(exact=first, served=first, in_top3=three)
    return SimpleNamespace(name=name, outcomes=outcomes)


def test_the_mean_over_seeds_is_compared_with_the_best_by_each_metric() -> None:
    seeds = [some_predictions("11110000"), some_predictions("11000033")]
    others = [a_run("sure", "100000001111"), a_run("broad", "033333331111")]
    results = compare(seeds, others)
    assert results["exact_match"]["specialist"] == "sure"
    assert results["exact_match"]["ours"] == 3 / 8
    assert results["exact_match"]["best"] == 1 / 8
    assert results["exact_match"]["times"] == 3.0
    assert results["top3"]["specialist"] == "broad"
    assert results["top3"]["times"] == pytest.approx(4 / 7)
    assert results["specialists"]["broad"]["top3"] == 7 / 8
    assert results["ours"]["seeds"]["exact_match"] == [4 / 8, 2 / 8]


def test_the_interval_is_over_pairs_of_the_same_sentence() -> None:
    same = "1000" * 50
    [low, high] = compare([some_predictions(same)], [a_run("same", same)])["exact_match"][
        "interval"
    ]
    assert (low, high) == (1.0, 1.0)
    apart = compare([some_predictions(same)], [a_run("apart", "0100" * 50)])["exact_match"]
    assert apart["times"] == 1.0
    assert apart["interval"][0] < 0.9 < 1.1 < apart["interval"][1]


def test_there_is_no_ratio_to_a_specialist_that_is_never_right() -> None:
    results = compare([some_predictions("10")], [a_run("poor", "03")])
    assert results["exact_match"]["times"] is results["exact_match"]["interval"] is None
    assert results["top3"]["times"] == 1.0
    json.dumps(results, allow_nan=False)


def test_a_sweep_evaluated_on_the_first_sentences_is_compared_on_those(small_results: Path) -> None:
    results = read_results(small_results)
    assert evaluated_sentences(results, SENTENCES) == SENTENCES
    assert evaluated_sentences(results, [*SENTENCES, "And one more."]) == SENTENCES


def test_other_sentences_than_the_sweeps_are_refused(
    small_results: Path, models: list[Path]
) -> None:
    bench = SpecialistsBench(small_results, models, SENTENCES[::-1], None)
    with pytest.raises(UsageError, match="evaluated on other sentences than these 40"):
        measure(bench, quiet)


def test_an_unreadable_run_is_named(small_results: Path, models: list[Path]) -> None:
    (small_results / "unif-0.3" / "outcomes.json").write_text(
        '{"format_version": 1, "sentences": null}'
    )
    messages: list[str] = []
    results = measure(SpecialistsBench(small_results, models[:1], SENTENCES, 3), messages.append)
    assert results["rules"].keys() == {"Stopword(0)"}
    assert messages[0].startswith("left out: unif-0.3, outcomes.json: broken")
    assert results["gaps"].keys() == {"unif-0.3"}
    assert "No run of the sweep was trained on Unif(0.3), Unif(0.5), content" in render(results)


def some_figures(**changes: Any) -> dict[str, Any]:
    row = {"ours": 0.2, "best": 0.16, "specialist": "unif-0.3", "times": 1.25}
    row = {**row, "interval": (1.1, 1.4), **changes}
    ours = {"typed_fraction": 0.3, "nll_per_token": 2.5}
    rules = {"Unif(0.3)": {"ours": ours, **dict.fromkeys(METRICS, row)}}
    without = ["content words"]
    return {"sentences": 9031, "models": 3, "rules": rules, "without_specialist": without}


def test_the_table_shows_ratios_and_intervals() -> None:
    text = render(some_figures())
    assert text.startswith("9,031 held-out sentences; ours averaged over 3 model(s)")
    cells = "20.0% | 16.0% | unif-0.3 | 1.25 | 1.10 to 1.40 |"
    for title in ("greedy", "served", "top three"):
        assert f"\n| Unif(0.3) | 0.30 | {title} | {cells}\n" in text
    assert "Our loss, nats per token: 2.500 for Unif(0.3)." in text
    assert text.endswith("No run of the sweep was trained on content words.")


def test_a_missing_ratio_is_shown_as_a_dash() -> None:
    shown = render(some_figures(best=0.0, times=None, interval=None))
    assert "| 20.0% | 0.0% | unif-0.3 | – | – |" in shown


def test_without_any_specialist_no_table_is_shown() -> None:
    shown = render({**some_figures(), "rules": {}, "without_specialist": ["Unif(0.3)"]})
    assert "|" not in shown
    assert "No run of the sweep was trained on Unif(0.3)." in shown
