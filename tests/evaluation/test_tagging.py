import pytest

from tersely.errors import UsageError
from tersely.evaluation import tagging
from tersely.evaluation.tagging import WORD_CLASSES, accuracy, gold_lines, tag
from tersely.text.tokens import SHIFT, detokenise, tokenise


def tagged(sentence: str) -> dict[str, str]:
    tokens = tokenise(sentence).tokens
    return dict(zip(tokens, tag(tokens), strict=True))


def test_a_plain_sentence_is_tagged() -> None:
    found = tagged("Oh, the waiter was very friendly and we loved it.")
    assert found == {
        SHIFT: "shift",
        "oh": "interjection",
        ",": "punctuation",
        "the": "determiner",
        "waiter": "noun",
        "was": "verb",
        "very": "adverb",
        "friendly": "adjective",
        "and": "conjunction",
        "we": "pronoun",
        "loved": "verb",
        "it": "pronoun",
        ".": "punctuation",
    }


def test_clitics_have_their_own_class() -> None:
    assert tagged("It's good.")["'s"] == "verb"
    assert tagged("Joe's soup")["'s"] == "other"
    assert tagged("We'll see.")["'ll"] == "verb"
    assert tagged("I don't know.")["n't"] == "adverb"


def test_every_token_gets_one_class() -> None:
    for line in ("", "!!!", "I", "10 $5 🍕 naïve <shift", "ALL CAPS HERE"):
        tokens = tokenise(line).tokens
        assert len(tag(tokens)) == len(tokens)
        assert set(tag(tokens)) <= {*WORD_CLASSES, "punctuation", "shift"}


def test_the_tagger_is_right_on_nine_words_in_ten() -> None:
    found = accuracy(gold_lines())
    assert found.words > 400
    assert found.share > 0.9
    assert found.interval[0] < found.share < found.interval[1]


def test_a_wrong_tag_counts_as_wrong() -> None:
    assert accuracy(["the/determiner soup/noun ./punctuation"]).right == 2
    assert accuracy(["the/determiner soup/verb ./punctuation"]).right == 1


def test_gold_lines_are_tokenised_as_ours_are() -> None:
    for line in gold_lines():
        tokens = [pair.rsplit("/", 1)[0] for pair in line.split()]
        assert tokenise(detokenise(tokens)).tokens == tokens
        names = {pair.rsplit("/", 1)[1] for pair in line.split()}
        assert names <= {*WORD_CLASSES, "punctuation", "shift"}


def test_without_the_tagger_the_error_names_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tagging._tagger.cache_clear()
    monkeypatch.setattr(tagging, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install textblob"):
        tag(["an", "uncached", "sentence"])
    tagging._tagger.cache_clear()
