import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tersely.completion.completer import Completer
from tersely.errors import TerselyError, UsageError
from tersely.evaluation.metrics import predict, summarise
from tersely.runtime.paper import PaperRuntime
from tersely_lab.benchmarks.frontier import benchmark
from tersely_lab.benchmarks.frontier.benchmark import (
    PAPER_BEST,
    FrontierBench,
    decoding_time,
    finished_runs,
    lead_over_paper,
    measure,
    nearest_point,
    our_points,
    robustness,
)
from tersely_lab.benchmarks.frontier.curves import Point
from tersely_lab.benchmarks.paper_size import UNITS
from tersely_lab.benchmarks.quality import MASK_SELECTORS, METRICS, short_sentences
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of

BUDGETS = (0.2, 0.5, 0.8)
STINGY = [{"budget": 0.1, "typed_fraction": 0.1}, {"budget": 0.5, "typed_fraction": 0.9}]
RUNS = {"a-unif": "unif", "b-tight": "constrained", "c-loose": "constrained"}


def some_sentences(count: int) -> list[str]:
    """Sentences of one to nine distinct words, most in the vocabulary of the small models."""
    rng = random.Random(3)
    words = [f"w{number}" for number in range(5, 36)]
    return [" ".join(rng.sample(words, 1 + index % 9)) for index in range(count)]


def figures(typed: float, value: float) -> dict[str, Any]:
    """What an evaluation says; half as much comes back of sentences of the paper's length."""
    whole = {"sentences": 18, "typed_fraction": typed, **dict.fromkeys(METRICS, value)}
    return {**whole, "length_matched": {**whole, **dict.fromkeys(METRICS, value / 2)}}


def finished_run(run: Path, kind: str, *, typed: float, value: float, seed: int = 1) -> None:
    """A run of a sweep, as training and evaluation leave it."""
    folder_of(small_scheme(seed=seed)).save_pretrained(run / "model")
    (run / "result.json").write_text(json.dumps({"seconds": 600 * seed}))
    (run / "evaluation.json").write_text(json.dumps(figures(typed, value)))
    (run / "run.json").write_text(json.dumps({"config": {"objective": {"kind": kind}}}))


def small_sweep(folder: Path) -> Path:
    """Three finished runs; and one without an evaluation, one cut short, and a log."""
    for seed, (name, kind) in enumerate(RUNS.items(), 1):
        finished_run(folder / name, kind, typed=0.2 * seed, value=0.1 * seed, seed=seed)
    finished_run(folder / "unjudged", "unif", typed=0.5, value=1.0)
    (folder / "unjudged" / "evaluation.json").unlink()
    finished_run(folder / "cut", "unif", typed=0.5, value=1.0)
    (folder / "cut" / "result.json").unlink()
    (folder / "a-unif.log").write_text("step 1")
    return folder


def small_bench(folder: Path, *, sentences: int = 18, others: int = 9) -> FrontierBench:
    """Two seeds against a sweep: a run whose training was timed, and a model that types less."""
    seeds = [small_monotone(loss_scale=20, seed=seed) for seed in (1, 2)]
    monotone_folder_of(seeds[0]).save_pretrained(folder / "first" / "model")
    (folder / "first" / "result.json").write_text('{"seconds": 90}')
    monotone_folder_of(seeds[1], budgets=STINGY).save_pretrained(folder / "second")
    return FrontierBench(
        sweep=small_sweep(folder / "sweep"),
        models=[folder / "first", folder / "second"],
        sentences=some_sentences(sentences),
        robustness_sentences=others,
    )


@pytest.fixture(scope="module")
def few_budgets() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(benchmark, "BUDGETS", BUDGETS)
        yield


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> FrontierBench:
    return small_bench(tmp_path_factory.mktemp("frontier"))


@pytest.fixture(scope="module")
def messages() -> list[str]:
    return []


@pytest.fixture(scope="module")
def results(bench: FrontierBench, few_budgets: None, messages: list[str]) -> dict[str, Any]:
    return measure(bench, messages.append)


def test_a_sweep_gives_the_points_of_its_finished_runs(bench: FrontierBench) -> None:
    points = list(finished_runs(bench.sweep))
    assert {point.name: point.family for point in points} == RUNS
    assert [point.summary["typed_fraction"] for point in points] == pytest.approx([0.2, 0.4, 0.6])
    assert [point.matched["top3"] for point in points] == pytest.approx([0.05, 0.1, 0.15])
    assert [point.seconds for point in points] == [600, 1200, 1800]
    assert {point.budget for point in points} == {None}


def test_a_missing_sweep_gives_no_points(tmp_path: Path) -> None:
    assert list(finished_runs(tmp_path / "no sweep")) == []
    (tmp_path / "file").touch()
    assert list(finished_runs(tmp_path / "file")) == []


def test_without_a_finished_run_nothing_is_measured(tmp_path: Path) -> None:
    messages: list[str] = []
    with pytest.raises(UsageError, match=r"no finished run with an evaluation\.json"):
        measure(FrontierBench(tmp_path, [tmp_path / "no model"], ["w5"], 1), messages.append)
    assert messages == []


