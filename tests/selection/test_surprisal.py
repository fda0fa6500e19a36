from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tersely.errors import TerselyError, UsageError
from tersely.game.distilled.scheme import MonotoneScheme
from tersely.model.budget_features import DecoderBudget
from tersely.runtime.monotone import MonotoneRuntime
from tersely.selection.budget import Allocation
from tersely.selection.surprisal import SurprisalSelector
from tersely.text.tokens import SHIFT
from tersely.text.vocabulary import Vocabulary
from tests.game.small import random_batch
from tests.game.small_monotone import (
    LEXICON,
    SURPRISAL_SETTINGS,
    monotone_folder_of,
    small_monotone,
    words_of,
)

BUDGETS = (0.1, 0.2, 0.35, 0.5, 0.65, 0.8)
UNKNOWN = {f"w{n}" for n in range(30, 40)}


@pytest.fixture(scope="module")
def scheme() -> MonotoneScheme:
    return small_monotone(seed=2, loss_scale=20)


@pytest.fixture(scope="module")
def runtime(scheme: MonotoneScheme) -> MonotoneRuntime:
    return MonotoneRuntime(monotone_folder_of(scheme))


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return words_of(random_batch(300))


def table(budgets: list[float], typed: list[float]) -> dict[str, Any]:
    rows = zip(budgets, typed, strict=True)
    return {"budgets": [{"budget": b, "typed_fraction": t} for b, t in rows]}


def share(masks: list[list[bool]]) -> float:
    return sum(map(sum, masks)) / sum(map(len, masks))


def measured(runtime: MonotoneRuntime, sentences: list[list[str]]) -> dict[str, Any]:
    """Settings with a budget table measured on these sentences."""
    budgets = np.linspace(0.05, 1, 20).tolist()
    plain = SurprisalSelector(runtime, {**SURPRISAL_SETTINGS, **table([1e-6, 1.0], [0.0, 1.0])})
    typed = [share(plain.masks(sentences, budget)) for budget in budgets]
    return {**SURPRISAL_SETTINGS, **table(budgets, typed)}


def selector_of(values: list[float]) -> SurprisalSelector:
    """A selector with these token values for every sentence."""
    token_losses = np.array([[value, 0.0] for value in values], np.float32)
    runtime: Any = SimpleNamespace(
        vocabulary=Vocabulary(LEXICON[:30]),
        predict_losses=lambda sentences, budget: [token_losses.copy() for _ in sentences],
    )
    return SurprisalSelector(runtime, SURPRISAL_SETTINGS)


@pytest.mark.parametrize(
    "encoder",
    [
        None,
        "surprisal",
        {},
        {**SURPRISAL_SETTINGS["encoder"], "kind": "learned"},
        {**SURPRISAL_SETTINGS["encoder"], "noise": 0},
        {**SURPRISAL_SETTINGS["encoder"], "noise": "0.4"},
        {**SURPRISAL_SETTINGS["encoder"], "noise": float("nan")},
        {**SURPRISAL_SETTINGS["encoder"], "default_budget": 1.5},
        {**SURPRISAL_SETTINGS["encoder"], "default_budget": None},
    ],
)
def test_invalid_settings_are_refused(runtime: MonotoneRuntime, encoder: Any) -> None:
    with pytest.raises(TerselyError, match="encoder must have kind"):
        SurprisalSelector(runtime, {**SURPRISAL_SETTINGS, "encoder": encoder})


def test_a_budget_is_met_on_average_and_a_larger_one_types_more(
    runtime: MonotoneRuntime, sentences: list[list[str]]
) -> None:
    selector = SurprisalSelector(runtime, measured(runtime, sentences))
    shares = [share(selector.masks(sentences, budget)) for budget in BUDGETS]
    assert shares == sorted(shares)
    assert shares == pytest.approx(BUDGETS, abs=0.06)  # odd lengths all round up at one half
    assert selector.masks(sentences) == selector.masks(sentences, 0.4)


@pytest.mark.promise(10)
@pytest.mark.parametrize("budget", BUDGETS)
@torch.no_grad()
def test_numpy_and_torch_type_the_same_tokens(
    scheme: MonotoneScheme, runtime: MonotoneRuntime, sentences: list[list[str]], budget: float
) -> None:
    batch, selector = random_batch(300), SurprisalSelector(runtime, SURPRISAL_SETTINGS)
    decoder_budget = selector.decoder_budget(budget)
    assert decoder_budget is not None
    theirs = scheme.masks(batch, Allocation(decoder_budget.share)).tolist()
    for mine, row in zip(selector.masks(sentences, budget), theirs, strict=True):
        assert mine == row[: len(mine)]


@pytest.mark.parametrize("budget", [None, *BUDGETS])
def test_unknown_words_are_typed_first_and_case_marks_never(
    runtime: MonotoneRuntime, sentences: list[list[str]], budget: float | None
) -> None:
    masks = SurprisalSelector(runtime, SURPRISAL_SETTINGS).masks(sentences, budget)
    seen = set()
    for tokens, mask in zip(sentences, masks, strict=True):
        typed = {token for token, is_typed in zip(tokens, mask, strict=True) if is_typed}
        dropped = {token for token, is_typed in zip(tokens, mask, strict=True) if not is_typed}
        assert SHIFT not in typed
        assert dropped.isdisjoint(UNKNOWN) or typed <= UNKNOWN
        seen |= typed
    assert seen & UNKNOWN
    assert seen - UNKNOWN


