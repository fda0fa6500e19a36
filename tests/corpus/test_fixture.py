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
from tersely.corpus.fixture.everyday import EVERYDAY
from tersely.corpus.fixture.everyday_words import EVERYDAY_WORDS
from tersely.corpus.fixture.grammar import Grammar, indefinite_article
from tersely.corpus.fixture.restaurant import RESTAURANT
from tersely.corpus.fixture.values import VALUES

TOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\$?\d+(?:[.:]\d+)*%?|[^\w\s]")
OPENING_MARKS = '"($'
LOWERCASE_OPENERS = ("iPhone",)


@pytest.fixture(scope="module")
def handwritten() -> tuple[str, ...]:
    return handwritten_sentences()


@pytest.fixture(scope="module")
def corpus() -> list[str]:
    return list(fixture_sentences())


@pytest.fixture(scope="module")
def drawn(corpus: list[str], handwritten: tuple[str, ...]) -> list[str]:
    return [sentence for sentence in corpus if sentence not in set(handwritten)]


def test_about_five_hundred_sentences_are_written_by_hand(handwritten: tuple[str, ...]) -> None:
    assert 450 <= len(handwritten) <= 600


def test_no_two_handwritten_sentences_are_equal_in_lower_case(handwritten: tuple[str, ...]) -> None:
    counts = Counter(sentence.lower() for sentence in handwritten)
    assert [sentence for sentence, count in counts.items() if count > 1] == []


def test_handwritten_sentences_are_short_single_lines_without_stray_spaces(
    handwritten: tuple[str, ...],
) -> None:
    for sentence in handwritten:
        assert sentence == " ".join(sentence.split()), sentence
        assert 2 <= len(sentence.split()) <= 16, sentence


KINDS_OF_WRITING = [
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
]


def test_handwritten_sentences_contain_every_kind_of_writing(handwritten: tuple[str, ...]) -> None:
    for kind in KINDS_OF_WRITING:
        assert any(re.search(kind, sentence) for sentence in handwritten), kind


@given(count=st.integers(0, 400), seed=st.integers(0, 2**32))
def test_the_same_count_and_seed_give_the_same_sentences(count: int, seed: int) -> None:
    first = list(fixture_sentences(count, seed))
    assert len(first) == count
    assert first == list(fixture_sentences(count, seed))


def test_different_seeds_give_different_sentences() -> None:
    firsts = {tuple(fixture_sentences(50, seed)) for seed in range(20)}
    assert len(firsts) == 20


def test_sentences_do_not_depend_on_the_hash_seed() -> None:
    program = "from tersely.corpus.fixture import *; print(*fixture_sentences(300, 5), sep='|')"

    def sentences(hash_seed: str) -> str:
        variables = {
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONIOENCODING": "utf-8",
        }
        completed = subprocess.run(
            [sys.executable, "-c", program], env=variables, capture_output=True, check=True
        )
        return completed.stdout.decode().strip()

    assert sentences("1") == sentences("2") == "|".join(fixture_sentences(300, 5))


def test_only_the_stable_method_of_the_random_generator_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class OnlyRandom:
        def __init__(self, seed: int) -> None:
            self.random = Random(seed).random

    expected = list(fixture_sentences(500, 3))
    monkeypatch.setattr(fixture, "Random", OnlyRandom)
    assert list(fixture_sentences(500, 3)) == expected


def test_a_negative_count_is_rejected_at_once() -> None:
    with pytest.raises(errors.UsageError, match="cannot generate -1 sentences"):
        fixture_sentences(-1)


def test_every_handwritten_sentence_is_in_the_corpus_once(
    corpus: list[str], handwritten: tuple[str, ...]
) -> None:
    counts = Counter(corpus)
    assert {counts[sentence] for sentence in handwritten} == {1}


def test_handwritten_sentences_are_spread_over_the_corpus(
    corpus: list[str], handwritten: tuple[str, ...]
) -> None:
    known = set(handwritten)
    tenths = [corpus[start : start + 2_000] for start in range(0, 20_000, 2_000)]
    shares = [sum(sentence in known for sentence in tenth) / len(known) for tenth in tenths]
    assert min(shares) > 0.05
    assert max(shares) < 0.16


def test_a_small_corpus_contains_a_sample_of_handwritten_sentences(
    handwritten: tuple[str, ...],
) -> None:
    known = set(handwritten)
    samples = [
        frozenset(sentence for sentence in fixture_sentences(200, seed) if sentence in known)
        for seed in (1, 2)
    ]
    assert [len(sample) for sample in samples] == [20, 20]
    assert samples[0] != samples[1]