def test_our_points_are_the_evaluation_at_each_budget(
    bench: FrontierBench, results: dict[str, Any]
) -> None:
    assert [point["budget"] for point in results["ours"]] == list(BUDGETS)
    for place, path in enumerate(bench.models):
        completer = Completer.load(path)
        for point in results["ours"]:
            predictions = predict(completer, bench.sentences, budget=point["budget"])
            expected = summarise(predictions, intervals=False)
            seeds = point["all"]["seeds"]
            assert {name: values[place] for name, values in seeds.items()} == {
                name: expected[name] for name in seeds
            }
            assert point["name"] == f"ours at {point['budget']:g}"


def test_our_points_are_the_mean_over_seeds_with_intervals(results: dict[str, Any]) -> None:
    assert results["seeds"] == 2
    for point in results["ours"]:
        for subset in ("all", "matched"):
            metrics = point[subset]
            for name in ("typed_fraction", *METRICS):
                assert metrics[name] == pytest.approx(np.mean(metrics["seeds"][name]))
                low, high = metrics["intervals"][name]
                assert low <= metrics[name] <= high


def test_our_points_have_the_training_time_of_runs(results: dict[str, Any]) -> None:
    assert {point["training_seconds"] for point in results["ours"]} == {90}


def test_a_bare_model_has_no_training_time(bench: FrontierBench, few_budgets: None) -> None:
    points = our_points(bench.models[1:], bench.sentences[:3], print)
    assert {point.seconds for point in points} == {None}


def test_short_sentences_are_summarised_separately(tmp_path: Path, few_budgets: None) -> None:
    monotone_folder_of(small_monotone()).save_pretrained(tmp_path / "ours")
    long = " ".join(["w6"] * 14)
    points = our_points([tmp_path / "ours"], [*some_sentences(9), *[long] * 9], print)
    assert {point.summary["sentences"] for point in points} == {18}
    assert {point.matched["sentences"] for point in points} == {9}


def test_the_budget_error_is_the_maximum_over_seeds(results: dict[str, Any]) -> None:
    errors = [
        [abs(typed - point["budget"]) for typed in point["all"]["seeds"]["typed_fraction"]]
        for point in results["ours"]
    ]
    assert results["budget_error"] == max(map(max, errors)) > max(first for first, _ in errors)


def test_the_lead_compares_the_mean_over_seeds_with_the_sweep(results: dict[str, Any]) -> None:
    curve = results["ours"]
    for subset, share in (("all", 1.0), ("matched", 0.5)):
        typed = [point[subset]["typed_fraction"] for point in curve]
        for name in METRICS:
            rows = results["lead"][subset][name]
            at = [row["typed_fraction"] for row in rows]
            assert at == [value for value in (0.4, 0.45, 0.5) if typed[0] <= value <= typed[-1]]
            assert at
            ours = np.interp(at, typed, [point[subset][name] for point in curve])
            assert [row["ours"] for row in rows] == pytest.approx(ours.tolist())
            assert {row["best_family"] for row in rows} == {"constrained"}
            best = [0.5 * value * share for value in at]
            assert [row["best"] for row in rows] == pytest.approx(best)


def test_every_run_is_compared_with_our_curve(results: dict[str, Any]) -> None:
    for subset, share in (("all", 1.0), ("matched", 0.5)):
        assert results["points"][subset].keys() == set(METRICS)
        for rows in results["points"][subset].values():
            assert [row["name"] for row in rows] == list(RUNS)
            theirs = [share * value for value in (0.1, 0.2, 0.3)]
            assert [row["theirs"] for row in rows] == pytest.approx(theirs)
            assert rows[1]["is_beaten"] == (rows[1]["ours"] > theirs[1])


def test_the_papers_best_is_compared_on_short_sentences() -> None:
    ours = [
        Point("low", "ours", {"typed_fraction": 0.9}, {"typed_fraction": 0.2, "exact_match": 0.1}),
        Point("high", "ours", {"typed_fraction": 0.9}, {"typed_fraction": 0.4, "exact_match": 0.3}),
    ]
    rows = lead_over_paper(ours)
    assert [row["typed_fraction"] for row in rows] == [0.25, 0.34]
    assert [row["best"] for row in rows] == [PAPER_BEST[0.25], PAPER_BEST[0.34]]
    assert [row["ours"] for row in rows] == pytest.approx([0.15, 0.24])


def test_all_decoders_get_the_same_keywords_of_rules(
    bench: FrontierBench, results: dict[str, Any]
) -> None:
    completed = [sentence.split() for sentence in bench.sentences[:9]]
    for name, choose in MASK_SELECTORS.items():
        keyword_count = sum(map(sum, choose(completed)))
        row = results["robustness"][name]
        decoders = [row[decoder] for decoder in ("ours", *RUNS)]
        assert {decoder["sentences"] for decoder in decoders} == {9}
        assert {decoder["typed_fraction"] for decoder in decoders} == {
            keyword_count / sum(map(len, completed))
        }
        assert len({decoder["nll_per_token"] for decoder in decoders}) == len(decoders)
        seeds = row["ours"]["seeds"]["nll_per_token"]
        assert len(seeds) == len(bench.models)
        assert row["ours"]["nll_per_token"] == pytest.approx(sum(seeds) / len(seeds))


