import numpy as np

from tersely.decoding.constraints import Asked, Wanted
from tersely.text.vocabulary import EOS_ID, SHIFT_ID

TWO = [Wanted([7, 8], (False, True, False), (True, False)), Wanted([9])]


def test_each_row_tells_what_comes_next_and_what_is_still_needed() -> None:
    asked = Asked.of(TWO, guarantee=True)
    assert asked.following.tolist() == [[7, 8, EOS_ID], [9, EOS_ID, EOS_ID]]
    assert asked.needed.tolist() == [[3, 1, 0], [1, 0, 0]]
    assert asked.glued.tolist() == [[False, True, False], [False] * 3]
    assert asked.capital.tolist() == [[True, False, False], [False] * 3]
    assert asked.words.tolist() == [3, 1]
    assert asked.has_capital.tolist() == [True, False]


def test_without_the_guarantee_nothing_is_needed_but_keywords_are_known() -> None:
    asked = Asked.of(TWO, guarantee=False)
    assert not asked.needed.any()
    assert not asked.glued.any()
    assert not asked.capital.any()
    assert (asked.following == EOS_ID).all()
    assert asked.keywords[0].tolist() == [7, 8, EOS_ID]
    assert asked.words.tolist() == [2, 1]


def test_the_rest_has_the_keywords_that_lack_and_their_marks() -> None:
    asked = Asked.of(TWO, guarantee=True)
    assert asked.rest(0, 0, last=5) == [SHIFT_ID, 7, 8]
    assert asked.rest(0, 0, last=SHIFT_ID) == [7, 8]
    assert asked.rest(0, 1, last=7) == [8]
    assert asked.rest(1, 1, last=9) == []
    assert Asked.of(TWO, guarantee=False).rest(0, 0, last=5) == []


def test_nothing_may_be_wanted() -> None:
    assert Asked.of([Wanted([])], guarantee=True).needed.tolist() == [[0]]
    assert np.array_equal(Asked.of([], guarantee=True).words, [])
