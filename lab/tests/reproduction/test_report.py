"""The whole report on a small sweep: every table is recomputed from the raw predictions."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.reproduction.small_sweep import RUNS
from tersely.completion.completer import Completer
from tersely.errors import UsageError
from tersely.evaluation import tagging
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, tokenise
from tersely_lab.reproduction import report as report_module
from tersely_lab.reproduction.report import ReportOptions, write_report

Rows = list[dict[str, Any]]  # lines of predictions.jsonl
Raw = dict[str, Rows]  # by run

KINDS = {"constrained": "Constr", "linear": "Linear", "unif": "Unif", "stopword": "Stopword"}


def quiet(text: str) -> None:
    assert text


@pytest.fixture(scope="module")
def report(sweep: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "out"
    write_report(
        ReportOptions(sweep, out, draws=200, matrix_sentences=20, sentences=["It was great!"]),
        quiet,
    )
    return out


@pytest.fixture(scope="module")
def raw(sweep: Path) -> Raw:
    """The raw predictions of each run."""
    return {
        name: [
            json.loads(line)
            for line in (sweep / name / "predictions.jsonl").read_text().splitlines()
        ]
        for name, *_ in RUNS
    }


def table(report: Path, name: str) -> list[dict[str, str]]:
    with (report / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def label(name: str) -> str:
    kind, parameter = name.split("-")[:2]
    return f"{KINDS[kind]}({float(parameter):g})"


def short_limit(raw: Raw) -> int:
    lengths = np.array([int(row["tokens"]) for row in next(iter(raw.values()))])
    return min(
        map(int, np.unique(lengths)),
        key=lambda limit: abs(float(lengths[lengths <= limit].mean()) - 7),
    )


def subsets(raw: Raw) -> Iterator[tuple[str, Raw]]:
    limit = short_limit(raw)
    yield "all", raw
    yield (
        "matched",
        {name: [row for row in rows if row["tokens"] <= limit] for name, rows in raw.items()},
    )


def figures(rows: Rows) -> dict[str, float]:
    typed, tokens = sum(len(row["keywords"]) for row in rows), sum(row["tokens"] for row in rows)
    return {
        "kept_with_eos": (typed + len(rows)) / (tokens + len(rows)),
        "typed_fraction": typed / tokens,
        "exact match": sum(row["exact"] for row in rows) / len(rows),
        "served": sum(row["served"] for row in rows) / len(rows),
        "top three": sum(row["in_top3"] for row in rows) / len(rows),
    }


def point(runs: Raw, scheme: str) -> dict[str, float]:
    """Means over the seeds of a scheme."""
    own = [figures(rows) for name, rows in runs.items() if label(name) == scheme]
    return {key: float(np.mean([one[key] for one in own])) for key in own[0]}


def test_the_table_of_runs_is_what_the_predictions_say(report: Path, raw: Raw) -> None:
    rows = table(report, "runs")
    assert [row["run"] for row in rows] == list(raw)
    short = dict(subsets(raw))["matched"]
    for row in rows:
        for key, value in figures(raw[row["run"]]).items():
            assert float(row[key]) == pytest.approx(value)
        for key in ("kept_with_eos", "typed_fraction", "exact match"):
            assert float(row[f"{key}, short"]) == pytest.approx(figures(short[row["run"]])[key])
        assert (row["steps"], row["variant"]) == ("25", "False")


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("points-figure-2", ("Constr", "Linear")),
        ("points-figure-3", ("Constr", "Unif", "Stopword")),
    ],
)
def test_points_are_means_over_seeds(
    report: Path, raw: Raw, name: str, kinds: tuple[str, ...]
) -> None:
    rows = table(report, name)
    for subset, runs in subsets(raw):
        own = [row for row in rows if row["subset"] == subset]
        wanted = {label(run) for run in runs if label(run).startswith(kinds)}
        assert {row["scheme"] for row in own} == wanted
        for row in own:
            for key, value in point(runs, row["scheme"]).items():
                assert float(row[key]) == pytest.approx(value)
            low, high = float(row["over both from"]), float(row["over both to"])
            assert low <= float(row["exact match"]) <= high
            assert (row["seeds"] == "2") == (row["over seeds from"] != "")
    paper = {row["scheme"]: row["paper exact"] for row in rows}
    assert (paper["Constr(0.4)"], paper["Constr(0.8)"]) == ("0.1313", "0.0115")


@pytest.mark.parametrize(
    ("name", "other", "at", "claimed"),
    [("lead-over-linear", "Linear", 0.5338, 0.1173), ("lead-over-unif", "Unif", 0.7737, 0.5216)],
)
def test_leads_are_read_between_the_points(
    report: Path, raw: Raw, name: str, other: str, at: float, claimed: float
) -> None:
    rows = {(row["subset"], row["retention"]): row for row in table(report, name)}
    assert len(rows) == 4
    read = 0
    for subset, runs in subsets(raw):
        for measure, place in (("kept_with_eos", at), ("typed_fraction", (at - 0.125) / 0.875)):
            row = rows[subset, measure]
            assert float(row["at"]) == pytest.approx(place)
            assert float(row["paper, points or relative"]) == claimed
            values = []
            for kind in ("Constr", other):
                schemes = {label(run) for run in runs if label(run).startswith(kind)}
                curve = sorted(
                    (point(runs, one)[measure], point(runs, one)["exact match"]) for one in schemes
                )
                inside = curve[0][0] <= place <= curve[-1][0]
                xs, ys = zip(*curve, strict=True)
                values.append(float(np.interp(place, xs, ys)) if inside else None)
            ours, theirs = values
            if ours is None or theirs is None:
                assert row["points"] == row["relative"] == ""
                continue
            read += 1
            assert float(row["points"]) == pytest.approx(ours - theirs)
            if theirs:
                assert float(row["relative"]) == pytest.approx((ours - theirs) / theirs)
            if row["points over both from"]:
                low, high = (float(row[f"points over both {end}"]) for end in ("from", "to"))
                assert low <= ours - theirs <= high
    assert read or other == "Unif"


def test_the_matrix_is_really_decoded(report: Path, sweep: Path, raw: Raw) -> None:
    rows = table(report, "matrix-cells")
    names = {label(name): name for name in reversed(raw) if name.startswith(("unif", "constr"))}
    assert {row["encoder"] for row in rows} == set(names)
    assert len(rows) == len(names) ** 2
    for row in rows:
        encoder, decoder = names[row["encoder"]], names[row["decoder"]]
        own = raw[encoder][:20]
        if encoder == decoder:
            found = [one["exact"] for one in own]
        else:
            guesses = Completer.load(sweep / decoder).greedy_decode(
                [one["keywords"] for one in own]
            )
            found = [
                guess.tokens == tuple(tokenise(one["sentence"]).tokens)
                for guess, one in zip(guesses, own, strict=True)
            ]
        assert float(row["exact match"]) == pytest.approx(np.mean(found))
    wide = {row["encoder"]: row for row in table(report, "matrix")}
    first = wide["Unif(0.3)"]
    assert float(first["typed_fraction"]) == pytest.approx(
        figures(raw["unif-0.3"][:20])["typed_fraction"]
    )
    assert float(first["Unif(0.3)"]) == np.mean([one["exact"] for one in raw["unif-0.3"][:20]])


def test_words_and_their_parts_of_speech_are_counted_right(report: Path, raw: Raw) -> None:
    rows = table(report, "parts-of-speech-all")
    for subset, runs in subsets(raw):
        for name in ("constrained-0.4", "constrained-0.8"):
            count, kept = Counter[str](), Counter[str]()
            for one in runs[name]:
                left = list(one["keywords"])
                tokens = tokenise(one["sentence"]).tokens
                for token, tag in zip(tokens, tagging.tag(tokens), strict=True):
                    count[tag] += 1
                    if left and left[0] == token:
                        kept[tag] += 1
                        left.pop(0)
                assert not left
            own = [row for row in rows if (row["subset"], row["run"]) == (subset, name)]
            assert {row["part of speech"]: int(row["tokens"]) for row in own} == dict(count)
            for row in own:
                tag = row["part of speech"]
                assert float(row["kept"]) == pytest.approx(kept[tag] / count[tag])
                assert float(row["95 % from"]) <= kept[tag] / count[tag] <= float(row["95 % to"])


def test_frequency_bands_are_counted_right(report: Path, sweep: Path, raw: Raw) -> None:
    rows = table(report, "frequency")
    name = min(
        ("constrained-0.8", "constrained-0.4"),
        key=lambda one: abs(figures(raw[one])["kept_with_eos"] - 0.3404),
    )
    for subset, runs in subsets(raw):
        seen, kept = Counter[str](), Counter[str]()
        for one in runs[name]:
            seen.update(tokenise(one["sentence"]).tokens)
            kept.update(one["keywords"])
        words = [word for word in seen if word != SHIFT and not is_punctuation(word)]
        own = [row for row in rows if row["subset"] == subset]
        assert sum(int(row["types"]) for row in own) == len(words)
        for row in own:
            band = [w for w in words if int(row["seen from"]) <= seen[w] <= int(row["to"])]
            tokens = sum(seen[word] for word in band)
            assert (int(row["types"]), int(row["tokens"])) == (len(band), tokens)
            assert float(row["kept"]) == pytest.approx(sum(kept[w] for w in band) / tokens)
    top = table(report, "most-frequent")[0]
    assert int(top["seen"]) == max(
        count
        for word, count in Counter(
            token for one in raw[name] for token in tokenise(one["sentence"]).tokens
        ).items()
        if word != SHIFT and not is_punctuation(word)
    )


def test_restarts_are_compared_token_by_token(report: Path, raw: Raw) -> None:
    paper, *rows = table(report, "restarts")
    assert float(paper["token retention apart"]) == 0.1135
    assert {row["scheme"] for row in rows} == {"Constr(0.4)"}
    for subset, runs in subsets(raw):
        [row] = [row for row in rows if row["subset"] == subset]
        first, second = runs["constrained-0.4"], runs["constrained-0.4-seed2"]
        seen = Counter(token for one in first for token in tokenise(one["sentence"]).tokens)
        one, two = (
            Counter(word for own in rows_of for word in own["keywords"])
            for rows_of in (first, second)
        )
        apart = sum(seen[w] * abs(one[w] / seen[w] - two[w] / seen[w]) for w in seen)
        assert float(row["token retention apart"]) == pytest.approx(apart / sum(seen.values()))
        assert float(row["kept_with_eos, first"]) == pytest.approx(figures(first)["kept_with_eos"])
        assert float(row["exact match, second"]) == pytest.approx(figures(second)["exact match"])


def test_stability_is_read_from_the_runs(report: Path, sweep: Path, raw: Raw) -> None:
    rows = table(report, "retention-by-parameter")
    for row in rows:
        scheme = f"{row['objective']}({float(row['value']):g})"
        assert float(row["typed_fraction"]) == pytest.approx(point(raw, scheme)["typed_fraction"])
    epsilon = {row["run"]: row for row in table(report, "epsilon")}
    for name in ("constrained-0.4", "constrained-0.8"):
        own = raw[name]
        loss = sum(one["nll"] for one in own) / (sum(one["tokens"] for one in own) + len(own))
        assert float(epsilon[name]["loss on test, nats a token"]) == pytest.approx(loss)
        dev = json.loads((sweep / name / "result.json").read_text())["dev"]
        assert float(epsilon[name]["λ at the end"]) == dev["weight_tokens_per_nat"]
    descent = {row["run"]: row for row in table(report, "descent")}
    lines = (sweep / "constrained-0.4" / "metrics.jsonl").read_text().splitlines()
    dev_rows = [row for row in map(json.loads, lines) if row["kind"] == "dev"]
    assert float(descent["constrained-0.4"]["kept at the end"]) == dev_rows[-1]["kept_fraction"]


def test_the_scale_is_read_from_the_logs(report: Path, sweep: Path) -> None:
    for row in table(report, "scale"):
        result = json.loads((sweep / row["run"] / "result.json").read_text())
        assert float(row["minutes"]) == pytest.approx(result["seconds"] / 60)
        assert int(row["train sentences"]) == result["train_sentences"]
    ours, ten, *_ = table(report, "larger")
    assert float(ten["hours, 500,000 sentences"]) == pytest.approx(
        float(ours["hours, 500,000 sentences"]) / 10
    )
    sentences = json.loads((sweep / "unif-0.3" / "result.json").read_text())["train_sentences"]
    assert float(ours["hours, 500,000 sentences"]) == pytest.approx(
        float(ours["hours, as it was"]) * 500_000 / sentences
    )


def test_the_examples_are_the_papers_and_those_asked_for(report: Path, sweep: Path) -> None:
    rows = table(report, "examples-all")
    assert {row["sentence"] for row in rows} == {
        "She's absolutely wonderful.",
        "Great find for casual dining!",
    }
    completer = Completer.load(sweep / "constrained-0.8")
    [row] = [
        row
        for row in rows
        if (row["scheme"], row["keywords"]) == ("Constr(0.8)", "find casual dining")
    ]
    assert row["ours"] == " / ".join(one.text for one in completer.complete("find casual dining"))
    first = table(report, "illustration-1")
    assert [row["x"] for row in first] == tokenise("I will be 10 minutes late.").tokens
    assert [float(row["p in appendix B"]) for row in first] == [0, 0.1, 0.2, 0, 0.9, 0.7, 0.8, 0]
    second = table(report, "illustration-2")
    assert [row["x"] for row in second] == tokenise("It was great!").tokens
    for row in (*first, *second):
        assert (row["m"] == "True") == (float(row["p"]) > 0.5)


def test_no_sentence_of_the_corpus_is_anywhere_in_it(report: Path, raw: Raw) -> None:
    sentences = {
        one["sentence"] for one in raw["unif-0.3"] if len(tokenise(one["sentence"]).tokens) > 5
    }
    for path in report.rglob("*"):
        if path.suffix in (".html", ".csv", ".json", ".jsonl", ".svg"):
            text = path.read_text(encoding="utf-8")
            assert not [one for one in sentences if one in text], path


def test_the_page_can_be_made_again_without_the_weights(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "save_figure", lambda figure, folder: None)
    kept = shutil.copytree(report / "results", tmp_path / "kept")
    assert not list(kept.rglob("*.safetensors"))
    assert not list(kept.rglob("predictions.jsonl"))
    again = tmp_path / "again"
    write_report(ReportOptions(kept, again, draws=200), quiet)
    for folder in ("tables", "results"):
        first, second = (
            {
                str(path.relative_to(out)): path.read_bytes()
                for path in (out / folder).rglob("*")
                if path.is_file()
            }
            for out in (report, again)
        )
        assert first == second
    assert (report / "index.html").read_bytes() == (again / "index.html").read_bytes()


def test_broken_and_missing_runs_are_named_and_leave_a_gap(sweep: Path, tmp_path: Path) -> None:
    hurt = shutil.copytree(sweep, tmp_path / "sweep")
    shutil.rmtree(hurt / "unif-0.3")
    (hurt / "unif-0.7" / "evaluation.json").write_text("{")
    (hurt / "linear-3" / "predictions.jsonl").write_text("not JSON\n")
    (hurt / "linear-6" / "result.json").unlink()
    stopword = hurt / "stopword-0"
    lines = (stopword / "predictions.jsonl").read_text().splitlines()
    (stopword / "predictions.jsonl").write_text("\n".join(lines[:-3]) + "\n")
    (hurt / "constrained-0.4" / "model" / "model.safetensors").write_bytes(b"broken")
    out, beside = tmp_path / "out", tmp_path / "pages" / "paper.md"
    results = write_report(
        ReportOptions(hurt, out, draws=100, matrix_sentences=10, markdown=beside), quiet
    )
    reasons = {row["run"]: row["why"] for row in table(out, "gaps")}
    assert set(reasons) == {"unif-0.3", "unif-0.7", "linear-3", "linear-6", "stopword-0"}
    for name, word in {
        "unif-0.3": "not there",
        "unif-0.7": "evaluation.json",
        "linear-3": "line 1",
        "linear-6": "not finished",
        "stopword-0": "not of the same evaluation",
    }.items():
        assert word in reasons[name]
    assert {run.name for run in results.runs} == {
        "constrained-0.8",
        "constrained-0.4",
        "constrained-0.4-seed2",
    }
    page = (out / "index.html").read_text()
    assert all(name in page for name in reasons)
    cells = {(row["encoder"], row["decoder"]): row for row in table(out, "matrix-cells")}
    assert cells["Constr(0.8)", "Constr(0.4)"]["exact match"] == ""
    assert cells["Constr(0.4)", "Constr(0.8)"]["exact match"] != ""
    assert "constrained-0.4: its model cannot be loaded" in page
    links = [part.split(")")[0] for part in beside.read_text().split("](")[1:]]
    assert links
    assert all((beside.parent / link).is_file() for link in links)


def test_a_folder_of_something_else_is_left_alone(sweep: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="is not a report"):
        write_report(ReportOptions(sweep, tmp_path), quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_every_plot_is_there_twice_and_the_page_shows_it(report: Path) -> None:
    page = (report / "index.html").read_text()
    for name in ("figure-2", "figure-3", "figure-4", "table-3", "retention-by-parameter"):
        assert (report / "plots" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (report / "plots" / f"{name}.svg").read_text()
        assert f"plots/{name}.svg" in page
