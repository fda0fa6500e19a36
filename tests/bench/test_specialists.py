import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tersely.bench.inputs import INPUTS, chosen_by
from tersely.bench.specialists import HELD_AS, SpecialistsBench, measure, render, trained_on
from tersely.errors import UsageError
from tersely.evaluation.evaluate import predict
from tersely.evaluation.frontier import MEASURES
from tersely.evaluation.outcomes import outcomes_of, read_predictions
from tersely.evaluation.runs import read_results
from tersely.model.completer import Completer
from tests.evaluation.sweeps import SENTENCES
from tests.game.small_monotone import monotone_folder_of, small_monotone

KNOWN = {"Unif(0.3)": "unif-0.3", "Stopword(0)": "stopword-0"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two seeds."""
    folder = tmp_path_factory.mktemp("ours")
    for seed in (1, 2):
        monotone_folder_of(small_monotone(seed=seed)).save_pretrained(folder / f"seed{seed}")
    return [folder / "seed1", folder / "seed2"]


@pytest.fixture
def own(sweep: Path, tmp_path: Path) -> Path:
    """A sweep of its own, without the weights."""
    without = shutil.ignore_patterns("model", "checkpoints")
    return shutil.copytree(sweep, tmp_path / "sweep", ignore=without)


def recorded(sweep: Path, run: str, measure_name: str) -> np.ndarray:
    judged = read_predictions(sweep / run / "predictions.jsonl")
    return np.array([getattr(one, HELD_AS[measure_name]) for one in judged], float)


def test_runs_trained_on_a_rule_are_known_by_their_keywords(sweep: Path) -> None:
    results = read_results(sweep)
    found = {name: trained_on(rule, results, SENTENCES) for name, rule in INPUTS.items()}
    assert {name: [run.name for run in runs] for name, runs in found.items() if runs} == {
        name: [run] for name, run in KNOWN.items()
    }


@pytest.mark.parametrize("limit", [None, 25])
def test_ours_are_held_against_what_was_recorded_of_the_same_sentences(
    own: Path, models: list[Path], limit: int | None
) -> None:
    said: list[str] = []
    found = measure(SpecialistsBench(own, models, SENTENCES, limit), said.append)
    assert found["sentences"] == (limit or len(SENTENCES))
    assert found["models"] == 2
    assert found["rules"].keys() == KNOWN.keys()
    assert said == [f"{name}, decoded by {path.name}" for name in KNOWN for path in models]
    for name, row in found["rules"].items():
        seeds = [
            predict(Completer.load(path), SENTENCES[:limit], choose=chosen_by(INPUTS[name]))
            for path in models
        ]
        for measure_name in MEASURES:
            theirs = recorded(own, KNOWN[name], measure_name)[:limit]
            ours = np.mean([[getattr(one, HELD_AS[measure_name]) for one in s] for s in seeds])
            figures = row[measure_name]
            assert figures["ours"] == pytest.approx(ours) == row["ours"][measure_name]
            assert figures["best"] == pytest.approx(theirs.mean())
            assert figures["specialist"] == KNOWN[name]
            assert figures["times"] == pytest.approx(ours / theirs.mean())
            low, high = figures["interval"]
            assert low <= figures["times"] <= high


def test_the_best_of_several_is_found_for_each_measure(own: Path, models: list[Path]) -> None:
    """A restart that is right at once where the other is not, but never among three."""
    again = shutil.copytree(own / "unif-0.3", own / "unif-0.3-again")
    rows = [json.loads(line) for line in (own / "unif-0.3/predictions.jsonl").open()]
    changed = [{**row, "exact": True, "served": False, "in_top3": False} for row in rows]
    lines = "".join(json.dumps(row) + "\n" for row in changed)
    (again / "predictions.jsonl").write_text(lines)
    outcomes = outcomes_of(read_predictions(again / "predictions.jsonl"))
    figures = json.loads((again / "evaluation.json").read_text())
    for name, key in HELD_AS.items():
        figures[name] = float(getattr(outcomes, key).mean())
    (again / "evaluation.json").write_text(json.dumps(figures))
    found = measure(SpecialistsBench(own, models[:1], SENTENCES, None), lambda line: None)
    row = found["rules"]["Unif(0.3)"]
    assert row["specialists"].keys() == {"unif-0.3", "unif-0.3-again"}
    assert row["exact_match"]["specialist"] == "unif-0.3-again"
    assert row["exact_match"]["best"] == 1.0
    assert row["top3"]["specialist"] == "unif-0.3"


def test_other_sentences_than_the_sweeps_are_refused(own: Path, models: list[Path]) -> None:
    bench = SpecialistsBench(own, models, SENTENCES[::-1], None)
    with pytest.raises(UsageError, match="judged on other sentences than these 40"):
        measure(bench, lambda line: None)


def some_figures(**changes: Any) -> dict[str, Any]:
    row = {"ours": 0.2, "best": 0.16, "specialist": "unif-0.3", "times": 1.25}
    row = {**row, "interval": (1.1, 1.4), **changes}
    ours = {"typed_fraction": 0.3, "nll_per_token": 2.5}
    rules = {"Unif(0.3)": {"ours": ours, **dict.fromkeys(MEASURES, row)}}
    return {"sentences": 9031, "models": 1, "rules": rules}


def test_the_table_tells_how_many_times_and_how_sure_that_is() -> None:
    lines = render(some_figures()).splitlines()
    assert lines[0] == "9,031 held-out sentences."
    told = "20.0% | 16.0% | unif-0.3 | 1.25 | 1.10 to 1.40 | 2.500 |"
    assert lines[4] == f"| Unif(0.3) | 0.30 | greedy | {told}"
    assert lines[6] == f"| Unif(0.3) | 0.30 | top three | {told}"


def test_where_a_specialist_is_never_right_there_is_no_multiple() -> None:
    shown = render(some_figures(best=0.0, times=None, interval=None))
    assert "| 20.0% | 0.0% | unif-0.3 | – | – |" in shown
    json.dumps(some_figures(), allow_nan=False)


def test_a_sweep_without_rules_is_said_to_have_none() -> None:
    assert "no run that was trained on keywords of a rule" in render({"rules": {}})
