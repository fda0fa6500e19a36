import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tersely.errors import UsageError
from tersely.game.step import StepMetrics
from tersely.training.metrics import (
    MetricsLog,
    average_metrics,
    plot_metrics,
    read_metrics,
    tensorboard,
)

ROWS = [
    {"step": 5, "kind": "dev", "loss_nats_a_token": 3.0, "kept_fraction": 0.5},
    {"step": 25, "kind": "train", "loss_nats_a_token": 2.0, "weight_tokens_per_nat": 5.0},
    {"step": 30, "kind": "warning", "text": "λ is high"},
]


def log_of(run: Path, *rows: dict[str, Any]) -> Path:
    log = MetricsLog(run, resume_at=0)
    for row in rows:
        log.write(row)
    log.close()
    return log.path


def test_a_written_row_can_be_read_at_once(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path, resume_at=0)
    for count, row in enumerate(ROWS, 1):
        log.write(row)
        assert read_metrics(log.path) == log.rows == ROWS[:count]
    log.close()


def test_a_resumed_log_drops_later_rows(tmp_path: Path) -> None:
    log_of(tmp_path, *ROWS)
    log = MetricsLog(tmp_path, resume_at=25)
    assert log.rows == ROWS[:2]
    log.write({"step": 26, "kind": "dev"})
    log.close()
    assert [row["step"] for row in read_metrics(log.path)] == [5, 25, 26]


def test_a_line_cut_off_by_a_crash_is_skipped(tmp_path: Path) -> None:
    path = log_of(tmp_path, *ROWS)
    whole = path.read_bytes()
    last = len(json.dumps(ROWS[-1]))
    for missing in (2, 10, last):
        path.write_bytes(whole[:-missing])
        assert read_metrics(path) == ROWS[:2]
    MetricsLog(tmp_path, resume_at=99).close()
    assert path.read_text().endswith("}\n")


def test_a_run_without_a_log_has_no_metrics(tmp_path: Path) -> None:
    assert read_metrics(tmp_path / "metrics.jsonl") == []


def test_step_metrics_are_averaged_field_by_field() -> None:
    records = [StepMetrics(1.0, 2.0, 0.5, 0.25, 100), StepMetrics(3.0, 6.0, 0.25, 0.75, 900)]
    assert average_metrics(records) == {
        "loss_nats_a_token": 2.0,
        "cost_tokens": 4.0,
        "kept_fraction": 0.375,
        "entropy_nats_a_token": 0.5,
    }


@pytest.mark.parametrize("rows", [[], ROWS])
def test_metrics_are_plotted(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    assert plot_metrics(rows, tmp_path / "course.png", title="Constrained(ε=0.5)")
    assert (tmp_path / "course.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["course.png"]


def test_without_matplotlib_there_is_no_plot_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert not plot_metrics(ROWS, tmp_path / "course.png", title="")
    assert list(tmp_path.iterdir()) == []


def test_metrics_are_written_for_tensorboard(tmp_path: Path) -> None:
    with tensorboard(tmp_path, is_enabled=True) as report:
        report(25, {"loss_nats_a_token": 1.5})
        report(50, {"loss_nats_a_token": 1.25})
    from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
        EventAccumulator,
    )

    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    scalars = events.Scalars("loss_nats_a_token")
    assert [(event.step, event.value) for event in scalars] == [(25, 1.5), (50, 1.25)]


def test_nothing_is_written_unless_tensorboard_is_enabled(tmp_path: Path) -> None:
    with tensorboard(tmp_path, is_enabled=False) as report:
        report(25, {"loss_nats_a_token": 1.5})
    assert list(tmp_path.iterdir()) == []


def test_missing_tensorboard_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with (
        pytest.raises(UsageError, match="pip install tensorboard"),
        tensorboard(tmp_path, is_enabled=True),
    ):
        pass
