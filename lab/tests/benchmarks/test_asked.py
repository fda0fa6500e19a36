import pytest

from tersely.corpus.fixture import fixture_sentences
from tersely.errors import UsageError
from tersely.text.alignment import align
from tersely.text.tokens import tokenise
from tersely_lab.benchmarks.asked import Asked, ask

SENTENCES = list(fixture_sentences(400))


def test_every_count_of_keywords_comes_equally_often_and_in_order() -> None:
    asked = ask(SENTENCES, 60)
    assert [len(one.keywords) for one in asked] == [1, 2, 3, 4, 5, 6] * 10
    tokens = [tokenise(sentence).tokens for sentence in SENTENCES]
    for one in asked:
        fitting = [row for row in tokens if len(row) == one.length]
        assert any(align(one.keywords, row) is not None for row in fitting)
        assert one.length <= 16


def test_a_keyword_has_the_same_number_wherever_it_stands() -> None:
    asked = ask(SENTENCES, 60)
    numbers = {pair for one in asked for pair in zip(one.keywords, one.numbers, strict=True)}
    assert len({word for word, _ in numbers}) == len(numbers) == len({n for _, n in numbers})
    assert {n for _, n in numbers} == set(range(len(numbers)))


def test_the_same_is_asked_again() -> None:
    assert ask(SENTENCES, 12) == ask(SENTENCES, 12) != ask(SENTENCES, 12, seed=2)
    [one, *_] = ask(SENTENCES, 1)
    assert Asked.from_dict(one.as_dict()) == one


def test_too_few_sentences_are_said_plainly() -> None:
    with pytest.raises(UsageError, match=r"give 1 sets of keywords, 5 are wanted"):
        ask(["I am late.", "No."], 5)
