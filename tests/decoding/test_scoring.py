from pathlib import Path

import numpy as np
import pytest

from tersely.decoding.scoring import total_nll
from tersely.model.folder import ModelFolder
from tersely.runtime.paper import PaperRuntime
from tersely.text.vocabulary import BOS_ID, EOS_ID, UNK_ID


@pytest.fixture(scope="module")
def runtime(trained: Path) -> PaperRuntime:
    return PaperRuntime(ModelFolder.from_pretrained(trained))


def nll(runtime: PaperRuntime, keywords: list[str], ids: list[int]) -> float:
    """Sum −log p token by token, for one sentence without padding."""
    state, last, total = runtime.begin([keywords]), BOS_ID, 0.0
    for token in [*ids, EOS_ID]:
        state, next_token = runtime.step(state, np.array([last]))
        total -= float(next_token.log_probs()[0, token])
        last = token
    return total


def test_a_batch_is_scored_as_each_sentence_alone(runtime: PaperRuntime) -> None:
    keywords = [[], ["waiter"], ["waiter", "."]]
    sentences = [
        ["the", "waiter", "was", "friendly", "."],
        ["waiter"],
        ["<shift>", "the", "waiter", "was", "late", "and", "rude", "."],
    ]
    losses = total_nll(runtime, keywords, sentences)
    for typed, tokens, loss in zip(keywords, sentences, losses, strict=True):
        expected = nll(runtime, typed, runtime.vocabulary.encode(tokens))
        assert loss == pytest.approx(expected, abs=1e-4)


def test_the_end_mark_counts(runtime: PaperRuntime) -> None:
    loss = total_nll(runtime, [["waiter"]], [[]])[0]
    assert loss == pytest.approx(nll(runtime, ["waiter"], []), abs=1e-5)
    assert loss > 0


def test_an_unknown_word_is_copied_if_typed_and_unknown_if_not(runtime: PaperRuntime) -> None:
    size = len(runtime.vocabulary)
    typed, untyped = total_nll(runtime, [["zyzzyva"], ["late"]], [["zyzzyva"], ["zyzzyva"]])
    assert typed == pytest.approx(nll(runtime, ["zyzzyva"], [size]), abs=1e-4)
    assert untyped == pytest.approx(nll(runtime, ["late"], [UNK_ID]), abs=1e-4)