@pytest.mark.parametrize("budget", [None, 0.2, 0.7])
def test_exactly_the_typed_tokens_have_a_probability_above_one_half(
    runtime: MonotoneRuntime, sentences: list[list[str]], budget: float | None
) -> None:
    selector = SurprisalSelector(runtime, SURPRISAL_SETTINGS)
    flat = np.concatenate(selector.probabilities(sentences, budget))
    typed = np.concatenate(selector.masks(sentences, budget))
    assert ((flat >= 0) & (flat <= 1)).all()
    assert np.array_equal(flat > 0.5, typed)
    assert ((flat > 0.05) & (flat < 0.45)).any()


def test_the_decoder_is_conditioned_on_the_budget_that_types_the_share(
    runtime: MonotoneRuntime,
) -> None:
    selector = SurprisalSelector(runtime, {**SURPRISAL_SETTINGS, **table([0.2, 0.8], [0.1, 0.7])})
    assert selector.decoder_budget(None) is None
    decoder_budget = selector.decoder_budget(0.4)
    assert decoder_budget is not None
    assert decoder_budget.share == pytest.approx(0.5)
    assert not decoder_budget.on_average


def test_with_thresholds_the_decoders_budget_holds_on_average(
    runtime: MonotoneRuntime, sentences: list[list[str]]
) -> None:
    rows = [{"budget": b, "typed_fraction": b, "bar": bar} for b, bar in ((0.3, 1e-3), (0.5, 1e-2))]
    selector = SurprisalSelector(runtime, {**SURPRISAL_SETTINGS, "budgets": rows})
    even = SurprisalSelector(runtime, {**SURPRISAL_SETTINGS, **table([0.3, 0.5], [0.3, 0.5])})
    masks, plain = selector.masks(sentences, 0.3), even.masks(sentences, 0.3)
    assert selector.decoder_budget(0.32) == DecoderBudget(0.3, on_average=True)
    assert even.decoder_budget(0.3) == DecoderBudget(0.3)
    changes = {sum(mask) - sum(even_mask) for mask, even_mask in zip(masks, plain, strict=True)}
    assert changes == {-1, 0, 1}
    probabilities = selector.probabilities(sentences, 0.3)
    assert [[probability > 0.5 for probability in row] for row in probabilities] == masks


def test_without_sentences_nothing_is_selected(runtime: MonotoneRuntime) -> None:
    selector = SurprisalSelector(runtime, SURPRISAL_SETTINGS)
    assert selector.masks([]) == selector.probabilities([]) == []
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        selector.masks([], 7.0)


@pytest.mark.parametrize("budget", [0.0, -0.1, 1.01, float("nan")])
def test_a_budget_is_a_share(runtime: MonotoneRuntime, budget: float) -> None:
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        SurprisalSelector(runtime, SURPRISAL_SETTINGS).masks([["w5"]], budget)
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        SurprisalSelector(runtime, SURPRISAL_SETTINGS).probabilities([["w5"]], budget)


def test_a_probability_is_that_of_noise_lifting_the_value_over_the_cut() -> None:
    probabilities = selector_of([4.0, 1.0, -3.0]).probabilities([["w5", "w6", "w7"]])[0]
    # One of three is typed: the cut lies at √(4 × 1), log 2 from both; −3 counts as 0.01.
    noise = NormalDist(0, 0.4)
    expected = [noise.cdf(np.log(value / 2)) for value in (4.0, 1.0, 0.01)]
    assert probabilities == pytest.approx(expected, abs=1e-6)


def test_words_of_equal_value_are_typed_from_the_left() -> None:
    selector, words = selector_of([2.0, 3.0, 2.0, 2.0]), [["w5", "w6", "w7", "w8"]]
    assert selector.masks(words, 0.5) == [[True, True, False, False]]
    probabilities = selector.probabilities(words, 0.5)[0]
    assert probabilities[0] == probabilities[2] == probabilities[3] == 0.5
    assert probabilities[1] > 0.8


def test_a_word_that_can_only_be_copied_has_probability_0_or_1() -> None:
    selector = selector_of([9.0, -9.0, -9.0, 9.0])
    words = [["w5", "w31", "w32", SHIFT]]
    assert selector.probabilities(words, 0.25)[0][1:] == [1.0, 0.0, 0.0]
    assert selector.probabilities(words, 0.5)[0][1:] == [1.0, 1.0, 0.0]
    assert selector.masks(words, 0.9) == [[True, True, True, False]]


@pytest.mark.parametrize(("budget", "cut"), [(0.2, 4 * 2**0.5), (0.9, 1 / 2**0.5)])
def test_where_all_or_none_are_typed_the_cut_lies_beyond_the_nearest_value(
    budget: float, cut: float
) -> None:
    probabilities = selector_of([4.0, 1.0]).probabilities([["w5", "w6"]], budget)[0]
    expected = [NormalDist(0, 0.4).cdf(np.log(value / cut)) for value in (4.0, 1.0)]
    assert probabilities == pytest.approx(expected, abs=1e-6)


def test_a_sentence_without_tokens_has_nothing_to_type(runtime: MonotoneRuntime) -> None:
    selector = SurprisalSelector(runtime, SURPRISAL_SETTINGS)
    assert selector.masks([[]], 0.3) == selector.probabilities([[]], 0.3) == [[]]
