from dataclasses import replace

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


def test_an_architecture_without_a_selector_is_refused() -> None:
    paper = folder_of(small_scheme())
    with pytest.raises(KeyError, match="toy"):
        open_selector(replace(paper, architecture="toy"), open_runtime(paper))


def test_the_papers_decoder_is_not_conditioned_on_a_budget() -> None:
    model = folder_of(small_scheme())
    assert open_selector(model, open_runtime(model)).decoder_budget(0.3) is None
