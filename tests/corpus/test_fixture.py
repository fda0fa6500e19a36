import os
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely import errors
from tersely.corpus import fixture
from tersely.corpus.fixture import fixture_grammar, fixture_sentences, handwritten_sentences
from tersely.corpus.fixture.grammar import Grammar, indefinite_article

TOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\$?\d+(?:[.:]\d+)*%?|[^\w\s]")
OPENING_MARKS = '"($'
LOWERCASE_OPENERS = ("iPhone",)


@pytest.fixture(scope="module")
def handwritten():
    return handwritten_sentences()


@pytest.fixture(scope="module")
def corpus():
    return list(fixture_sentences())


@pytest.fixture(scope="module")
def drawn(corpus, handwritten):
    return [sentence for sentence in corpus if sentence not in set(handwritten)]


def test_about_five_hundred_sentences_are_written_by_hand(handwritten):
    assert 450 <= len(handwritten) <= 600


def test_no_two_handwritten_sentences_are_equal_in_lower_case(handwritten):
    counts = Counter(sentence.lower() for sentence in handwritten)
    assert [sentence for sentence, count in counts.items() if count > 1] == []


def test_handwritten_sentences_are_short_single_lines_without_stray_spaces(handwritten):
    for sentence in handwritten:
        assert sentence == " ".join(sentence.split()), sentence
        assert 2 <= len(sentence.split()) <= 16, sentence


@pytest.mark.parametrize(
    "kind",
    [
        r"\$\d+\.\d\d",
        r"\d:\d\d",
        r"\d%",
        r"\w'\w",
        r"\.\.\.",
        r"\?$",
        r"!$",
        r"\b[A-Z]{4,}\b",
        r"\b[a-z]+[A-Z]",
        r"\w-\w",
        r"\(.*\)",
        r'".*"',
        "é",
        "[\U0001f300-\U0001faff]",
    ],
)
def test_handwritten_sentences_hold_every_kind_of_writing(handwritten, kind):
    assert any(re.search(kind, sentence) for sentence in handwritten)


@given(count=st.integers(0, 400), seed=st.integers(0, 2**32))
def test_count_sentences_come_and_the_same_ones_again(count, seed):
    first = list(fixture_sentences(count, seed))
    assert len(first) == count
    assert first == list(fixture_sentences(count, seed))


def test_different_seeds_give_different_sentences():
    firsts = {tuple(fixture_sentences(50, seed)) for seed in range(20)}
    assert len(firsts) == 20


