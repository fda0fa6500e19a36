import pytest

from tersely.completion.query import read_typed
from tersely.completion.spelling import LONG, MOST_A_WORD, MOST_ODD, MOST_READINGS, Speller
from tersely.text.tokens import SHIFT
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

WORDS = ["the", ".", "late", "waiter", "lake", "lace", "water", "i", "10", "minutes", "lane", "OK"]
SPELLER = Speller(Vocabulary([*SPECIAL_TOKENS, *WORDS]))


def read(text: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    found = SPELLER.readings(read_typed(text))
    return [(" ".join(one.typed.tokens), one.corrected) for one in found]


@pytest.mark.parametrize(
    ("slip", "word"),
    [
        ("wiater", "waiter"),  # neighbours swapped
        ("waitr", "waiter"),  # one left out
        ("waiterr", "waiter"),  # one too many
        ("waiten", "waiter"),  # another one
        ("minuets", "minutes"),
    ],
)
def test_one_slip_is_read_as_the_word_meant(slip: str, word: str) -> None:
    assert SPELLER.nearest(slip)[0] == word
    assert read(f"the {slip} 10")[0] == (f"the {word} 10", ((slip, word),))


def test_only_long_words_may_have_two_slips() -> None:
    assert len("mniuets") == LONG
    assert SPELLER.nearest("mniuets") == ["minutes"]
    assert SPELLER.nearest("xatx") == []
    assert read("xatx") == []


def test_of_the_nearest_the_more_frequent_come_first_and_others_not_at_all() -> None:
    assert SPELLER.nearest("laze") == ["late", "lake", "lace"]
    assert len(SPELLER.nearest("laze")) == MOST_A_WORD  # lane is as near, but rarer
    assert SPELLER.nearest("waaiter") == ["waiter"]  # water has two slips


@pytest.mark.parametrize("token", ["late", "10", "12x", "?", "NAT", "la", SHIFT, "<unk>", "", "🙂"])
def test_known_words_numbers_names_in_capitals_and_marks_are_no_slips(token: str) -> None:
    assert not SPELLER.is_odd(token)


def test_where_nothing_is_misspelt_there_is_no_other_reading() -> None:
    for text in ("", "the waiter", "10 minutes late?", "NATO", "zyzzyva"):
        assert read(text) == []


def test_words_stay_as_typed_where_nothing_is_near() -> None:
    assert read("zyzzyva laet") == [("zyzzyva late", (("laet", "late"),))]


def test_capitals_phrases_and_endings_stay() -> None:
    [one, *_] = SPELLER.readings(read_typed('"the Waitr"?'))
    assert one.typed == read_typed('"the Waiter"?')
    assert one.corrected == (("waitr", "waiter"),)


def test_several_slips_are_read_together_the_likeliest_first() -> None:
    found = read("laze waitr")
    assert found[0] == ("late waiter", (("laze", "late"), ("waitr", "waiter")))
    assert len(found) == len(set(found)) <= MOST_READINGS
    assert all(len(pairs) == 2 for _, pairs in found)


def test_what_is_unknown_throughout_is_not_misspelt() -> None:
    assert read("laet " * MOST_ODD)
    assert read("laet " * (MOST_ODD + 1)) == []


def test_special_tokens_are_never_what_was_meant() -> None:
    for word in ("unk", "pad", "shift", "shif"):
        assert SPELLER.nearest(word) == []
