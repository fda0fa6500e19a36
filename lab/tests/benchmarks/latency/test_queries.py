import pytest

from tersely.corpus.fixture import fixture_sentences
from tersely.errors import UsageError
from tersely.text.alignment import align
from tersely.text.tokens import tokenise
from tersely_lab.benchmarks.latency.queries import Query, draw_queries

SENTENCES = list(fixture_sentences(400))


def test_every_number_of_keywords_is_equally_frequent_and_in_order() -> None:
    queries = draw_queries(SENTENCES, 60)
    assert [len(query.keywords) for query in queries] == [1, 2, 3, 4, 5, 6] * 10
    tokens = [tokenise(sentence).tokens for sentence in SENTENCES]
    for query in queries:
        fitting = [row for row in tokens if len(row) == query.length]
        assert any(align(query.keywords, row) is not None for row in fitting)
        assert query.length <= 16


def test_a_keyword_has_the_same_number_in_all_queries() -> None:
    queries = draw_queries(SENTENCES, 60)
    numbers = {
        pair for query in queries for pair in zip(query.keywords, query.numbers, strict=True)
    }
    assert len({word for word, _ in numbers}) == len(numbers) == len({n for _, n in numbers})
    assert {n for _, n in numbers} == set(range(len(numbers)))


def test_queries_are_reproducible_and_survive_json() -> None:
    assert (
        draw_queries(SENTENCES, 12)
        == draw_queries(SENTENCES, 12)
        != draw_queries(SENTENCES, 12, seed=2)
    )
    [query, *_] = draw_queries(SENTENCES, 1)
    assert Query.from_dict(query.as_dict()) == query


def test_too_few_sentences_are_one_clear_error() -> None:
    with pytest.raises(UsageError, match=r"give 1 sets of keywords instead of 5"):
        draw_queries(["I am late.", "No."], 5)
