from pathlib import Path

import numpy as np
import pytest

from tersely.completion.completer import Completer
from tersely.decoding.scoring import total_nll
from tersely.runtime.paper import Runtime
from tersely.text.vocabulary import BOS_ID, EOS_ID, UNK_ID


@pytest.fixture(scope="module")
def runtime(trained: Path) -> Runtime:
    return Completer.load(trained).runtime


def alone(runtime: Runtime, keywords: list[str], ids: list[int]) -> float:
    """−log p word by word, of one sentence, without padding."""
    state, last, total = runtime.begin([keywords]), BOS_ID, 0.0
    for word in [*ids, EOS_ID]:
        state, coming = runtime.step(state, np.array([last]))
        total -= float(coming.all()[0, word])
        last = word
    return total


def test_a_batch_is_scored_as_each_sentence_alone(runtime: Runtime) -> None:
    pairs = [
        ([], ["the", "waiter", "was", "friendly", "."]),
        (["waiter"], ["waiter"]),
        (["waiter", "."], ["<shift>", "the", "waiter", "was", "late", "and", "rude", "."]),
    ]
    losses = total_nll(runtime, *map(list, zip(*pairs, strict=True)))
    for (keywords, tokens), loss in zip(pairs, losses, strict=True):
        expected = alone(runtime, keywords, runtime.vocabulary.encode(tokens))
        assert loss == pytest.approx(expected, abs=1e-4)


def test_the_end_mark_counts(runtime: Runtime) -> None:
    nothing = total_nll(runtime, [["waiter"]], [[]])[0]
    assert nothing == pytest.approx(alone(runtime, ["waiter"], []), abs=1e-5)
    assert nothing > 0


def test_an_unknown_word_counts_as_itself_if_typed_and_as_unknown_if_not(runtime: Runtime) -> None:
    size = len(runtime.vocabulary)
    typed, untyped = total_nll(runtime, [["zyzzyva"], ["late"]], [["zyzzyva"], ["zyzzyva"]])
    assert typed == pytest.approx(alone(runtime, ["zyzzyva"], [size]), abs=1e-4)
    assert untyped == pytest.approx(alone(runtime, ["late"], [UNK_ID]), abs=1e-4)
