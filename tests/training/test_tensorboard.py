import sys
from pathlib import Path

import pytest

from tersely.errors import UsageError
from tersely.training.tensorboard import tensorboard


def test_figures_are_written_where_tensorboard_finds_them(tmp_path: Path) -> None:
    with tensorboard(tmp_path, wanted=True) as report:
        report(25, {"loss_nats_a_token": 1.5})
        report(50, {"loss_nats_a_token": 1.25})
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    scalars = events.Scalars("loss_nats_a_token")
    assert [(one.step, one.value) for one in scalars] == [(25, 1.5), (50, 1.25)]


def test_nothing_is_written_unless_asked_for(tmp_path: Path) -> None:
    with tensorboard(tmp_path, wanted=False) as report:
        report(25, {"loss_nats_a_token": 1.5})
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with (
        pytest.raises(UsageError, match="pip install tensorboard"),
        tensorboard(tmp_path, wanted=True),
    ):
        pass
