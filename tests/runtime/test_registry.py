from dataclasses import replace

import pytest

from tersely.errors import TerselyError
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import Runtime
from tersely.runtime.registry import open_model
from tersely.selection.keep_probability import KeepProbabilitySelector
from tersely.selection.surprisal import SurprisalSelector
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of


def test_the_papers_model_is_opened() -> None:
    runtime, selector = open_model(folder_of(small_scheme()))
    assert isinstance(runtime, Runtime)
    assert isinstance(selector, KeepProbabilitySelector)
    assert selector.decoder_budget(0.3) is None


def test_a_monotone_model_is_opened() -> None:
    runtime, selector = open_model(monotone_folder_of(small_monotone()))
    assert isinstance(runtime, MonotoneRuntime)
    assert isinstance(selector, SurprisalSelector)
    assert selector.decoder_budget(0.3) == pytest.approx(0.3)
    assert selector.decoder_budget(None) is None


def test_another_architecture_is_refused_by_name() -> None:
    model = replace(folder_of(small_scheme()), architecture="oracle")
    with pytest.raises(TerselyError, match='"oracle"; known are "paper" and "monotone"'):
        open_model(model)


def test_a_model_is_not_taken_for_one_of_the_other_kind() -> None:
    with pytest.raises(TerselyError, match="shape"):
        open_model(replace(folder_of(small_scheme()), architecture="monotone"))
    with pytest.raises(TerselyError, match="shape"):
        open_model(replace(monotone_folder_of(small_monotone()), architecture="paper"))