def test_most_drawn_sentences_are_distinct(drawn: list[str]) -> None:
    assert len(set(drawn)) / len(drawn) >= 0.7


def test_drawn_words_are_few_hundred_and_skewed(drawn: list[str]) -> None:
    # A sentence's first word is left out: its capital hides whether it is a name.
    counts = Counter(
        word for sentence in drawn for word in TOKEN.findall(sentence)[1:] if word.islower()
    )
    assert 400 <= len(counts) <= 850
    by_rank = [count for _, count in counts.most_common()]
    assert sum(by_rank[:50]) > 0.5 * sum(by_rank)
    assert by_rank[len(by_rank) // 2] < by_rank[0] / 50


def test_drawn_sentences_have_four_to_fourteen_tokens(drawn: list[str]) -> None:
    lengths = [len(TOKEN.findall(sentence)) for sentence in drawn]
    assert min(lengths) >= 4
    assert sum(length <= 14 for length in lengths) > 0.98 * len(lengths)
    assert set(range(4, 15)) <= set(lengths)


def test_some_drawn_sentences_are_questions_and_exclamations(drawn: list[str]) -> None:
    ends = Counter(sentence[-1] for sentence in drawn)
    assert set(ends) == {".", "?", "!"}
    assert 0.15 < ends["?"] / len(drawn) < 0.5
    assert 0.01 < ends["!"] / len(drawn) < 0.2


def test_every_sentence_opens_with_a_capital_a_number_or_an_opening_mark(corpus: list[str]) -> None:
    for sentence in corpus:
        first = sentence[0]
        assert (
            first.isupper()
            or first.isdigit()
            or first in OPENING_MARKS
            or first >= "\U0001f300"
            or sentence.startswith(LOWERCASE_OPENERS)
        ), sentence


def test_drawn_sentences_are_neatly_spaced_and_fully_filled_in(drawn: list[str]) -> None:
    for sentence in drawn:
        assert re.search(r"[{}|]|\s\s|\s[.,?!]|^\s|\s$", sentence) is None, sentence


def test_a_precedes_consonants_and_an_precedes_vowels(drawn: list[str]) -> None:
    heard_with_vowel = r"(?:[aeio]|u(?!s[eu]|ni)|hour|8|11\b|18\b)"
    used = re.compile(r"\b([Aa]n?) (\S+)")
    pairs = {(match[1].lower(), match[2]) for text in drawn for match in used.finditer(text)}
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
def test_the_article_follows_the_sound(text: str, article: str) -> None:
    assert indefinite_article(text) == article


def test_verbs_agree_with_their_subjects(drawn: list[str]) -> None:
    wrong = re.compile(
        r"(?<!and )\bI (is|are|has)\b|\b(we|you|they) (is|was|has|am)\b|\b(he|she|it) are\b"
        r"|\band I (am|is)\b|\b(fries|wings|tacos|prices|portions) (was|is)\b"
        r"|\b(waiter|soup|steak|service|place) (were|are)\b|\bdoes (you|we|they|I)\b",
        re.IGNORECASE,
    )
    assert [sentence for sentence in drawn if wrong.search(sentence)] == []


def test_held_out_sentences_contain_names_times_and_prices_unseen_in_training(
    drawn: list[str],
) -> None:
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


def test_every_symbol_mentioned_has_a_rule_and_every_rule_is_reached() -> None:
    uses = fixture_grammar().uses()
    reached, waiting = {"sentence"}, ["sentence"]
    while waiting:
        new = uses[waiting.pop()] - reached
        reached |= new
        waiting.extend(new)
    assert reached == set(uses)


def test_no_symbol_has_rules_in_two_modules() -> None:
    modules = (VALUES, EVERYDAY, EVERYDAY_WORDS, RESTAURANT)
    assert sum(len(rules) for rules in modules) == len(set().union(*modules))


def test_alternatives_are_drawn_by_rank() -> None:
    grammar = Grammar({"sentence": "often | less | rare"})
    rng = Random(0)
    counts = Counter(grammar.sentence(rng) for _ in range(3_000))
    assert counts["Often"] > counts["Less"] > counts["Rare"] > 0


def test_weighted_alternatives_are_drawn_by_weight() -> None:
    grammar = Grammar({"sentence": {"{a fruit}": 9, "nothing": 1}, "fruit": "apple"})
    rng = Random(0)
    counts = Counter(grammar.sentence(rng) for _ in range(2_000))
    assert counts.keys() == {"An apple", "Nothing"}
    assert 0.87 < counts["An apple"] / 2_000 < 0.93


def test_sentences_are_generated_lazily() -> None:
    sentences = fixture_sentences(10**12)
    assert len(list(islice(sentences, 3))) == 3
