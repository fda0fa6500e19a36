from pathlib import Path

import pytest

from tersely.errors import TerselyError, UsageError
from tersely.model.folder import ModelFolder
from tersely.training.config import parse_config
from tersely.training.fine_tuning import GENTLE, config_to_go_on


def test_a_model_goes_on_as_it_was_made_but_gently(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    config = config_to_go_on(model)
    before = parse_config(model.settings["trained"]["config"], where="the model")
    assert (config.model, config.objective) == (before.model, before.objective)
    assert config.training != before.training
    assert config.training == GENTLE


@pytest.mark.parametrize("trained_as", [None, {}, {"config": None}, "by hand"])
def test_a_model_that_does_not_say_how_it_was_made_needs_a_config(
    trained: Path, trained_as: object
) -> None:
    model = ModelFolder.from_pretrained(trained)
    model.settings["trained"] = trained_as
    with pytest.raises(UsageError, match="Give --config"):
        config_to_go_on(model)


def test_a_config_that_is_none_is_refused(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    model.settings["trained"] = {"config": {"model": {"wings": 2}}}
    with pytest.raises(TerselyError, match="wings"):
        config_to_go_on(model)
