import numpy as np
import pytest

from tersely.model.hint import keywords_at
from tersely.model.spending import GREATEST, LEAST, LONGEST, Spending, told_shares

SHARES = np.linspace(0.01, 0.9, 90)
LENGTHS = range(1, 25)


def test_with_nothing_to_spare_it_is_the_share() -> None:
    for share in SHARES:
        spending = Spending(float(share))
        for tokens in LENGTHS:
            assert spending.keywords(tokens) == keywords_at(share, tokens)
            assert spending.share_of(tokens) == share
        assert (spending.told([0, 1, 5]) == share).all()


def test_short_sentences_get_a_larger_share() -> None:
    spending = Spending(0.2, 0.75)
    assert [spending.keywords(tokens) for tokens in (1, 2, 4, 8, 16)] == [1, 1, 2, 2, 4]
    shares = [spending.share_of(tokens) for tokens in (4, 8, 16)]
    assert shares == [0.5, 0.25, 0.25]


def test_nobody_types_more_than_there_is() -> None:
    for share in SHARES:
        for tokens in range(25):
            assert 0 <= Spending(float(share), 3.0).keywords(tokens) <= tokens
    assert Spending(0.3, 0.75).share_of(0) == LEAST


def test_longer_sentences_never_get_fewer() -> None:
    for share in SHARES:
        for spare in (0.0, 0.75, 1.5):
            counts = [Spending(float(share), spare).keywords(tokens) for tokens in LENGTHS]
            assert counts == sorted(counts)


def test_where_most_is_typed_nothing_is_spared() -> None:
    assert Spending.at(0.2, 0.75) == Spending(0.2, 0.75)
    assert Spending.at(0.45, 0.75).spare == pytest.approx(0.75)
    assert Spending.at(0.525, 0.75).spare == pytest.approx(0.375)
    assert Spending.at(0.6, 0.75) == Spending(0.6)
    assert Spending.at(0.9, 0.75) == Spending(0.9)


def test_what_is_told_depends_on_the_count_alone_and_is_about_right() -> None:
    for share in np.linspace(0.05, 0.58, 50):
        spending = Spending.at(float(share), 0.75)
        for tokens in range(2, 17):
            count = spending.keywords(tokens)
            [told] = spending.told([count])
            assert LEAST <= told <= GREATEST
            alike = [other for other in LENGTHS if spending.keywords(other) == count]
            implied = count / told
            # clipped to what models were trained for, it may lie just outside
            assert min(alike) - 1 <= implied <= min(max(alike), LONGEST) + 1


def test_no_keywords_are_no_trouble() -> None:
    told = Spending(0.01, 0.75).told([0, 1, 100])
    assert np.isfinite(told).all()
    assert (told >= LEAST).all()


def test_a_decoder_is_told_by_row() -> None:
    assert np.isnan(told_shares(None, [1, 2])).all()
    assert told_shares(0.3, [1, 2]).tolist() == [0.3, 0.3]
    spending = Spending(0.2, 0.75)
    assert told_shares(spending, [1, 2]).tolist() == spending.told([1, 2]).tolist()
    assert told_shares(spending, np.empty(0)).shape == (0,)
