import pytest

from tersely.errors import UsageError
from tersely.training.changing import with_changes
from tersely.training.config import RunConfig


def test_changes_are_written_as_in_toml() -> None:
    config = with_changes(
        RunConfig(),
        [
            "training.seed=2",
            "objective.kind=unif",
            "objective.delta=0.3",
            "model.adaptive_cutoffs=[5]",
        ],
    )
    assert config.training.seed == 2
    assert (config.objective.kind, config.objective.delta) == ("unif", 0.3)
    assert config.model.adaptive_cutoffs == (5,)
    for bad in ("seed=2", "training=2", "nothing.seed=2", "training.sead=2"):
        with pytest.raises(UsageError):
            with_changes(RunConfig(), [bad])