def test_sentences_do_not_depend_on_the_hash_seed():
    program = "from tersely.corpus.fixture import *; print(*fixture_sentences(300, 5), sep='|')"

    def said(hash_seed):
        variables = {
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONIOENCODING": "utf-8",
        }
        done = subprocess.run(
            [sys.executable, "-c", program], env=variables, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    assert said("1") == said("2") == "|".join(fixture_sentences(300, 5))


def test_only_the_generator_method_that_never_changes_is_used(monkeypatch):
    class OnlyRandom:
        def __init__(self, seed):
            self.random = Random(seed).random

    expected = list(fixture_sentences(500, 3))
    monkeypatch.setattr(fixture, "Random", OnlyRandom)
    assert list(fixture_sentences(500, 3)) == expected


def test_a_negative_count_is_refused_at_once():
    with pytest.raises(errors.UsageError, match="cannot give -1 sentences"):
        fixture_sentences(-1)


def test_every_handwritten_sentence_is_in_the_corpus_once(corpus, handwritten):
    counts = Counter(corpus)
    assert {counts[sentence] for sentence in handwritten} == {1}


def test_handwritten_sentences_stand_all_over_the_corpus(corpus, handwritten):
    known = set(handwritten)
    tenths = [corpus[start : start + 2_000] for start in range(0, 20_000, 2_000)]
    shares = [sum(sentence in known for sentence in tenth) / len(known) for tenth in tenths]
    assert min(shares) > 0.05
    assert max(shares) < 0.16


def test_a_small_corpus_holds_a_sample_of_handwritten_sentences(handwritten):
    known = set(handwritten)
    samples = [
        frozenset(sentence for sentence in fixture_sentences(200, seed) if sentence in known)
        for seed in (1, 2)
    ]
    assert [len(sample) for sample in samples] == [20, 20]
    assert samples[0] != samples[1]


def test_most_drawn_sentences_are_distinct(drawn):
    assert len(set(drawn)) / len(drawn) >= 0.7


def test_drawn_words_are_few_hundred_and_skewed(drawn):
    # A sentence's first word is left out: its capital hides whether it is a name.
    counts = Counter(
        word for sentence in drawn for word in TOKEN.findall(sentence)[1:] if word.islower()
    )
    assert 400 <= len(counts) <= 850
    by_rank = [count for _, count in counts.most_common()]
    assert sum(by_rank[:50]) > 0.5 * sum(by_rank)
    assert by_rank[len(by_rank) // 2] < by_rank[0] / 50


def test_drawn_sentences_have_four_to_fourteen_tokens(drawn):
    lengths = [len(TOKEN.findall(sentence)) for sentence in drawn]
    assert min(lengths) >= 4
    assert sum(length <= 14 for length in lengths) > 0.98 * len(lengths)
    assert set(range(4, 15)) <= set(lengths)


def test_questions_and_exclamations_stand_among_the_drawn_sentences(drawn):
    ends = Counter(sentence[-1] for sentence in drawn)
    assert set(ends) == {".", "?", "!"}
    assert 0.15 < ends["?"] / len(drawn) < 0.5
    assert 0.01 < ends["!"] / len(drawn) < 0.2


def test_every_sentence_opens_with_a_capital_a_number_or_an_opening_mark(corpus):
    for sentence in corpus:
        first = sentence[0]
        assert (
            first.isupper()
            or first.isdigit()
            or first in OPENING_MARKS
            or first >= "\U0001f300"
            or sentence.startswith(LOWERCASE_OPENERS)
        ), sentence


def test_drawn_sentences_are_neatly_spaced_and_fully_filled_in(drawn):
    for sentence in drawn:
        assert re.search(r"[{}|]|\s\s|\s[.,?!]|^\s|\s$", sentence) is None, sentence


def test_a_stands_before_consonants_and_an_before_vowels(drawn):
    heard_with_vowel = r"(?:[aeio]|u(?!s[eu]|ni)|hour|8|11\b|18\b)"
    used = re.compile(r"\b([Aa]n?) (\S+)")
    pairs = {(found[1].lower(), found[2]) for text in drawn for found in used.finditer(text)}
    assert {article for article, _ in pairs} == {"a", "an"}
    for article, word in pairs:
        vowel = re.match(heard_with_vowel, word.lstrip("$"), re.IGNORECASE) is not None
        assert (article == "an") == vowel, (article, word)


@pytest.mark.parametrize(
    ("text", "article"),
    [
        ("umbrella", "an"),
        ("used car", "a"),
        ("uniform", "a"),
        ("hour", "an"),
        ("house", "a"),
        ("8% tip", "an"),
        ("18% tip", "an"),
        ("180-page book", "a"),
        ("$11 lunch", "an"),
        ("10% tip", "a"),
        ("Italian", "an"),
    ],
)
def test_the_article_follows_the_sound(text, article):
    assert indefinite_article(text) == article


def test_verbs_agree_with_their_subjects(drawn):
    wrong = re.compile(
        r"(?<!and )\bI (is|are|has)\b|\b(we|you|they) (is|was|has|am)\b|\b(he|she|it) are\b"
        r"|\band I (am|is)\b|\b(fries|wings|tacos|prices|portions) (was|is)\b"
        r"|\b(waiter|soup|steak|service|place) (were|are)\b|\bdoes (you|we|they|I)\b",
        re.IGNORECASE,
    )
    assert [sentence for sentence in drawn if wrong.search(sentence)] == []


def test_held_out_sentences_hold_names_times_and_prices_never_seen_in_training(drawn):
    seen = {token for sentence in drawn for token in TOKEN.findall(sentence)}
    held_out = {
        token
        for sentence in fixture_sentences(2_000, seed=2)
        if sentence not in set(handwritten_sentences())
        for token in TOKEN.findall(sentence)
    }
    unseen = held_out - seen
    assert any(re.fullmatch(r"\d+:\d\d", token) for token in unseen)
    assert any(re.fullmatch(r"\$\d+\.\d\d", token) for token in unseen)
    assert any(re.fullmatch(r"[A-Z][a-z]+", token) for token in unseen)


def test_every_symbol_mentioned_has_a_rule_and_every_rule_is_reached():
    uses = fixture_grammar().uses()
    reached, waiting = {"sentence"}, ["sentence"]
    while waiting:
        new = uses[waiting.pop()] - reached
        reached |= new
        waiting.extend(new)
    assert reached == set(uses)


def test_no_symbol_has_rules_in_two_modules():
    modules = (fixture.VALUES, fixture.EVERYDAY, fixture.EVERYDAY_WORDS, fixture.RESTAURANT)
    assert sum(len(rules) for rules in modules) == len(set().union(*modules))


def test_ranked_ways_are_drawn_less_and_less():
    grammar = Grammar({"sentence": "often | less | rare"})
    rng = Random(0)
    counts = Counter(grammar.sentence(rng) for _ in range(3_000))
    assert counts["Often"] > counts["Less"] > counts["Rare"] > 0


def test_a_weight_is_a_share_of_the_draws():
    grammar = Grammar({"sentence": {"{a fruit}": 9, "nothing": 1}, "fruit": "apple"})
    rng = Random(0)
    counts = Counter(grammar.sentence(rng) for _ in range(2_000))
    assert counts.keys() == {"An apple", "Nothing"}
    assert 0.87 < counts["An apple"] / 2_000 < 0.93


def test_sentences_come_one_at_a_time():
    endless_to_wait_for = fixture_sentences(10**12)
    assert len(list(islice(endless_to_wait_for, 3))) == 3