def test_the_best_run_is_chosen_for_each_metric(
    bench: FrontierBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = iter(
        value for value in (0.3, 0.1, 0.2, 0.15) for _ in MASK_SELECTORS
    )  # ours, then the runs

    def figures_of(seeds: Any) -> dict[str, float]:
        value = next(values)
        return {"exact_match": value, "exact_match_served": value / 2, "top3": 1 - value}

    monkeypatch.setattr(benchmark, "summarise_seeds", figures_of)
    for row in robustness(replace(bench, robustness_sentences=1), list(RUNS), print).values():
        assert row["best_exact_match"] == {"decoder": "b-tight", "value": 0.2, "times": 0.3 / 0.2}
        assert row["best_exact_match_served"]["value"] == 0.1
        assert row["best_top3"] == {"decoder": "a-unif", "value": 0.9, "times": 0.7 / 0.9}


def test_there_is_no_ratio_if_no_run_decodes_any_sentence(
    bench: FrontierBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "summarise_seeds", lambda _: dict.fromkeys(METRICS, 0.0))
    for row in robustness(replace(bench, robustness_sentences=1), list(RUNS), print).values():
        assert row["best_top3"]["times"] is None


def test_decoders_are_timed_in_turns_on_the_same_keywords(
    bench: FrontierBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = [0.0]
    completed: dict[str, list[Any]] = {"monotone": [], "paper": []}
    sizes: list[int] = []

    def beam_decode(
        self: Completer, rows: Any, beam: Any, budget: float | None = None
    ) -> list[Any]:
        completed[self.model.architecture].append(rows)
        if self.model.architecture == "paper":
            assert isinstance(self.runtime, PaperRuntime)
            sizes.append(self.runtime.shape.decoder_units)
        passed[0] += 3.0 if self.model.architecture == "paper" else 2.0
        return [[] for _ in rows]

    monkeypatch.setattr(Completer, "beam_decode", beam_decode)
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(perf_counter=lambda: passed[0]))
    monkeypatch.setattr(benchmark, "TIMED_SENTENCES", 5)
    speed = decoding_time(bench, list(finished_runs(bench.sweep)), print)
    assert speed == {
        "ours_milliseconds": 2000,
        "paper_milliseconds": 3000,
        "as_trained_milliseconds": 3000,
        "paper_decoder": "b-tight",
        "times_faster": 1.5,
    }
    in_turns = [rows for rows in completed["monotone"][1:] for _ in ("paper", "as trained")]
    assert completed["paper"] == in_turns  # the first call of ours chooses the keywords
    assert [len(rows) for rows in completed["paper"]] == [1] * 10
    assert UNITS <= sizes[0] < UNITS + 8  # in whole blocks
    assert sizes == [sizes[0], small_scheme().shape.decoder_units] * 5


def test_the_run_with_the_nearest_typed_fraction_is_timed(bench: FrontierBench) -> None:
    points = list(finished_runs(bench.sweep))  # 0.2, 0.4 and 0.6 typed
    names = [nearest_point(points, typed_fraction=typed).name for typed in (0.0, 0.45, 0.9)]
    assert names == ["a-unif", "b-tight", "c-loose"]


def test_progress_is_logged(results: dict[str, Any], messages: list[str]) -> None:
    assert messages[:3] == ["first at 0.2", "second at 0.2", "first at 0.5"]
    assert "shuffled and misspelt words" in messages
    assert "keywords of others, decoded by c-loose" in messages
    assert messages[-1] == "decoding time"
    assert results["decoding"]["times_faster"] > 0


def test_results_are_json(results: dict[str, Any]) -> None:
    read = json.loads(json.dumps(results, allow_nan=False))
    assert read["sentences"] == 18
    for name, row in results["robustness"].items():
        assert read["robustness"][name].keys() == row.keys()
        assert read["robustness"][name]["best_top3"] == row["best_top3"]
        interval = row["ours"]["intervals"]["top3"]
        assert read["robustness"][name]["ours"]["intervals"]["top3"] == [*interval]
    assert [point["family"] for point in read["sweep"]] == list(RUNS.values())


def test_sentences_that_are_all_too_long_are_refused() -> None:
    with pytest.raises(UsageError, match="at most 16 tokens"):
        short_sentences(["w5 " * 17, ""])
    assert short_sentences(["w5 " * 17, "w5 w6"]) == ["w5 w6"]


@pytest.mark.parametrize("name", ["result.json", "evaluation.json", "run.json"])
@pytest.mark.parametrize("content", ["{", "{}", "[]"])
def test_a_run_with_unreadable_results_is_named(tmp_path: Path, name: str, content: str) -> None:
    for file in ("result.json", "evaluation.json", "run.json"):
        (tmp_path / "broken").mkdir(exist_ok=True)
        (tmp_path / "broken" / file).write_text("{}")
    (tmp_path / "broken" / name).write_text(content)
    with pytest.raises(TerselyError, match="broken: not the results"):
        list(finished_runs(tmp_path))
