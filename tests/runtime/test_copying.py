"""The paper's next words, the best of them found without scoring all."""

import numpy as np
import pytest

from tersely.runtime.copying import CopyOrGenerate
from tersely.runtime.paper import Runtime
from tersely.text.vocabulary import BOS_ID
from tests.game.small import SHAPES, small_scheme
from tests.runtime.test_paper import drawn, folder_of

ROWS = 60


@pytest.fixture(scope="module", params=SHAPES)
def coming(request: pytest.FixtureRequest) -> CopyOrGenerate:
    runtime = Runtime(folder_of(small_scheme(SHAPES[request.param], width=1.0)))
    batch, _, _, typed = drawn(ROWS)
    typed[0] = ["w5", "w5", "w33", "w33", "w20"]  # twice among the keywords, known and unknown
    state, last = runtime.begin(typed), np.full(ROWS, BOS_ID)
    for place in range(3):
        state, found = runtime.step(state, last)
        last = batch.tokens[:, min(place, batch.tokens.shape[1] - 1)].numpy().clip(4, 29)
    return found


def test_everything_adds_up_to_one(coming: CopyOrGenerate) -> None:
    sums = np.exp(coming.all()).sum(axis=1)
    has_keywords = (coming.copied >= 0).any(axis=1)  # without any, what copying gets is lost
    assert has_keywords.sum() > ROWS / 2
    assert sums[has_keywords] == pytest.approx(np.ones(has_keywords.sum()), abs=1e-4)


@pytest.mark.parametrize("count", [1, 2, 5, 11, 100])
def test_the_best_are_those_of_all(coming: CopyOrGenerate, count: int) -> None:
    every = coming.all()
    ids, scores = coming.best(count)
    for row in range(ROWS):
        possible = np.isfinite(scores[row])
        assert len(set(ids[row, possible])) == possible.sum()
        assert np.allclose(scores[row, possible], every[row, ids[row, possible]], atol=1e-5)
        expected = np.sort(every[row][np.isfinite(every[row])])[::-1][:count]
        assert np.allclose(np.sort(scores[row, possible])[::-1][:count], expected, atol=1e-5)


def test_one_word_a_row_is_as_likely_as_among_all(coming: CopyOrGenerate) -> None:
    every = coming.all()
    for word in range(every.shape[1]):
        assert np.allclose(coming.of(np.full(ROWS, word)), every[:, word], atol=1e-5)


def test_a_cluster_that_cannot_compete_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = small_scheme(SHAPES["adaptive"], width=0.1)
    opened: list[int] = []
    runtime = Runtime(folder_of(scheme))
    _, found = runtime.step(runtime.begin([["w5"], ["w20"]]), np.array([BOS_ID, BOS_ID]))
    score = type(found.softmax).tail_scores

    def counted(self: object, spoken: np.ndarray, cluster: int) -> np.ndarray:
        opened.append(len(spoken))
        return score(self, spoken, cluster)  # type: ignore[arg-type]

    monkeypatch.setattr(type(found.softmax), "tail_scores", counted)
    found.best(1)
    best_only = sum(opened)
    opened.clear()
    found.all()
    assert best_only < sum(opened)
