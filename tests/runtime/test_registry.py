from dataclasses import replace

import pytest

from tersely.errors import TerselyError
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.paper import PaperRuntime
from tersely.runtime.registry import open_runtime
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of


def test_the_architecture_chooses_the_runtime() -> None:
    assert isinstance(open_runtime(folder_of(small_scheme())), PaperRuntime)
    assert isinstance(open_runtime(monotone_folder_of(small_monotone())), MonotoneRuntime)


def test_an_unknown_architecture_is_refused_by_name() -> None:
    model = replace(folder_of(small_scheme()), architecture="oracle")
    with pytest.raises(TerselyError, match='"oracle"; known are paper and monotone'):
        open_runtime(model)


def test_a_model_of_one_architecture_is_not_opened_as_another() -> None:
    with pytest.raises(TerselyError, match="shape"):
        open_runtime(replace(folder_of(small_scheme()), architecture="monotone"))
    with pytest.raises(TerselyError, match="shape"):
        open_runtime(replace(monotone_folder_of(small_monotone()), architecture="paper"))
