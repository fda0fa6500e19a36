from dataclasses import replace

import pytest

from tersely.errors import TerselyError
from tersely.model.architectures import open_model
from tersely.model.choosing import Chooser
from tersely.model.monotone_runtime import MonotoneRuntime
from tersely.model.runtime import Runtime
from tersely.model.worth import WorthChooser
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.model.test_runtime import folder_of


def test_the_papers_model_is_opened() -> None:
    runtime, chooser = open_model(folder_of(small_scheme()))
    assert isinstance(runtime, Runtime)
    assert isinstance(chooser, Chooser)
    assert chooser.told(0.3) is None


def test_a_monotone_model_is_opened() -> None:
    runtime, chooser = open_model(monotone_folder_of(small_monotone()))
    assert isinstance(runtime, MonotoneRuntime)
    assert isinstance(chooser, WorthChooser)
    assert chooser.told(0.3) == pytest.approx(0.3)
    assert chooser.told(None) is None


def test_another_architecture_is_refused_by_name() -> None:
    model = replace(folder_of(small_scheme()), architecture="oracle")
    with pytest.raises(TerselyError, match='"oracle"; known are "paper" and "monotone"'):
        open_model(model)


def test_a_model_is_not_taken_for_one_of_the_other_kind() -> None:
    with pytest.raises(TerselyError, match="shape"):
        open_model(replace(folder_of(small_scheme()), architecture="monotone"))
    with pytest.raises(TerselyError, match="shape"):
        open_model(replace(monotone_folder_of(small_monotone()), architecture="paper"))
