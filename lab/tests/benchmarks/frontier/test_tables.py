import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from tersely.errors import UsageError
from tersely_lab.benchmarks.frontier.tables import COLORS, plot, render
from tersely_lab.benchmarks.quality import METRICS

PNG = b"\x89PNG\r\n\x1a\n"


def point(
    name: str, family: str, typed: float, top3: float, seconds: float | None
) -> dict[str, Any]:
    """Greedy gets half as many right as are in the top three; short sentences, 10 % more."""
    whole = {
        "sentences": 9_031,
        "typed_fraction": typed,
        "exact_match": top3 / 2,
        "exact_match_served": top3 * 0.75,
        "top3": top3,
    }
    return {
        "name": name,
        "family": family,
        "training_seconds": seconds,
        "all": whole,
        "matched": {key: value + 0.1 for key, value in whole.items()},
    }


def our_point(name: str, typed: float, top3: float) -> dict[str, Any]:
    """Three seeds, two per cent apart, and intervals that reach three to either side."""
    our_point = point(name, "ours", typed, top3, None)
    for metrics in (our_point["all"], our_point["matched"]):
        metrics["intervals"] = {
            name: [metrics[name] - 0.03, metrics[name] + 0.03] for name in METRICS
        }
        metrics["seeds"] = {
            name: [metrics[name], metrics[name] - 0.02, metrics[name] + 0.02] for name in METRICS
        }
    return {**our_point, "budget": typed}


def against(times: float | None, **changes: object) -> dict[str, Any]:
    row = {"typed_fraction": 0.35, "ours": 0.5, "best": 0.2, "best_family": "unif", "times": times}
    return {**row, **changes}


def held(name: str, is_beaten: bool | None) -> dict[str, Any]:
    return {"name": name, "is_beaten": is_beaten}


def decoded(times: float | None) -> dict[str, Any]:
    best = {"decoder": "unif-0.3", "value": 0.25, "times": times}
    figures = {"typed_fraction": 0.31, "exact_match": 0.1, "exact_match_served": 0.2, "top3": 0.4}
    ours = {**figures, "intervals": {name: [0.08, 0.45] for name in METRICS}}
    return {"ours": ours, **{f"best_{measure}": best for measure in METRICS}}


RESULTS: dict[str, Any] = {
    "sentences": 12_345,
    "seeds": 3,
    "ours": [
        our_point("ours at 0.5", 0.5, 0.8),
        our_point("ours at 0.3", 0.3, 0.6),
    ],
    "sweep": [
        point("unif-0.3", "unif", 0.3, 0.4, 5400.0),
        point("tight", "constrained", 0.4, 0.2, 60.0),
        point("odd", "novel", 0.45, 0.1, 60.0),
    ],
    "lead": {
        "all": {
            "exact_match": [against(2.5), against(None, typed_fraction=0.4, best=0.0)],
            "exact_match_served": [],
            "top3": [against(1.25, ours=0.75, best=0.6, best_family="tight")],
        },
        "matched": {measure: [] for measure in METRICS},
    },
    "paper": [against(3.0, typed_fraction=0.34, best=0.1445)],
    "points": {
        "all": {
            "exact_match": [held("unif-0.3", True), held("tight", True), held("far", None)],
            "exact_match_served": [held("unif-0.3", False), held("tight", False)],
            "top3": [held("unif-0.3", True), held("tight", False), held("far", None)],
        },
        "matched": {
            **{key: [held("unif-0.3", True)] for key in METRICS},
            "top3": [held("unif-0.3", False)],
        },
    },
    "robustness": {"Unif(0.3)": decoded(1.6), "content words": decoded(None)},
    "people": {"shuffled, order free": {"sentences": 1234, "first": 0.125, "shown": 0.25}},
    "budget_error": 0.0123,
    "decoding": {
        "ours_milliseconds": 20.04,
        "paper_milliseconds": 50.1,
        "as_trained_milliseconds": 40.0,
        "paper_decoder": "unif-0.5",
        "times_faster": 2.5,
    },
}


@pytest.fixture(scope="module")
def text() -> str:
    return render(RESULTS)


def test_every_scheme_is_listed_with_all_metrics(text: str) -> None:
    assert "12,345 held-out sentences" in text
    assert "| unif-0.3 | 30.0 | 20.0 | 30.0 | 40.0 | 40.0 | 30.0 | 40.0 | 50.0 | 90 |" in text
    assert "| ours at 0.5 | 50.0 | 40.0 | 60.0 | 80.0 | 60.0 | 50.0 | 70.0 | 90.0 | – |" in text


def test_our_points_are_listed_with_intervals_and_seeds(text: str) -> None:
    assert "95 % intervals over sentences, averaged over 3 seeds, and the seeds' range:" in text
    assert (
        "| 0.3 | 0.300 | 30.0 | 27.0 to 33.0 | 28.0 to 32.0 | 45.0 | 42.0 to 48.0 | 43.0 to 47.0 "
        "| 60.0 | 57.0 to 63.0 | 58.0 to 62.0 |"
    ) in text
    assert "intervals over sentences, one seed:" in render({**RESULTS, "seeds": 1})


def test_perturbed_keywords_are_listed(text: str) -> None:
    assert "| shuffled, order free | 1,234 | 12.5% | 25.0% |" in text


