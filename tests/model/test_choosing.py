from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tersely.errors import TerselyError, UsageError
from tersely.model.choosing import Chooser
from tersely.model.runtime import Runtime
from tersely.text.keywords import Stopword
from tests.game.small import small_scheme
from tests.model.test_runtime import drawn, folder_of

LEARNED = {"encoder": {"kind": "learned", "keep": "threshold"}}
UNIF = {"encoder": {"kind": "unif", "delta": 0.3}}
STOPWORD = {"encoder": {"kind": "stopword", "delta": 0.0, "drop_punctuation": True}}
TYPED = ["<shift>", "i", "will", "be", "late", "."]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(folder_of(small_scheme()))


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return drawn(400)[2]


def share(masks: list[list[bool]]) -> float:
    return sum(map(sum, masks)) / sum(map(len, masks))


def test_a_learned_encoder_keeps_what_is_likelier_kept_than_not(
    runtime: Runtime, sentences: list[list[str]]
) -> None:
    chooser = Chooser(runtime, LEARNED)
    assert chooser.is_learned
    chances = chooser.probabilities(sentences)
    assert chooser.masks(sentences) == [[chance > 0.5 for chance in row] for row in chances]
    assert 0 < share(chooser.masks(sentences)) < 1


def test_it_may_draw_instead_and_draws_the_same_each_time(
    runtime: Runtime, sentences: list[list[str]]
) -> None:
    chooser = Chooser(runtime, {"encoder": {"kind": "learned", "keep": "sample"}})
    masks = chooser.masks(sentences)
    assert masks == chooser.masks(sentences)
    assert masks != Chooser(runtime, LEARNED).masks(sentences)
    mean = np.concatenate(chooser.probabilities(sentences)).mean()
    assert share(masks) == pytest.approx(mean, abs=0.03)


@pytest.mark.parametrize("budget", [0.05, 0.2, 0.5, 0.9])
def test_a_budget_is_met_in_the_mean(
    runtime: Runtime, sentences: list[list[str]], budget: float
) -> None:
    chances = np.concatenate(Chooser(runtime, LEARNED).probabilities(sentences))
    quantiles = np.quantile(chances, np.linspace(0, 1, 101)).tolist()
    chooser = Chooser(runtime, {**LEARNED, "keep_quantiles": quantiles})
    assert share(chooser.masks(sentences, budget)) == pytest.approx(budget, abs=0.01)


def test_more_budget_only_adds_tokens(runtime: Runtime, sentences: list[list[str]]) -> None:
    chooser = Chooser(runtime, {**LEARNED, "keep_quantiles": np.linspace(0, 1, 101).tolist()})
    kept = [np.concatenate(chooser.masks(sentences, budget)) for budget in (0.2, 0.5, 0.8, 1.0)]
    for fewer, more in pairwise(kept):
        assert (more >= fewer).all()
    assert kept[-1].all()


@pytest.mark.parametrize("budget", [0.0, -0.1, 1.01, float("nan")])
@pytest.mark.parametrize("settings", [LEARNED, UNIF, STOPWORD])
def test_a_budget_is_a_share(runtime: Runtime, settings: dict[str, Any], budget: float) -> None:
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        Chooser(runtime, settings).masks([TYPED], budget)


def test_a_model_without_calibration_takes_no_budget(runtime: Runtime) -> None:
    with pytest.raises(UsageError, match="not calibrated"):
        Chooser(runtime, LEARNED).masks([TYPED], 0.5)


def test_unif_keeps_its_share_or_the_budget(runtime: Runtime, sentences: list[list[str]]) -> None:
    chooser = Chooser(runtime, UNIF)
    assert not chooser.is_learned
    assert share(chooser.masks(sentences)) == pytest.approx(0.3, abs=0.03)
    assert share(chooser.masks(sentences, 0.7)) == pytest.approx(0.7, abs=0.03)
    assert chooser.masks(sentences) == chooser.masks(sentences)
    assert chooser.probabilities([TYPED]) == [[0.3] * 6]


def test_stopword_keeps_what_its_rule_says(runtime: Runtime) -> None:
    chooser = Chooser(runtime, STOPWORD)
    assert chooser.masks([TYPED]) == [[True, False, True, False, True, False]]
    assert chooser.probabilities([TYPED]) == [[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]]
    assert [not Stopword(0.0, drop_punctuation=True).is_stop_word(word) for word in TYPED] == [
        chance == 1.0 for chance in chooser.probabilities([TYPED])[0]
    ]
    with pytest.raises(UsageError, match="leave --budget out"):
        chooser.masks([TYPED], 0.5)


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
def test_settings_that_name_no_way_are_refused(runtime: Runtime, case: str) -> None:
    with pytest.raises(TerselyError, match="no way to choose"):
        Chooser(runtime, HOSTILE[case])


def test_coins_are_a_sentences_own_whatever_the_batch(
    runtime: Runtime, sentences: list[list[str]]
) -> None:
    chooser = Chooser(runtime, {"encoder": {"kind": "unif", "delta": 0.3}})
    alone = [chooser.masks([tokens])[0] for tokens in sentences]
    assert alone == chooser.masks(sentences)
    distinct = {tuple(tokens): mask for tokens, mask in zip(sentences, alone, strict=True)}
    assert share(list(distinct.values())) == pytest.approx(0.3, abs=0.03)
