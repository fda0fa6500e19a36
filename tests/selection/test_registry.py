from typing import Any

import pytest

from tersely.runtime.registry import open_runtime
from tersely.selection.keep_probability import KeepProbabilitySelector
from tersely.selection.registry import open_selector
from tersely.selection.surprisal import SurprisalSelector
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of


def test_the_architecture_determines_the_selector() -> None:
    paper, monotone = folder_of(small_scheme()), monotone_folder_of(small_monotone())
    assert isinstance(open_selector(paper, open_runtime(paper)), KeepProbabilitySelector)
    assert isinstance(open_selector(monotone, open_runtime(monotone)), SurprisalSelector)


def test_a_runtime_without_a_selector_is_refused() -> None:
    unknown: Any = object()
    with pytest.raises(TypeError, match="no selector for object"):
        open_selector(folder_of(small_scheme()), unknown)


def test_the_papers_decoder_is_not_conditioned_on_a_budget() -> None:
    model = folder_of(small_scheme())
    assert open_selector(model, open_runtime(model)).decoder_budget(0.3) is None