def test_a_lead_names_the_best_family(text: str) -> None:
    assert "| greedy | 0.35 | 50.0% | 20.0% | unif | 2.50 |" in text
    assert "| top three | 0.35 | 75.0% | 60.0% | tight | 1.25 |" in text


def test_a_lead_over_zero_is_shown_without_a_ratio(text: str) -> None:
    assert "| greedy | 0.40 | 50.0% | 0.0% | unif | – |" in text
    assert "| content words | 0.31 | greedy | 10.0% | 8.0 to 45.0 | 25.0% | unif-0.3 | – |" in text


def test_the_papers_best_is_listed_beside_ours(text: str) -> None:
    assert "| typed | ours | paper |\n| --- | ---: | ---: |\n| 0.34 | 50.0% | 14.4% |" in text


def test_schemes_above_our_curve_are_named(text: str) -> None:
    whole, short = text.split("And on those of the paper's length:")
    assert "- greedy: our curve is above all, of 2 schemes within its reach (1 beyond)" in whole
    assert (
        "- served: our curve is not above unif-0.3, tight, of 2 schemes within its reach (0 beyond)"
    ) in whole
    assert "- top three: our curve is not above tight, of 2 schemes" in whole
    assert "- greedy: our curve is above all, of 1 schemes" in short
    assert "- top three: our curve is not above unif-0.3, of 1 schemes" in short


def test_keywords_of_rules_are_listed_by_every_metric(text: str) -> None:
    assert "| Unif(0.3) | 0.31 | greedy | 10.0% | 8.0 to 45.0 | 25.0% | unif-0.3 | 1.60 |" in text
    assert "| Unif(0.3) | 0.31 | served | 20.0% | 8.0 to 45.0 | 25.0% | unif-0.3 | 1.60 |" in text
    assert "| top three | 40.0% | 8.0 to 45.0 | 25.0% | unif-0.3 | 1.60 |" in text


def test_budget_error_and_decoding_time_are_stated(text: str) -> None:
    assert "A budget is kept to within 0.012." in text
    assert "Decoding takes 20.0 ms per sentence, the paper's decoder (unif-0.5) with its " in text
    assert " 300 units 50.1, 2.50 times as long; with the units it was trained with 40.0." in text


def test_tables_have_rows_of_equal_width(text: str) -> None:
    for block in text.split("\n\n"):
        lines = block.splitlines()
        is_table = [line.startswith("|") for line in lines]
        assert all(is_table) or not any(is_table)
        assert not any(is_table) or len({line.count(" | ") for line in lines}) == 1


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """The four pictures: greedy and top three, on all sentences and on short ones."""
    figures: list[Figure] = []

    def keep(figure: Figure, path: Path, **_: object) -> None:
        path.touch()
        figures.append(figure)

    monkeypatch.setattr(Figure, "savefig", keep)
    plot(RESULTS, tmp_path / "frontier.png")
    return list(figures[0].axes)


def test_each_family_is_drawn_as_a_rising_curve_in_per_cent(drawn: list[Any]) -> None:
    lines = [{line.get_label(): line for line in axes.lines} for axes in drawn]
    for row in lines:
        assert row.keys() == {"ours", "unif", "constrained", "novel"}
    greedy, top3, _, short_top3 = (row["ours"] for row in lines)
    assert list(greedy.get_xdata()) == list(top3.get_xdata()) == [0.3, 0.5]
    assert list(greedy.get_ydata()) == pytest.approx([30, 40])
    assert list(top3.get_ydata()) == pytest.approx([60, 80])
    assert list(short_top3.get_xdata()) == pytest.approx([0.4, 0.6])
    assert list(short_top3.get_ydata()) == pytest.approx([70, 90])


def test_intervals_and_seed_ranges_are_shaded(drawn: list[Any]) -> None:
    for axes in drawn:
        [shade] = axes.collections
        assert to_hex(shade.get_facecolor()[0]) == COLORS["ours"]
    heights = drawn[1].collections[0].get_paths()[0].vertices[:, 1]
    assert (min(heights), max(heights)) == pytest.approx((57, 83))


def test_each_plot_has_a_title(drawn: list[Any]) -> None:
    assert [axes.get_title() for axes in drawn] == [
        "greedy, all sentences (%)",
        "top three, all sentences (%)",
        "greedy, of the paper's length (%)",
        "top three, of the paper's length (%)",
    ]
    assert drawn[3].get_xlabel() == "tokens typed (share)"
    assert drawn[0].get_legend() is not None


def test_families_keep_their_colours_and_new_ones_are_grey(drawn: list[Any]) -> None:
    colours = {line.get_label(): to_hex(line.get_color()) for line in drawn[0].lines}
    assert colours["ours"] == COLORS["ours"]
    assert colours["unif"] == COLORS["unif"]
    assert colours["novel"] == "#999999"


def test_the_plot_is_a_png_with_any_file_name(tmp_path: Path) -> None:
    before = deepcopy(RESULTS)
    plot(RESULTS, tmp_path / "frontier.picture")
    assert (tmp_path / "frontier.picture").read_bytes().startswith(PNG)
    assert before == RESULTS


def test_without_matplotlib_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match=r"tersely\[train\]"):
        plot(RESULTS, tmp_path / "frontier.png")
    assert list(tmp_path.iterdir()) == []
