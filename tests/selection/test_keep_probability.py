from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tersely.errors import TerselyError, UsageError
from tersely.runtime.paper import PaperRuntime
from tersely.selection.keep_probability import KeepProbabilitySelector
from tersely.text.keywords import Stopword
from tests.game.small import small_scheme
from tests.runtime.test_paper import draw_sentences, folder_of

LEARNED = {"encoder": {"kind": "learned", "keep": "threshold"}}
UNIF = {"encoder": {"kind": "unif", "delta": 0.3}}
STOPWORD = {"encoder": {"kind": "stopword", "delta": 0.0, "drop_punctuation": True}}
TYPED = ["<shift>", "i", "will", "be", "late", "."]


@pytest.fixture(scope="module")
def runtime() -> PaperRuntime:
    return PaperRuntime(folder_of(small_scheme()))


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return draw_sentences(400)[2]


def share(masks: list[list[bool]]) -> float:
    return sum(map(sum, masks)) / sum(map(len, masks))


def test_a_learned_encoder_keeps_what_is_likelier_kept_than_not(
    runtime: PaperRuntime, sentences: list[list[str]]
) -> None:
    selector = KeepProbabilitySelector(runtime, LEARNED)
    assert selector.is_learned
    probabilities = selector.probabilities(sentences)
    assert selector.masks(sentences) == [
        [probability > 0.5 for probability in row] for row in probabilities
    ]
    assert 0 < share(selector.masks(sentences)) < 1


def test_a_sampled_mask_is_the_same_each_time(
    runtime: PaperRuntime, sentences: list[list[str]]
) -> None:
    selector = KeepProbabilitySelector(runtime, {"encoder": {"kind": "learned", "keep": "sample"}})
    masks = selector.masks(sentences)
    assert masks == selector.masks(sentences)
    assert masks != KeepProbabilitySelector(runtime, LEARNED).masks(sentences)
    mean = np.concatenate(selector.probabilities(sentences)).mean()
    assert share(masks) == pytest.approx(mean, abs=0.03)


@pytest.mark.parametrize("budget", [0.05, 0.2, 0.5, 0.9])
def test_a_budget_is_met_on_average(
    runtime: PaperRuntime, sentences: list[list[str]], budget: float
) -> None:
    probabilities = np.concatenate(
        KeepProbabilitySelector(runtime, LEARNED).probabilities(sentences)
    )
    quantiles = np.quantile(probabilities, np.linspace(0, 1, 101)).tolist()
    selector = KeepProbabilitySelector(runtime, {**LEARNED, "keep_quantiles": quantiles})
    assert share(selector.masks(sentences, budget)) == pytest.approx(budget, abs=0.01)


def test_more_budget_only_adds_tokens(runtime: PaperRuntime, sentences: list[list[str]]) -> None:
    selector = KeepProbabilitySelector(
        runtime, {**LEARNED, "keep_quantiles": np.linspace(0, 1, 101).tolist()}
    )
    kept = [np.concatenate(selector.masks(sentences, budget)) for budget in (0.2, 0.5, 0.8, 1.0)]
    for fewer, more in pairwise(kept):
        assert (more >= fewer).all()
    assert kept[-1].all()


@pytest.mark.parametrize("budget", [0.0, -0.1, 1.01, float("nan")])
@pytest.mark.parametrize("settings", [LEARNED, UNIF, STOPWORD])
def test_a_budget_is_a_share(
    runtime: PaperRuntime, settings: dict[str, Any], budget: float
) -> None:
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        KeepProbabilitySelector(runtime, settings).masks([TYPED], budget)


def test_a_model_without_calibration_takes_no_budget(runtime: PaperRuntime) -> None:
    with pytest.raises(UsageError, match="not calibrated"):
        KeepProbabilitySelector(runtime, LEARNED).masks([TYPED], 0.5)


def test_unif_keeps_its_share_or_the_budget(
    runtime: PaperRuntime, sentences: list[list[str]]
) -> None:
    selector = KeepProbabilitySelector(runtime, UNIF)
    assert not selector.is_learned
    assert share(selector.masks(sentences)) == pytest.approx(0.3, abs=0.03)
    assert share(selector.masks(sentences, 0.7)) == pytest.approx(0.7, abs=0.03)
    assert selector.masks(sentences) == selector.masks(sentences)
    assert selector.probabilities([TYPED]) == [[0.3] * 6]


def test_stopword_keeps_what_its_rule_keeps(runtime: PaperRuntime) -> None:
    selector = KeepProbabilitySelector(runtime, STOPWORD)
    assert selector.masks([TYPED]) == [[True, False, True, False, True, False]]
    assert selector.probabilities([TYPED]) == [[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]]
    assert [not Stopword(0.0, drop_punctuation=True).is_stop_word(word) for word in TYPED] == [
        probability == 1.0 for probability in selector.probabilities([TYPED])[0]
    ]
    with pytest.raises(UsageError, match="leave --budget out"):
        selector.masks([TYPED], 0.5)


HOSTILE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no table": {"encoder": "learned"},
    "an unknown kind": {"encoder": {"kind": "telepathy"}},
    "a kind that is a list": {"encoder": {"kind": ["unif"]}},
    "no delta": {"encoder": {"kind": "unif"}},
    "a delta that is no share": {"encoder": {"kind": "stopword", "delta": 7}},
    "a delta that is no number": {"encoder": {"kind": "unif", "delta": "0.3"}},
    "quantiles that are no list": {**LEARNED, "keep_quantiles": "0.5"},
    "quantiles that are no numbers": {**LEARNED, "keep_quantiles": [0.1, None]},
    "quantiles that fall": {**LEARNED, "keep_quantiles": [0.9, 0.1]},
}


@pytest.mark.parametrize("case", HOSTILE)
def test_invalid_settings_are_refused(runtime: PaperRuntime, case: str) -> None:
    with pytest.raises(TerselyError, match=r"encoder\.kind must be|keep_quantiles must be"):
        KeepProbabilitySelector(runtime, HOSTILE[case])


def test_a_sampled_mask_does_not_depend_on_the_batch(
    runtime: PaperRuntime, sentences: list[list[str]]
) -> None:
    selector = KeepProbabilitySelector(runtime, {"encoder": {"kind": "unif", "delta": 0.3}})
    alone = [selector.masks([tokens])[0] for tokens in sentences]
    assert alone == selector.masks(sentences)
    distinct = {tuple(tokens): mask for tokens, mask in zip(sentences, alone, strict=True)}
    assert share(list(distinct.values())) == pytest.approx(0.3, abs=0.03)
